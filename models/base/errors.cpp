// SPDX-License-Identifier: Apache-2.0
#include "base/errors.h"

namespace switchyard::base {

void assertion_failed(const char* condition, const char* why, const char* file, int line) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": internal error: " + condition + ": " + why);
}

}  // namespace switchyard::base
