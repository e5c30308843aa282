// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace switchyard::memory {

/// Marks the backward interface of an initiator that keeps copies of lines and can be snooped.
class CachingInitiator {
 public:
  virtual ~CachingInitiator() = default;
};

}  // namespace switchyard::memory
