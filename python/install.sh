#!/bin/sh
# The wheel of BUILD into PREFIX, where Debian's Python finds packages.
#   install.sh PYTHON BUILD PREFIX
set -eu
set -- "$1" "$(echo "$2"/dist/*.whl)" "$3/lib/python3/dist-packages"
[ -e "$2" ] || { echo "first build the target python-wheel"; exit 1; }
mkdir -p "$3"
"$1" -m zipfile -e "$2" "$3"
