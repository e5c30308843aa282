// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "kernel/costs/kernel_costs.h"

namespace switchyard::kernel {

/// The part of `rest_per_page` that one function gets.
struct RestShare : base::ParamSet {
  std::string function;
  base::Fraction share;

  RestShare() = default;
  RestShare(std::string name, double part) : function(std::move(name)), share{part} {}
  void visit(base::ParamVisitor& v) override {
    v.value({.key = "function", .text = "Kernel function that spends this share once per page", .required = true},
            function);
    v.value({.key = "share", .text = "Its part of rest_per_page", .required = true}, share);
  }
};

/// Path lengths of a kernel with reclaim and page faults.
struct MmCosts : KernelCosts {
  base::Latency rest_per_page = base::cycles(6000);
  std::vector<RestShare> rest_shares{{"madvise_cold_or_pageout_pte_range", 0.10},
                                     {"folio_isolate_lru", 0.15},
                                     {"shrink_folio_list", 0.20},
                                     {"try_to_unmap_one", 0.20},
                                     {"pageout", 0.15},
                                     {"set_pte_range", 0.20}};

  void visit(base::ParamVisitor& v) override {
    KernelCosts::visit(v);
    visit_rest(v);
  }

  std::string check() const override {
    double sum = 0;
    for (const auto& share : rest_shares) sum += share.share.value;
    if (std::abs(sum - 1) > 1e-6) return "rest_shares must add up to 1, got " + std::to_string(sum);
    return "";
  }

 protected:
  void visit_rest(base::ParamVisitor& v) {
    v.value({.key = "rest_per_page",
             .text = "Work of reclaiming a page and mapping it again that no modelled access stands for"},
            rest_per_page);
    v.sequence({.key = "rest_shares", .text = "How rest_per_page is divided over the functions; adds up to one"},
               rest_shares);
  }
};

}  // namespace switchyard::kernel
