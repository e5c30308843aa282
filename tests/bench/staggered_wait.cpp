// SPDX-License-Identifier: Apache-2.0
#include <systemc>

#include "bench/measure.h"

namespace switchyard::bench {

Result staggered_wait(unsigned threads, std::uint64_t waits) {
  const std::uint64_t each = waits / threads;
  for (unsigned i = 0; i < threads; ++i)
    sc_core::sc_spawn([i, each] {
      const sc_core::sc_time period(i % 7 + 1, sc_core::SC_NS);
      for (std::uint64_t n = 0; n < each; ++n) sc_core::wait(period);
    });
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const double start = user_seconds();
  sc_core::sc_start();
  return {user_seconds() - start, each * threads, 0};
}

}  // namespace switchyard::bench
