// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/config/provenance.h"
#include "platforms/run_outcome.h"
#include "sc_main/output_folder.h"
#include "sc_main/report_stats.h"

namespace switchyard::cli {

/// All that the reports of one run are made from.
struct RunReport {
  RunIdentity run;
  std::string resolved;  ///< text of `config.yaml`
  const platforms::Provenance& provenance;
  const platforms::RunOutcome& outcome;
};

/// `<name>-<first 8 digits of the hash>`, with nothing in it that a shell or file system minds.
std::string folder_name(const RunIdentity& run);

/// The files of the output folder.
std::vector<OutputFile> report_files(const RunReport& report);

/// What a terminal shows: times, top functions, causes, how well the configuration is known.
std::string summary_text(const RunReport& report);

/// The document of `run --json`.
nlohmann::ordered_json summary_json(const RunReport& report);

}  // namespace switchyard::cli
