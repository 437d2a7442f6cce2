#!/bin/sh
# A version script for the linker: a shared library shows the functions of its public headers, each with the version
# NODE, and nothing else.
#   version_script.sh OUTPUT NODE HEADER...
set -eu
output=$1
node=$2
shift 2
names=$("$(dirname "$0")/public_names.sh" "$@")
{
  echo "$node {"
  echo '  global:'
  echo "$names" | sed 's/.*/    &;/'
  echo '  local: *;'
  echo '};'
} >"$output"
