#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Traces of whole runs as the tools see that people use.

Usage: check_traces.py SWITCHYARD SOURCE_FOLDER
Exit code 77: there is no perf of the version whose output is compared.

- perf prints perf-script.txt byte for byte, and adds the events up to perf-sched-latency.txt, from a perf.data file
  that is made of the events (perf_data.py).
- Each line of trace.txt fits the grammars that readers of ftrace text have, and says what perf-script.txt says.
- protoc reads trace.perfetto-trace by the numbers of its fields, and it holds the same switches.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import perf_data

PERF_VERSION = "6.1."
SKIPPED = 77
FORMS = "ftrace,perf-script,perfetto,sched-latency"
RUNS = {
    "pipe test on a desktop": (["platforms/haswell-desktop", "policies/linux-4.17-x86", "workloads/pipe-test"],
                               ["run.until.max_iterations=200", "run.until.warm_up=3"]),
    "page-out with threads on RISC-V": (
        ["platforms/visionfive2", "policies/unmap-per-page", "workloads/pageout-four-sleepers"],
        ["run.until.max_iterations=3", "run.until.warm_up=1"]),
    "48 CPUs": (["platforms/haswell-ep", "policies/linux-4.17-x86", "workloads/netperf-tcp-rr"],
                ["run.until.max_iterations=20", "run.until.warm_up=1"]),
}
# What the readers of ftrace text look for in a line, as regular expressions of the parts that they take.
FTRACE_READERS = {
    "the kernel (Documentation/trace/ftrace.rst)":
        r"^ *(?P<task>.+)-(?P<pid>\d+) +\[(?P<cpu>\d{3})\]  +(?P<time>\d+\.\d{6}): (?P<event>\w+): (?P<arguments>.*)$",
    "Perfetto (importers/systrace/systrace_line_tokenizer.cc)":
        r"^\s*(?P<task>.+?)-(?P<pid>\d+)\s+\(?\s*(?:\d+|-+)?\)?\s?\[(?P<cpu>\d+)\]\s*[a-zA-Z0-9.]{0,4}\s+"
        r"(?P<time>\d+\.\d+):\s+(?P<event>\S+):\s*(?P<arguments>.*)$",
    "TRAPpy (trappy/ftrace.py)":
        r"^\s*(?P<task>.*)-(?P<pid>\d+)(?:\s+\(.*\))?\s+\[(?P<cpu>\d+)\](?:\s+....)?\s+(?P<time>[0-9]+\.[0-9]+): "
        r"(?P<event>\w+):\s+(?P<arguments>.+)$",
}


def output_of(command):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {result.returncode}\n{result.stderr.decode()}")
    return result.stdout


def same(what, expected, got):
    if expected == got:
        return
    for number, (a, b) in enumerate(zip(expected.splitlines(), got.splitlines()), 1):
        if a != b:
            sys.exit(f"{what}: line {number} differs\n  expected: {a}\n  got:      {b}")
    sys.exit(f"{what}: {len(expected.splitlines())} lines expected, got {len(got.splitlines())}")


def check_perf(folder):
    perf_data.main(folder / "perf-script.txt", folder / "perf.data")
    same("perf script", output_of(["perf", "script", "--ns", "-f", "-i", folder / "perf.data"]).decode(),
         (folder / "perf-script.txt").read_text())
    same("perf sched latency", output_of(["perf", "sched", "-f", "-i", folder / "perf.data", "latency", "-p"]).decode(),
         (folder / "perf-sched-latency.txt").read_text())


def check_ftrace(folder):
    lines = (folder / "trace.txt").read_text().splitlines()
    events = [line for line in lines if not line.startswith("#")]
    counted = re.search(r"^# entries-in-buffer/entries-written: (\d+)/\1 +#P:\d+$", "\n".join(lines), re.M)
    if counted is None or int(counted[1]) != len(events):
        sys.exit(f"trace.txt: its header does not count {len(events)} entries")
    by_perf = list(perf_data.read(folder / "perf-script.txt"))
    if len(by_perf) != len(events):
        sys.exit(f"trace.txt has {len(events)} events, perf-script.txt {len(by_perf)}")
    for reader, pattern in FTRACE_READERS.items():
        for line, other in zip(events, by_perf):
            match = re.match(pattern, line)
            if match is None:
                sys.exit(f"{reader} does not read: {line}")
            task = "swapper" if match["task"] == "<idle>" else match["task"]
            got = (task, match["pid"], int(match["cpu"]), match["time"], match["event"], match["arguments"])
            time = f"{other['s']}.{other['ns'][:6]}"
            same(reader, str((other["comm"], other["pid"], int(other["cpu"]), time, other["event"],
                              other["arguments"])), str(got))


def check_perfetto(folder):
    with open(folder / "trace.perfetto-trace", "rb") as file:
        text = subprocess.run(["protoc", "--decode_raw"], check=True, stdin=file, stdout=subprocess.PIPE).stdout.decode()
    # Trace.packet 1 { ftrace_events 1 { cpu 1, event 2 { timestamp 1, sched_switch 4 { ... } } } }
    switches, cpu, time = [], None, None
    for line in text.splitlines():
        if (match := re.match(r"^    1: (\d+)$", line)):
            cpu = int(match[1])
        elif (match := re.match(r"^      1: (\d+)$", line)):
            time = int(match[1])
        elif line == "      4 {":
            switches.append([time, cpu])
        elif switches and (match := re.match(r"^        ([126]|5): (.*)$", line)) and len(switches[-1]) < 6:
            switches[-1].append(match[2].strip('"'))
    expected = []
    for event in perf_data.read(folder / "perf-script.txt"):
        if event["event"] == "sched_switch":
            match = perf_data.PATTERNS["sched:sched_switch"].fullmatch(event["arguments"])
            expected.append([int(event["s"]) * 10**9 + int(event["ns"]), int(event["cpu"]), match["prev_comm"],
                             match["prev_pid"], match["next_comm"], match["next_pid"]])
    same("trace.perfetto-trace", "\n".join(map(str, sorted(expected))), "\n".join(map(str, sorted(switches))))


def main(switchyard, source):
    perf = shutil.which("perf") and subprocess.run(["perf", "--version"], stdout=subprocess.PIPE).stdout.decode()
    if not perf or not perf.startswith("perf version " + PERF_VERSION):
        print(f"no perf {PERF_VERSION}x here: {perf or 'none'}")
        sys.exit(SKIPPED)
    for name, (files, sets) in RUNS.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary) / "out"
            command = [switchyard, "run", *(f"{source}/configs/{file}.yaml" for file in files)]
            for setting in sets:
                command += ["--set", setting]
            output_of(command + ["--trace", FORMS, "--out", folder])
            check_perf(folder)
            check_ftrace(folder)
            check_perfetto(folder)
            print(f"{name}: {len((folder / 'perf-script.txt').read_text().splitlines())} events")


if __name__ == "__main__":
    main(*sys.argv[1:])
