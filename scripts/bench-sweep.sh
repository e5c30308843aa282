#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures what a sweep costs beside its simulations: RUNS runs of a small machine with one worker and with two.
# Usage: scripts/bench-sweep.sh [PROGRAM [RUNS]]
set -euo pipefail

program=$(realpath "${1:-build/release/switchyard}")
runs=${2:-1000}
root=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/sweep.yaml" <<YAML
schema: 1
sweep: bench
base:
  files: [$(realpath --relative-to="$work" "$root/configs/platforms/hifive-unmatched.yaml"), $(realpath --relative-to="$work" "$root/configs/workloads/pageout-alone.yaml")]
  set: [run.until.max_iterations=20]
axes: {latency: {parameter: modules.ram.params.latency, from: 100 ns, to: $((99 + runs)) ns, step: 1 ns}}
measure: [real, sys]
YAML

# seconds WORKERS: host seconds of the whole command.
seconds() {
  local start end
  start=$(date +%s.%N)
  "$program" sweep "$work/sweep.yaml" -j "$1" --out "$work/$1" >/dev/null
  end=$(date +%s.%N)
  awk -v a="$start" -v b="$end" 'BEGIN { print b - a }'
}
dump() { "$program" results "$work/$1" --csv --runs; }

one=$(seconds 1)
two=$(seconds 2)
[ "$(dump 1)" = "$(dump 2)" ] || { echo "bench-sweep: the tables differ" >&2; exit 1; }
simulated=$(sed 's/.*"simulate_seconds":\([0-9.e-]*\).*/\1/' "$work/1/attempts.jsonl" | awk '{ sum += $1 } END { print sum }')
awk -v one="$one" -v two="$two" -v sim="$simulated" -v runs="$runs" 'BEGIN {
  printf "%d runs: %.1f s with one worker, %.1f s with two\n", runs, one, two
  printf "parallel efficiency %.1f %%\n", 100 * one / (2 * two)
  printf "simulation %.1f ms a run, everything else %.1f ms a run\n", 1000 * sim / runs, 1000 * (one - sim) / runs
}'
