#!/usr/bin/env python3
"""Writes crawler/html/entities_table.h, the named character references of the HTML standard:

    python3 crawler/html/entities_table.py > crawler/html/entities_table.h

Python's html.entities.html5 is the standard's own table (entities.json). Every name exists with a
semicolon; a hundred old ones also without, and those carry '&' as their mark instead of ';'.
A row is NAME MARK UTF-8, rows sorted by name; entity_begin[i] is where row i starts."""
from html.entities import html5

def quoted(name, mark, text):
    return '"%s%s%s"' % (name, mark, "".join("\\%03o" % byte for byte in text.encode()))

names = sorted(name[:-1] for name in html5 if name.endswith(";"))
assert all(name.rstrip(";") + ";" in html5 for name in html5)

rows, begins, at = [], [0], 0
for name in names:
    mark = "&" if name in html5 else ";"
    rows.append(quoted(name, mark, html5[name + ";"]))
    at += len(name) + 1 + len(html5[name + ";"].encode())
    begins.append(at)

def wrapped(items, separator):
    line = ""
    for item in items:
        if len(line) + len(item) + len(separator) > 116:
            yield "  " + line.rstrip()
            line = ""
        line += item + separator
    yield "  " + line.rstrip()

print("/* Made by entities_table.py; change that, not this. */\n/* clang-format off */")
print("enum { ENTITY_COUNT = %d };\n" % len(names))
print("static const char entity_rows[] =")
print("\n".join(wrapped(rows, " ")) + ";\n")
print("static const unsigned short entity_begin[ENTITY_COUNT + 1] = {")
print("\n".join(wrapped(["%d" % b for b in begins], ", ")))
print("};")
