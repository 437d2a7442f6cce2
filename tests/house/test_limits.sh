#!/bin/sh
# Every limit that has a tiny size is tiny in frontier_tiny: each file of frontier/ that sets one, or names one of a
# header, is built into it (tests/support/support.cmake), and a file that is left out is noticed.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
sources=$(tr '\n' ' ' <"$tree/tests/support/support.cmake" |
  sed 's/.*foreach(source \([^)]*\)) *target_sources(frontier_tiny .*/\1/')

# The files that have a limit, each on a line.
limited()
{
  cd "$tree/frontier"
  grep -rl 'FRONTIER_LIMIT(' --include='*.c' .
  grep -rhoE '[A-Z_]+ = FRONTIER_LIMIT\(' --include='*.h' . | sed 's/ = .*//' | while read -r limit; do
    grep -rlw "$limit" --include='*.c' .
  done
}

left_out() # SOURCES
{
  limited | sort -u | while read -r file; do
    file=${file#./}
    case " $1 " in
      *" ${file%.c} "*) ;;
      *) echo "$file" ;;
    esac
  done
}

found=$(left_out "$sources")
[ -z "$found" ] || { echo "not built with tiny limits:"; echo "$found"; exit 1; }
for file in core/workbench core/open_batch; do
  found=$(left_out "$(echo "$sources" | sed "s:$file::")")
  [ "$found" = "$file.c" ] || { echo "without $file this is left out: $found"; exit 1; }
done
