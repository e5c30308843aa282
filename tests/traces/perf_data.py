#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the events of a perf-script.txt into a perf.data file, so that perf itself can print and add them up.

Usage: perf_data.py TEXT PERF_DATA

The text is read by the grammar of `perf script` lines, `comm pid [cpu] time: system:event: arguments`. The file is laid
out as Linux's tools/perf/Documentation/perf.data-file-format.txt and include/uapi/linux/perf_event.h say; the event
formats are those of /sys/kernel/tracing/events/*/*/format in Linux v6.1.
"""
import re
import struct
import sys

LINE = re.compile(r"^\s*(?P<comm>\S.*?)\s+(?P<pid>\d+)\s+\[(?P<cpu>\d{3,})\]\s+(?P<s>\d+)\.(?P<ns>\d{9}):\s+"
                  r"(?P<system>\w+):(?P<event>\w+): (?P<arguments>.*)$")
COMM = ("char", 16)
INT = ("int", 4)
LONG = ("long", 8)
U64 = ("u64", 8)
STATES = {"R": 0, "S": 1, "X": 16}
WAKE = ([("comm", COMM), ("pid", INT), ("prio", INT), ("target_cpu", INT)],
        '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, REC->prio, REC->target_cpu')

# name: fields, print format
EVENTS = {
    "sched:sched_switch":
        ([("prev_comm", COMM), ("prev_pid", INT), ("prev_prio", INT), ("prev_state", LONG), ("next_comm", COMM),
          ("next_pid", INT), ("next_prio", INT)],
         '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d next_prio=%d", '
         'REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? '
         '__print_flags(REC->prev_state & 0xff, "|", { 0x01, "S" }, { 0x02, "D" }, { 0x10, "X" }) : "R", '
         'REC->prev_state & 0x100 ? "+" : "", REC->next_comm, REC->next_pid, REC->next_prio'),
    "sched:sched_waking": WAKE,
    "sched:sched_wakeup": WAKE,
    "sched:sched_wakeup_new": WAKE,
    "sched:sched_migrate_task":
        ([("comm", COMM), ("pid", INT), ("prio", INT), ("orig_cpu", INT), ("dest_cpu", INT)],
         '"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d", REC->comm, REC->pid, REC->prio, REC->orig_cpu, '
         'REC->dest_cpu'),
    "sched:sched_stat_runtime":
        ([("comm", COMM), ("pid", INT), ("runtime", U64), ("vruntime", U64)],
         '"comm=%s pid=%d runtime=%Lu [ns] vruntime=%Lu [ns]", REC->comm, REC->pid, '
         '(unsigned long long)REC->runtime, (unsigned long long)REC->vruntime'),
    "sched:sched_process_fork":
        ([("parent_comm", COMM), ("parent_pid", INT), ("child_comm", COMM), ("child_pid", INT)],
         '"comm=%s pid=%d child_comm=%s child_pid=%d", REC->parent_comm, REC->parent_pid, REC->child_comm, '
         'REC->child_pid'),
    "sched:sched_process_exit":
        ([("comm", COMM), ("pid", INT), ("prio", INT)],
         '"comm=%s pid=%d prio=%d", REC->comm, REC->pid, REC->prio'),
    "ipi:ipi_raise":
        ([("mask", U64), ("reason", ("reason", 32))],
         '"target_mask=%08x,%08x (%s)", (unsigned int)(REC->mask >> 32), (unsigned int)(REC->mask & 0xffffffff), '
         'REC->reason'),
    "ipi:ipi_entry": ([("reason", ("reason", 32))], '"(%s)", REC->reason'),
    "tlb:tlb_flush":
        ([("reason", INT), ("pages", LONG)],
         '"pages:%ld reason:%s (%d)", REC->pages, __print_symbolic(REC->reason, { 0, "flush on task switch" }, '
         '{ 1, "remote shootdown" }, { 2, "local shootdown" }, { 3, "local mm shootdown" }, { 4, "remote ipi send" }), '
         'REC->reason'),
    "ipi:ipi_exit": ([("reason", ("reason", 32))], '"(%s)", REC->reason'),
}
ARGUMENTS = {
    "sched:sched_process_fork":
        r"comm=(?P<parent_comm>.*) pid=(?P<parent_pid>\d+) child_comm=(?P<child_comm>.*) child_pid=(?P<child_pid>\d+)",
    "sched:sched_stat_runtime":
        r"comm=(?P<comm>.*) pid=(?P<pid>\d+) runtime=(?P<runtime>\d+) \[ns\] vruntime=(?P<vruntime>\d+) \[ns\]",
    "ipi:ipi_raise": r"target_mask=(?P<mask>[0-9a-f]{8},[0-9a-f]{8}) \((?P<reason>.*)\)",
    "ipi:ipi_entry": r"\((?P<reason>.*)\)",
    "tlb:tlb_flush": r"pages:(?P<pages>-?\d+) reason:[a-z ]+ \((?P<reason>\d)\)",
    "ipi:ipi_exit": r"\((?P<reason>.*)\)",
}
FIRST_ID = 300
COMMON = [("unsigned short", "common_type", 2), ("unsigned char", "common_flags", 1),
          ("unsigned char", "common_preempt_count", 1), ("int", "common_pid", 4)]
COMMON_BYTES = 8
SAMPLE_TYPE = 1 << 16 | 1 << 1 | 1 << 2 | 1 << 7 | 1 << 8 | 1 << 10  # IDENTIFIER, TID, TIME, CPU, PERIOD, RAW
ATTR_BYTES = 64
HEADER_BYTES = 104


def layout(fields):
    """(name, kind, offset, size) of each field, each at a multiple of its size as in a C structure."""
    at = COMMON_BYTES
    for name, (kind, size) in fields:
        alignment = 1 if kind in ("char", "reason") else size
        at = -(-at // alignment) * alignment
        yield name, kind, at, size
        at += size


def format_text(name, number):
    fields, print_format = EVENTS[name]
    text = f"name: {name.split(':')[1]}\nID: {number}\nformat:\n"
    at = 0
    for kind, field, size in COMMON:
        text += f"\tfield:{kind} {field};\toffset:{at};\tsize:{size};\tsigned:0;\n"
        at += size
    text += "\n"
    for field, kind, offset, size in layout(fields):
        declared = f"char {field}[{size}]" if kind in ("char", "reason") else f"{kind} {field}"
        text += f"\tfield:{declared};\toffset:{offset};\tsize:{size};\tsigned:{int(kind in ('int', 'long'))};\n"
    return text + f"\nprint fmt: {print_format}\n"


def argument_pattern(name):
    if name in ARGUMENTS:
        return re.compile(ARGUMENTS[name])
    # name=value pairs in the order of the fields; sched_switch has an arrow between them
    pairs = [rf"{field}=(?P<{field}>{'.*' if kind == 'char' else '[0-9A-Z]+'})" for field, (kind, _) in EVENTS[name][0]]
    return re.compile(" (?:==> )?".join(pairs))


PATTERNS = {name: argument_pattern(name) for name in EVENTS}


def raw_data(name, number, pid, arguments):
    match = PATTERNS[name].fullmatch(arguments)
    if match is None:
        raise ValueError(f"{name}: cannot read its arguments: {arguments}")
    data = bytearray(struct.pack("<HBBi", number, 0, 0, pid))
    for field, kind, offset, size in layout(EVENTS[name][0]):
        value = match[field]
        data.extend(bytes(offset - len(data)))
        if kind in ("char", "reason"):
            data.extend(value.encode().ljust(size, b"\0"))
        elif field == "prev_state":
            data.extend(struct.pack("<q", STATES[value]))
        elif field == "mask":
            data.extend(struct.pack("<Q", int(value.replace(",", ""), 16)))
        else:
            data.extend(int(value).to_bytes(size, "little", signed=True))
    return bytes(data)


def record(kind, body):
    return struct.pack("<IHH", kind, 1 if kind == 9 else 0, 8 + len(body)) + body


def comm_record(pid, comm, identifier):
    name = comm.encode() + b"\0"
    body = struct.pack("<II", pid, pid) + name.ljust(-(-len(name) // 8) * 8, b"\0")
    return record(3, body + struct.pack("<IIQIIQ", pid, pid, 0, 0, 0, identifier))


def sample_record(identifier, pid, time_ns, cpu, raw):
    size = -(-(len(raw) + 4) // 8) * 8 - 4
    return record(9, struct.pack("<QIIQIIQI", identifier, pid, pid, time_ns, cpu, 0, 1, size) + raw.ljust(size, b"\0"))


def tracing_data(numbers):
    """The section that describes the events: magic, version, header_page, header_event, formats by system."""

    def counted(text, width="<Q"):
        return struct.pack(width, len(text)) + text

    page = b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n" \
           b"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
           b"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n" \
           b"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n"
    data = b"\x17\x08\x44tracing0.6\0" + struct.pack("<BBI", 0, 8, 4096)
    data += b"header_page\0" + counted(page) + b"header_event\0" + counted(b"")
    systems = {}
    for name, number in numbers.items():
        systems.setdefault(name.split(":")[0], []).append(format_text(name, number).encode())
    data += struct.pack("<I", 0) + struct.pack("<I", len(systems))
    for system, formats in systems.items():
        data += system.encode() + b"\0" + struct.pack("<I", len(formats)) + b"".join(counted(text) for text in formats)
    return data + struct.pack("<I", 0) + struct.pack("<I", 0) + struct.pack("<Q", 0)


def read(path):
    for line in open(path, encoding="utf-8"):
        match = LINE.match(line)
        if match is None:
            raise ValueError(f"{path}: not a line of perf script: {line!r}")
        yield match


def main(text, perf_data):
    events = list(read(text))
    numbers = {name: FIRST_ID + at for at, name in enumerate(EVENTS)}
    commands = {int(event["pid"]): event["comm"] for event in events}
    data = b"".join(comm_record(pid, comm, FIRST_ID) for pid, comm in sorted(commands.items()) if pid != 0)
    for event in events:
        name, pid = f"{event['system']}:{event['event']}", int(event["pid"])
        raw = raw_data(name, numbers[name], pid, event["arguments"])
        time_ns = int(event["s"]) * 10**9 + int(event["ns"])
        data += sample_record(numbers[name], pid, time_ns, int(event["cpu"]), raw)
    attrs_at = HEADER_BYTES
    ids_at = attrs_at + len(numbers) * (ATTR_BYTES + 16)
    data_at = ids_at + 8 * len(numbers)
    attrs, ids = b"", b""
    for number in numbers.values():
        attrs += struct.pack("<IIQQQQQIIQ", 2, ATTR_BYTES, number, 1, SAMPLE_TYPE, 0, 1 << 9 | 1 << 18, 0, 0, 0)
        attrs += struct.pack("<QQ", ids_at + len(ids), 8)
        ids += struct.pack("<Q", number)
    trace = tracing_data(numbers)
    trace_at = data_at + len(data) + 16
    header = b"PERFILE2" + struct.pack("<QQQQQQQQQQQQ", HEADER_BYTES, ATTR_BYTES + 16, attrs_at, len(attrs), data_at,
                                       len(data), 0, 0, 1 << 1, 0, 0, 0)
    with open(perf_data, "wb") as file:
        file.write(header + attrs + ids + data + struct.pack("<QQ", trace_at, len(trace)) + trace)


if __name__ == "__main__":
    main(*sys.argv[1:])
