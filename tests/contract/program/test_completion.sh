#!/bin/sh
# Completion in bash, zsh and fish: each offers every command and every option that --help has, and the words of a
# choice; asked as a person asks, by the tab key (fish: by its own question for it). A shell that is not here is
# skipped, and that is said.
#   test_completion.sh STRATA DIRECTORY      DIRECTORY has the three files
set -eu
strata=$1
files=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
faults=0

fault() # SENTENCE
{
  echo "$*"
  faults=$((faults + 1))
}

commands=$("$strata" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' | sort)
options_of() # COMMAND
{
  { "$strata" "$1" --help --all |
      sed -n 's/^  *\(--[a-z].*\)/\1/p' | sed 's/   *.*//' | grep -oE -e '--[a-z][a-z-]*' || :
    echo --help; } | sort -u
}

# What each shell offers for a line whose last word is to be completed, one a line.
cat >"$work/ask.bash" <<'END'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
compopt() { :; }
_strata
printf '%s\n' "${COMPREPLY[@]}"
END
ask_bash()
{
  bash "$work/ask.bash" "$files/strata" "$@"
}

ask_fish()
{
  HOME=$work XDG_DATA_HOME=$work fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' \
    "$files/strata.fish" "$*" | cut -f 1
}

for shell in bash fish; do
  command -v "$shell" >/dev/null || { echo "skipped: there is no $shell here"; continue; }
  "ask_$shell" strata "" | grep -x '[a-z].*' | grep -vx help | sort >"$work/offered"
  [ "$(cat "$work/offered")" = "$commands" ] || fault "$shell does not offer the commands of strata help"
  for command in $commands; do
    "ask_$shell" strata "$command" -- | grep -e '^--' | sort -u >"$work/offered"
    options_of "$command" >"$work/wanted"
    diff "$work/wanted" "$work/offered" || fault "$shell: strata $command"
  done
  [ "$("ask_$shell" strata crawl --scope "" | sort | tr '\n' ' ')" = "any domain host prefix " ] ||
    fault "$shell does not offer the choices of --scope"
done

# By the tab key.
expect() # SHELL LINE WORDS
{
  command -v "$1" >/dev/null || { echo "skipped: there is no $1 here"; return 0; }
  (cd "$work" && HOME=$work python3 "$here/complete.py" "$1" "$2" "$files") >"$work/terminal" 2>&1 || :
  grep -qF "$3end" "$work/terminal" || fault "$1: \"$2\" became: $(tail -n 3 "$work/terminal")"
}
touch "$work/some-cookies.txt"
for shell in bash zsh; do
  expect $shell 'strata genera' 'w<generate-urls>'
  expect $shell 'strata help exp' 'w<help>w<export>'
  expect $shell 'strata crawl --sco' 'w<crawl>w<--scope>'
  expect $shell 'strata crawl --scope pre' 'w<crawl>w<--scope>w<prefix>'
  expect $shell 'strata crawl --cookies some' 'w<crawl>w<--cookies>w<some-cookies.txt>'
  expect $shell 'strata export --format=js' 'w<export>w<--format=jsonl>'
  expect $shell 'strata stat so' 'w<stat>w<some-cookies.txt>'
done
[ "$faults" -eq 0 ]
