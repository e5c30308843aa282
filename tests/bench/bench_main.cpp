// SPDX-License-Identifier: Apache-2.0
// Prints the figures of docs/performance.md. Each measurement is a process of its own; the best of three counts, since
// the host's other work only ever adds.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <systemc>

#include "bench/measure.h"

namespace switchyard::bench {

double user_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

std::uint64_t peak_bytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

namespace {

struct Report {
  Result result;
  std::uint64_t peak;
};

Report once(const std::function<Result()>& measurement) {
  int ends[2];
  if (pipe(ends) != 0) std::perror("pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    Report report{};
    try {
      report = {measurement(), peak_bytes()};
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
    const bool sent = write(ends[1], &report, sizeof report) == sizeof report;
    _exit(sent ? 0 : 1);
  }
  Report report{};
  close(ends[1]);
  if (read(ends[0], &report, sizeof report) != sizeof report) std::fprintf(stderr, "a measurement failed\n");
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return report;
}

Report best(const std::function<Result()>& measurement, int repeats) {
  Report result = once(measurement);
  for (int i = 1; i < repeats; ++i) {
    const Report next = once(measurement);
    if (next.result.seconds < result.result.seconds) result = next;
  }
  return result;
}

const char* mix_name(Mix mix) {
  return mix == Mix::private_lines ? "private" : mix == Mix::shared ? "shared" : "ping-pong";
}

void mixes(std::uint64_t n, int repeats) {
  std::printf("%-10s %5s %14s %14s %14s %10s %12s\n", "mix", "CPUs", "machine M/s", "ceiling M/s", "wait M/s",
              "/ceiling", "/wait");
  for (const Mix mix : {Mix::private_lines, Mix::shared, Mix::ping_pong})
    for (const unsigned cpus : {1u, 4u, 16u, 64u, 256u}) {
      const std::uint64_t work = mix == Mix::private_lines ? 4 * n : n;
      const double mine = best([=] { return machine(mix, cpus, work); }, repeats).result.millions_per_second();
      const double wait = best([=] { return staggered_wait(cpus, n); }, repeats).result.millions_per_second();
      const double top =
          cpus <= 16 ? best([=] { return ceiling(mix, cpus, 4 * n); }, repeats).result.millions_per_second() : 0;
      std::printf("%-10s %5u %14.2f %14.2f %14.2f %10.3f %12.3f\n", mix_name(mix), cpus, mine, top, wait,
                  top > 0 ? mine / top : 0, mine / wait);
    }
}

void others(std::uint64_t n, int repeats) {
  const double wait = best([=] { return staggered_wait(2, n); }, repeats).result.nanoseconds();
  const double one = best([=] { return context_switch(n / 4); }, repeats).result.nanoseconds();
  std::printf("context switch %.1f ns, %.2f of a staggered wait\n", one, one / wait);
  const Report small = best([] { return idle_machine(1); }, repeats);
  const Report large = best([] { return idle_machine(256); }, repeats);
  std::printf(
      "256 idle CPUs: elaborated in %.3f s, peak %.1f MB (1 CPU: %.1f MB), %.0f activations in a simulated second\n",
      large.result.seconds, static_cast<double>(large.peak) / 1e6, static_cast<double>(small.peak) / 1e6,
      large.result.checksum);
}

}  // namespace

}  // namespace switchyard::bench

int sc_main(int argc, char* argv[]) {
  const bool smoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
  switchyard::bench::mixes(smoke ? 20'000 : 4'000'000, smoke ? 1 : 3);
  switchyard::bench::others(smoke ? 20'000 : 4'000'000, smoke ? 1 : 3);
  return 0;
}
