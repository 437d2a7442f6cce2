#!/bin/sh
# Every line of README.md that begins with "$ " runs as written, in order, in one shell, in a fresh copy of this tree;
# where the README shows what it prints, it prints that. Seconds, pages/s, shares of time and kB may be other numbers:
# the first three are the machine's, and the last counts the server's page for a 404, which Python words as its version
# does. Ports are others, of as many digits, as pages name theirs. The CR at the end of CSV's lines cannot be shown.
#   test_readme_lines.sh [BUILD]      what the lines build is there, in BUILD: only their words are tried
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)
is_built=${1:+yes}

# Below those that the system gives to who asks for any: two runs seldom want the same.
ports=$(python3 -c '
import random, socket
def is_free(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) != 0
print(*[port for port in random.sample(range(2000, 10000), 20) if is_free(port)][:2])') ||
  { echo "skipped: python3 is not here"; exit 77; }
port=${ports% *} redis=${ports#* }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# README -> $work/session, a script that runs its lines, each into a file said.N, and what the README shows in shown.N
read_lines() # README
{
  rm -f "$work"/said.* "$work"/shown.* "$work/number"
  echo 'trap '\''[ -z "$!" ] || kill $! 2>/dev/null || :'\'' EXIT' >"$work/session"
  awk -v work="$work" '
    /^ *```/ { inside = !inside; line = 0; next }
    /^ *\$ / {
      if (!inside || /\\$/) { print "not in a block, or goes on in the next line: " $0; exit 1 }
      line++; number++
      printf "echo %d >%s/number\n{ %s\n} >%s/said.%d 2>&1 || exit\n", number, work, substr($0, 3), work, number \
        >>(work "/session")
      next
    }
    inside && line { print >(work "/shown." number) }
  ' "$1"
}

settled() # FILE
{
  sed -E -e 's/[0-9.]+ s\>/N s/g; s/[0-9]+ pages\/s/N pages\/s/; s/[0-9.]+ kB/N kB/' \
    -e 's/[0-9]+% (politeness|network|disk|work)/N% \1/g; s/\r$//' \
    ${is_built:+-e '/^crawl\.sh: (configur|build)ing /d'} "$1"
}

is_true() # README DIRECTORY
{
  read_lines "$1" || return 1
  (cd "$2" && sh "$work/session" </dev/null) || {
    echo "line $(cat "$work/number") of those with \$ in $1 fails:"
    cat "$work/said.$(cat "$work/number")"
    return 1
  }
  differ=
  for shown in "$work"/shown.*; do
    settled "$shown" >"$work/expected"
    settled "$work/said.${shown##*.}" | diff "$work/expected" - || differ=yes
  done
  [ -z "$differ" ] || { echo "that is what $1 shows (<), and what is printed (>)"; return 1; }
}

# A README that lies is noticed.
for lines in 'echo one|two' 'echo one; echo two|one' 'echo one; false|one' 'echo 1 page|2 pages' 'echo 1 s|1 m' \
  'echo one \|one'; do
  # shellcheck disable=SC2016 # a fence
  printf '```\n$ %s\n%s\n```\n' "${lines%|*}" "${lines#*|}" >"$work/README.md"
  ! is_true "$work/README.md" "$work" >/dev/null || { echo "passes: $lines"; exit 1; }
done
# shellcheck disable=SC2016
printf '```\n$ A="1.5 s, 3 kB"\n$ cd /; echo 7\n7\n$ pwd; echo $A\n/\n0.25 s, 900 kB\n```\n' >"$work/README.md"
is_true "$work/README.md" "$work"

# Compiled anew; or build/release is a door to BUILD, whose build of strata takes as long as the server needs to begin.
mkdir "$work/tree"
tar -C "$tree" --exclude=./build --exclude='./build-*' --exclude='./strata-*' --exclude=./.git -cf - . |
  tar -C "$work/tree" -xf -
sed -i "s/127\.0\.0\.1\([:-]\)8000/127.0.0.1\1$port/g; s/site 8000/site $port/; s/redis-server /&--port $redis /
  s,redis://127\.0\.0\.1/,redis://127.0.0.1:$redis/,g; s/redis-cli /&-p $redis /" \
  "$work/tree/README.md" "$work/tree/tests/examples/site/hills.html"
if [ -n "$is_built" ]; then
  release=$work/tree/build/release
  mkdir -p "$release"
  sed "s,^CMAKE_HOME_DIRECTORY:INTERNAL=.*,CMAKE_HOME_DIRECTORY:INTERNAL=$work/tree," "$1/CMakeCache.txt" \
    >"$release/CMakeCache.txt"
  cat >"$release/wait.py" <<END
import socket, time
for i in range(600):
    if socket.socket().connect_ex(("127.0.0.1", $port)) == 0:
        break
    time.sleep(0.1)
END
  printf '%s\n' 'rule wait' '  command = python3 wait.py' 'build strata: wait' 'build all: phony' 'default all' \
    >"$release/build.ninja"
  ln -s "$1/crawler" "$release/crawler"
  echo "include(\"$1/cmake_install.cmake\")" >"$release/cmake_install.cmake"
elif command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$work/tree" CCACHE_NOHASHDIR=1
fi
is_true "$work/tree/README.md" "$work/tree"
echo "$(cat "$work/number") lines run as written"
