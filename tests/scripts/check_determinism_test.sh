#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests check-determinism.sh on programs that are shell scripts. Usage: check_determinism_test.sh CHECK-DETERMINISM.SH
set -u
check=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# program NAME BODY: `NAME run CONFIG --out FOLDER`; the body sees $config and $out.
program() {
  printf '#!/usr/bin/env bash\nset -e\nconfig=$2 out=$4\nmkdir -p "$out"\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
}
# expect CODE TEXT BINARY BINARY: exit code, and text that the output holds.
expect() {
  local output code=0
  output=$("$check" "$work/$3" "$work/$4" "$work/input.yaml" 2>&1) || code=$?
  if [ "$code" -ne "$1" ] || [[ "$output" != *"$2"* ]]; then
    echo "check-determinism $3 $4: exit code $code, expected $1 and '$2', got:" >&2
    echo "$output" >&2
    failed=1
  fi
}

echo "seed: 1" >"$work/input.yaml"
program plain 'echo "results in $out"; cp "$config" "$out/config.yaml"; echo 1 >"$out/stats.txt"'
program other 'echo "results in $out"; cp "$config" "$out/config.yaml"; echo 2 >"$out/stats.txt"'
program chatty 'echo "other words"; cp "$config" "$out/config.yaml"; echo 1 >"$out/stats.txt"'
program more 'echo "results in $out"; cp "$config" "$out/config.yaml"; echo 1 >"$out/stats.txt"; echo 1 >"$out/extra"'
program grows 'echo "results in $out"; (cat "$config"; echo "# again") >"$out/config.yaml"'
program silent ':'
program broken 'echo "no such thing" >&2; exit 2'

expect 0 "same output files: 1 configurations" plain plain
expect 1 "different: " plain other
expect 1 "different: " plain chatty
expect 1 "Only in " plain more
expect 1 "and its resolved configuration" grows grows
expect 2 "wrote no files" silent silent
expect 2 "no such thing" broken plain
expect 2 "no program at " plain missing
exit "$failed"
