#!/bin/sh
# The objects of a build that linters should look at for this commit, one a line: of the files that changed since a
# base, and of those that include these, the nearest first. All of them take twenty minutes of a core, which find
# nothing new in files that did not change; `./check.sh night` looks at all.
#   lint_changed.sh BUILD
# The base is $BASE; or where this branch left origin/main; or, on main itself, the last commit of half a day before.
# Where none of these is known, as without git or in a checkout with one commit, anything may have changed. Never
# more than MOST files, so that it is minutes at worst: of more, the changed ones come first, and those that others
# include come in an order that each commit draws anew. When the linters' own files change, it is every file.
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd -P)
MOST=${MOST:-100}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"

base() # of the change; empty if it is not known
{
  [ -z "${BASE-}" ] || { git rev-parse -q --verify "$BASE^{commit}" || :; return; }
  fork=$(git merge-base HEAD origin/main 2>/dev/null) || fork=
  [ -z "$fork" ] || [ "$fork" = "$(git rev-parse HEAD)" ] || { echo "$fork"; return; }
  git rev-list -1 --before="@$(($(git log -1 --format=%ct) - 43200))" HEAD
}

all_files()
{
  find mlbf frontier datasets crawler tests bench -name '*.[ch]'
}

base=$(base 2>/dev/null)
if [ -n "$base" ]; then
  { git diff --name-only --diff-filter=d "$base" -- && git ls-files --others --exclude-standard; } >"$work/changed"
else
  # Another order for each commit.
  all_files | grep '\.c$' | awk -v seed="${STRATA_COMMIT:-0}" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' |
    sort | cut -f 2 >"$work/changed"
fi
if [ -n "$base" ] && grep -qxE '\.clang-tidy|cmake/cppcheck-suppressions\.txt' "$work/changed"; then
  all_files >"$work/changed"
  MOST=100000
fi

# What is included stands in quotes, and begins with a room.
all_files | xargs grep -Ho '^ *# *include "[^"]*"' | sed 's/: *# *include "/\t/; s/"$//' >"$work/includes"
grep '\.[ch]$' "$work/changed" >"$work/near" || :
cp "$work/near" "$work/all"
while [ -s "$work/near" ]; do
  awk -F'\t' 'FILENAME == ARGV[1] { known[$1]; next } FILENAME == ARGV[2] { near[$1]; next }
    $2 in near && !($1 in known) { known[$1]; print $1 }' "$work/all" "$work/near" "$work/includes" >"$work/next"
  cat "$work/next" >>"$work/all"
  mv "$work/next" "$work/near"
done

# build OBJECT: C_COMPILER__TARGET_ SOURCE
awk -v root="$root/" -v most="$MOST" '
  FILENAME == ARGV[1] && $1 == "build" && $3 ~ /^C_COMPILER/ {
    object = substr($2, 1, length($2) - 1)
    objects[$4] = objects[$4] object "\n"
    next
  }
  FILENAME == ARGV[2] && (root $1) in objects && count++ < most { printf "%s", objects[root $1] }
' "$build/build.ninja" "$work/all"
