#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs configuration files with two builds of the program and compares every output file byte for byte.
# Usage: check-determinism.sh BINARY BINARY CONFIG...
# A third run per file starts from the resolved configuration that the first one wrote. Exit code 0: all the same;
# 1: they differ; 2: something could not run.
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: $0 BINARY BINARY CONFIG..." >&2
  exit 2
fi
first=$1
second=$2
shift 2
for binary in "$first" "$second"; do
  if [ ! -x "$binary" ]; then
    echo "check-determinism: no program at $binary" >&2
    exit 2
  fi
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SC_COPYRIGHT_MESSAGE=DISABLE

# run BINARY CONFIG FOLDER: what it prints is compared too, without the name of the output folder.
run() {
  mkdir -p "$3"
  if ! "$1" run "$2" --out "$3/out" >"$3/stdout.raw" 2>"$3/stderr"; then
    echo "check-determinism: $1 run $2 failed:" >&2
    cat "$3/stderr" >&2
    exit 2
  fi
  sed "s|$3/out|OUT|g" "$3/stdout.raw" >"$3/stdout"
  rm "$3/stdout.raw" "$3/stderr"
  if [ -z "$(ls -A "$3/out" 2>/dev/null)" ]; then
    echo "check-determinism: $1 run $2 wrote no files" >&2
    exit 2
  fi
}

differ=0
compare() { # FOLDER FOLDER TEXT
  if ! diff -r "$1" "$2" >"$work/diff"; then
    echo "different: $3"
    head -n 40 "$work/diff"
    differ=1
  fi
}

number=0
for config in "$@"; do
  number=$((number + 1))
  here="$work/$number"
  run "$first" "$config" "$here/first"
  run "$second" "$config" "$here/second"
  compare "$here/first" "$here/second" "$config by $first and $second"
  if [ -f "$here/first/out/config.yaml" ]; then
    run "$second" "$here/first/out/config.yaml" "$here/resolved"
    # What a run says about its input names the file, so only the files count here.
    compare "$here/first/out" "$here/resolved/out" "$config and its resolved configuration"
  fi
done
if [ "$differ" -eq 0 ]; then
  echo "same output files: $number configurations"
fi
exit "$differ"
