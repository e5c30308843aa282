// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace switchyard::cpu {

/// Refers to something that is called without arguments and says true or false, for as long as that lives. Holds no
/// memory: a task that still waits for it when the simulation ends leaves nothing behind.
class Condition {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Condition>)
      Condition(F&& condition)  // NOLINT: implicit, so that a lambda can stand where a condition is asked for
      : object_(const_cast<void*>(static_cast<const void*>(&condition))),
        call_([](void* object) -> bool { return (*static_cast<std::remove_reference_t<F>*>(object))(); }) {}
  bool operator()() const { return call_(object_); }

 private:
  void* object_;
  bool (*call_)(void*);
};

}  // namespace switchyard::cpu
