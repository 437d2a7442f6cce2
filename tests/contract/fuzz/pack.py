#!/usr/bin/env python3
"""Prints inputs of a fuzz target as text, for the file that corpus_replay.c reads and that diffs can show.

usage: pack.py INPUT... >>tests/contract/fuzz/corpus/TARGET.txt

"= NAME" begins an input, which has its file's name. Each line after it, without the space that it begins with, is a
piece of its bytes. Escapes: \\\\, \\n, \\r, \\t, \\xHH, and \\{N} before a byte, or its escape, that is there N times.
"""
import itertools
import pathlib
import sys

COLUMNS = 110
NAMED = {ord("\\"): "\\\\", ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t"}


def pieces(data):
    for byte, run in itertools.groupby(data):
        count = len(list(run))
        text = NAMED.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}")
        short = f"\\{{{count}}}{text}"
        yield from [short] if len(short) + 8 < count * len(text) else [text] * count


def lines(data):
    line = ""
    for piece in itertools.chain(pieces(data), [""]):
        line += piece
        if line and (piece in ("", "\\n") or len(line) > COLUMNS):
            yield line[:-1] + "\\x20" if line[-1] == " " else line  # no tool may take the space away
            line = ""


for path in sys.argv[1:] or sys.exit(__doc__):
    print("=", pathlib.Path(path).name)
    for line in lines(pathlib.Path(path).read_bytes()):
        print("", line)
