#!/bin/sh
# The functions that headers declare, one a line, sorted: all that a library shows to strangers.
#   public_names.sh HEADER...
set -eu
# Without comments, a declaration is a line that begins with a type and goes on to a name and a parenthesis.
awk '
  {
    line = $0
    while (match(line, /\/\*/) || inside) {
      if (!inside) { kept = substr(line, 1, RSTART - 1); line = substr(line, RSTART + 2); inside = 1 } else kept = ""
      if (!match(line, /\*\//)) { line = kept; next_inside = 1; break }
      line = kept " " substr(line, RSTART + 2); inside = 0
    }
    if (line ~ /^[a-z]/ && line !~ /^typedef/ && match(line, /[a-z_0-9]+\(/))
      print substr(line, RSTART, RLENGTH - 1)
  }' "$@" | grep -v '^__attribute__$' | sort -u
