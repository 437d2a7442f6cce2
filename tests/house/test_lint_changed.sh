#!/bin/sh
# lint_changed.sh in a tree of a few files: what it has linted after which change.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
command -v git >/dev/null || { echo "skipped: there is no git here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$(cd "$work" && pwd -P)/tree
mkdir -p "$tree/tests" "$tree/bench" "$tree/mlbf" "$tree/frontier/url" "$tree/datasets" "$tree/crawler" "$work/build"
cp "$here/lint_changed.sh" "$tree/tests"
cd "$tree"
git init -q -b main .
git_as_us() { git -c user.name=us -c user.email=us -c commit.gpgsign=false "$@"; }
echo 'int a;' >mlbf/a.h
echo '#include "mlbf/a.h"' >frontier/url/b.h
printf '#include "frontier/url/b.h"\n' >frontier/url/b.c
printf '# include "frontier/url/b.h" /* why */\n' >crawler/c.c
touch datasets/d.c .clang-tidy README
for file in frontier/url/b datasets/d crawler/c; do
  echo "build $file.o: C_COMPILER__room_Debug $tree/$file.c || order"
done >"$work/build/build.ninja"
echo "build tests/b_again.o: C_COMPILER__again_Debug $tree/frontier/url/b.c" >>"$work/build/build.ninja"
git add . && git_as_us commit -qm first

expect() # OBJECTS WHY
{
  had=$(tests/lint_changed.sh "$work/build" | sort | tr '\n' ' ')
  [ "$had" = "$1" ] || { echo "$2: had $had, wanted $1"; exit 1; }
}
everything='crawler/c.o datasets/d.o frontier/url/b.o tests/b_again.o '
expect "$everything" "nothing is known of what changed"
MOST=1 STRATA_COMMIT=7 tests/lint_changed.sh "$work/build" >"$work/some"
grep -q . "$work/some" && [ "$(wc -l <"$work/some")" -le 2 ] || { echo "more than one file, or none"; exit 1; }

export BASE=HEAD
expect '' "nothing changed"
echo 'int b;' >>mlbf/a.h
expect 'crawler/c.o frontier/url/b.o tests/b_again.o ' "a header that others include by another"
MOST=0 expect '' "no more than so many"
git checkout -q mlbf/a.h
echo 'int d;' >datasets/d.c
echo '#include "x"' >crawler/e.c
expect 'datasets/d.o ' "a file; one that is not built"
git add . && git_as_us commit -qm second
expect '' "all is committed"
BASE=HEAD~1 expect 'datasets/d.o ' "the commit before"
echo 'Checks: x' >.clang-tidy
expect "$everything" "the linter's own file"
git checkout -q .clang-tidy

unset BASE
git update-ref refs/remotes/origin/main HEAD~1
expect 'datasets/d.o ' "since the branch left origin/main"
git update-ref refs/remotes/origin/main HEAD
expect "$everything" "on main, nothing is known of half a day before"
echo 'int d, e;' >datasets/d.c
GIT_AUTHOR_DATE='@2000000000 +0000' GIT_COMMITTER_DATE='@2000000000 +0000' git_as_us commit -qam third
git update-ref refs/remotes/origin/main HEAD
expect 'datasets/d.o ' "on main, what changed since half a day before"
BASE=nowhere expect "$everything" "a base that there is not"
