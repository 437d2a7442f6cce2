#!/bin/sh
# cmake/debian.sh: what is installed, by whom, and what is said, with an apt-get, sudo and id that only write down
# that they were called. The true ones have their proof on a bare system.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
faults=0

stub() # NAME LINE...
{
  name=$1
  shift
  { echo '#!/bin/sh'; printf '%s\n' "$@"; } >"$work/bin/$name"
  chmod +x "$work/bin/$name"
}

# A person who lacks a thing called $work/thing, from the package it-dev.
person() # UID
{
  rm -f "$work/bin"/* "$work/calls" "$work/thing"
  for tool in sh env mkdir grep dirname rm; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
  stub id "echo $1"
  stub apt-get "echo apt-get \"\$@\" >>$work/calls" "case \"\$*\" in *' install '*) : >$work/thing ;; esac"
}

# Run install_missing there; compare the exit code, what was said and what was called.
expect() # CODE SAID CALLED
{
  code=0
  PATH=$work/bin root=$work me=test sh -c '. "$1"; install_missing "it-dev file $root/thing"' sh \
    "$tree/cmake/debian.sh" >"$work/said" 2>&1 || code=$?
  touch "$work/calls"
  case "$code: $(cat "$work/said") called: $(cat "$work/calls")" in
    "$1: "*"$2"*" called: "*"$3"*) return ;;
  esac
  echo "expected $1, '$2', '$3'; had $code and:"
  cat "$work/said" "$work/calls"
  faults=$((faults + 1))
}

never_called() # NAME
{
  ! grep -qF "$1" "$work/calls" || { echo "$1 was called"; faults=$((faults + 1)); }
}

person 0
expect 0 'test: installing it-dev' 'install --no-install-recommends --no-remove it-dev'
rm "$work/calls"
expect 0 '' '' # again: nothing is missing now
never_called apt-get

person 0
stub apt-get "echo apt-get >>$work/calls" 'echo "E: Unable to locate package it-dev"; exit 100'
expect 1 'test: apt-get could not install it-dev (E: Unable to locate package it-dev; see build/log/apt.log)' apt-get

person 0
stub apt-get "echo apt-get >>$work/calls"
expect 1 'test: installed, but not usable: it-dev' apt-get

person 0
rm "$work/bin/apt-get"
expect 1 'test: there is no apt-get here; please install by hand: it-dev' ''

person 1000
expect 1 'test: not root and no sudo; please install as root: it-dev' ''
never_called apt-get

person 1000
stub sudo "echo sudo \"\$@\" >>$work/calls" '"$@"'
expect 0 'test: installing it-dev' 'sudo env DEBIAN_FRONTEND=noninteractive apt-get'

# Every library that CMake asks for is in a list of packages: crawl.sh's for the rooms, check.sh's for the tests.
listed() # CMAKE_FILE SCRIPT...
{
  cmake=$1
  shift
  # shellcheck disable=SC2013 # one word a line
  for module in $(sed -n 's/^pkg_check_modules(.* IMPORTED_TARGET \([^)]*\)).*/\1/p' "$cmake"); do
    grep -qE "^[a-z0-9.-]+ +module $module\$" "$@" && continue
    echo "$cmake asks for $module, no list"
    faults=$((faults + 1))
  done
}
cd "$tree"
listed cmake/packages.cmake cmake/debian.sh
for file in tests/CMakeLists.txt tests/*/CMakeLists.txt; do
  listed "$file" cmake/debian.sh check.sh
done

[ "$faults" -eq 0 ]
