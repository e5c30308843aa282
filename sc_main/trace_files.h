// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/trace_merger.h"
#include "sc_main/output_folder.h"
#include "sc_main/trace_text.h"
#include "sc_main/trace_writer.h"

namespace switchyard::cli {

/// A form of a trace that `run --trace` can name.
struct TraceForm {
  std::string name;  ///< on the command line
  std::string file;  ///< in the output folder
  std::string text;  ///< for --help
  std::unique_ptr<TraceWriter> (*make)(TraceFile& file, unsigned cpus);
};
const std::vector<TraceForm>& trace_forms();

/// Those that `names` name, each once. Throws base::ConfigError for a name that there is not.
std::vector<const TraceForm*> find_trace_forms(const std::vector<std::string>& names);

/// Writes traces of a run beside its output folder while it goes on.
class TraceFiles : public platforms::TraceSink {
 public:
  /// Throws base::ConfigError when a file cannot be made.
  TraceFiles(const OutputFolder& folder, const std::vector<const TraceForm*>& forms);

  void begin(unsigned cpus) override;
  void event(const kernel::TraceEvent& event) override;
  /// After the run: completes the files and says where they are. They are gone with this object, unless moved.
  std::vector<MovedFile> finish();

 private:
  struct Output {
    const TraceForm* form;
    std::filesystem::path path;
    TraceFile file;
    std::unique_ptr<TraceWriter> writer;
  };

  ScratchFolder scratch_;
  std::vector<std::unique_ptr<Output>> outputs_;
  std::optional<RunningTasks> tasks_;
};

}  // namespace switchyard::cli
