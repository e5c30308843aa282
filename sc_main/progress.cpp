// SPDX-License-Identifier: Apache-2.0
#include "sc_main/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "sc_main/format.h"

namespace switchyard::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

std::string duration_text(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 3) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, 3) + " ms";
  return fixed(seconds, 3) + " s";
}

}  // namespace

std::string progress_text(const platforms::Progress& progress, double host_s) {
  std::string text = duration_text(progress.simulated_s) + " simulated, ";
  const bool is_known = progress.wanted > 0;
  text += is_known ? fmt::format("{} of {} iterations", progress.iterations, progress.wanted)
                   : fmt::format("{} iterations", progress.iterations);
  if (host_s <= 0 || progress.iterations == 0) return text;
  const double rate = static_cast<double>(progress.iterations) / host_s;
  text += fmt::format(", {}/s", fixed(rate, 1));
  if (is_known && progress.wanted >= progress.iterations)
    text += fmt::format(", {} s left", fixed(static_cast<double>(progress.wanted - progress.iterations) / rate, 0));
  return text;
}

TerminalLine::TerminalLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void TerminalLine::show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::fputs(("\r\033[K" + text).c_str(), stderr);
  std::fflush(stderr);
}

void TerminalLine::wipe() {
  if (std::exchange(shown_, false)) std::fputs("\r\033[K", stderr);
}

platforms::ProgressSink ProgressLine::sink() {
  if (!line_.is_terminal()) return {};
  return [this](const platforms::Progress& progress) { line_.show(progress_text(progress, line_.seconds())); };
}

}  // namespace switchyard::cli
