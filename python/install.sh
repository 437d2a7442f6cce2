#!/bin/sh
# The wheel of BUILD into PREFIX, where Debian's Python finds packages; stripped by STRIP.
#   install.sh PYTHON BUILD PREFIX [STRIP]
set -eu
strip=${4-}
set -- "$1" "$(echo "$2"/dist/*.whl)" "$3/lib/python3/dist-packages"
mkdir -p "$3"
"$1" -m zipfile -e "$2" "$3"
[ -z "$strip" ] || "$strip" --strip-unneeded --remove-section=.comment "$3"/strata_frontier/_strata*.so
