#!/bin/sh
# The sdist, and from it the wheel, in BUILD/dist; from BUILD/unpacked it can be imported.
#   wheel.sh PYTHON BUILD COMPILER
set -eu
python=$1
build=$2
CC=$3
export CC
here=$(cd "$(dirname "$0")" && pwd)
missing=
for package in cffi setuptools wheel build; do
  "$python" -c "import $package" 2>/dev/null || missing="$missing python3-$package"
done
[ -z "$missing" ] || { echo "skipped: no wheel without$missing"; exit 77; }

if launcher=$(command -v ccache); then
  CMAKE_C_COMPILER_LAUNCHER=$launcher
  CCACHE_BASEDIR=${TMPDIR:-/tmp}
  CCACHE_NOHASHDIR=1
  export CMAKE_C_COMPILER_LAUNCHER CCACHE_BASEDIR CCACHE_NOHASHDIR
fi
rm -rf "$build/dist" "$build/unpacked" "$build/source"
mkdir -p "$build/source"
cp -r "$here/pyproject.toml" "$here/setup.py" "$here/MANIFEST.in" "$here/README.md" "$here/strata_frontier" \
  "$here/tests" "$build/source" # setuptools writes beside its sources
ln -s "$here/.." "$build/source/csrc"
"$python" -m build --no-isolation --outdir "$build/dist" "$build/source" >"$build/wheel.log" 2>&1 ||
  { tail -40 "$build/wheel.log"; exit 1; }
"$python" -m zipfile -e "$build"/dist/*.whl "$build/unpacked"
