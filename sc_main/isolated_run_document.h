// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sc_main/experiment_simulator.h"

namespace switchyard::cli {

/// A result as bytes (CBOR) for the way between two processes of the same program; exact for every number.
std::string write_run_document(const RunResult& result);

/// Reads it back; throws base::InternalError for anything else.
RunResult read_run_document(const std::string& bytes);

}  // namespace switchyard::cli
