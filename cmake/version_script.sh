#!/bin/sh
# A version script for the linker: a shared library shows the functions of its public headers and nothing else.
#   version_script.sh OUTPUT HEADER...
set -eu
output=$1
shift
names=$("$(dirname "$0")/public_names.sh" "$@")
{
  echo '{'
  echo '  global:'
  echo "$names" | sed 's/.*/    &;/'
  echo '  local: *;'
  echo '};'
} >"$output"
