// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.h"
#include "base/params.h"

namespace switchyard::base {

/// Types that a configuration file can name: each with its parameters and a way to build it.
/// Registration is an explicit call (`registry.add<Cache>("cache", "...")`); order of registration is order of listing.
/// `Product` is the common base; `Args` go to the constructor before the parameters.
template <class Product, class... Args>
class Registry : public ParamSetFactory {
 public:
  struct Type {
    std::string name;
    std::string text;
    std::function<std::unique_ptr<ParamSet>()> make_params;
    std::function<std::unique_ptr<Product>(Args..., const ParamSet&)> build;
  };

  /// T has a nested `Params` derived from ParamSet and a constructor T(Args..., const Params&).
  template <class T>
  void add(std::string name, std::string text) {
    add({std::move(name), std::move(text), [] { return std::make_unique<typename T::Params>(); },
         [](Args... args, const ParamSet& params) -> std::unique_ptr<Product> {
           return std::make_unique<T>(std::forward<Args>(args)..., dynamic_cast<const typename T::Params&>(params));
         }});
  }

  /// For types whose parameters need more than a default constructor.
  void add(Type type) {
    SWITCHYARD_ASSERT(find(type.name) == nullptr, "a type is registered once");
    types_.push_back(std::move(type));
  }

  const std::vector<Type>& types() const { return types_; }

  /// The type called `name`, or nullptr.
  const Type* find(std::string_view name) const {
    for (const auto& type : types_)
      if (type.name == name) return &type;
    return nullptr;
  }

  std::unique_ptr<ParamSet> make(std::string_view name) const override {
    const Type* type = find(name);
    return type ? type->make_params() : nullptr;
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& type : types_) result.push_back(type.name);
    return result;
  }

 private:
  std::vector<Type> types_;
};

}  // namespace switchyard::base
