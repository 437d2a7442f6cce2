#!/bin/sh
# The swarm, a little of it, for every day.
#   test_swarm.sh seeds PROGRAM            seeds of this commit hold, and webs such as those in which a fault was found
#   test_swarm.sh long PROGRAM             ... that with 20,000 requests
#   test_swarm.sh same PROGRAM             the same seeds give the same traces, line by line
#   test_swarm.sh plants PROGRAM           each planted bug is found within 100 seeds
#   test_swarm.sh known PROGRAM FILE       what is known to fail still does; says so when it does not any more
set -eu
what=$1
swarm=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What once went wrong, as a kind of web: its name, its words, the requests that are enough for it, the fault.
scenarios()
{
  cat <<'END'
silent-robots hosts=20,pages=5,silent=0.5,heavy=0.2            5000 a robots.txt that does not come, asked for ever
shared-robots hosts=10,pages=20,slowrobots=0.5,strayrobots=0.5  5000 pages that waited for one, all asked at once
broken-robots hosts=30,pages=10,brokenrobots=0.4               5000 a 500, asked for again for each URL
soft-404      hosts=12,pages=10,lost=0.3                      20000 a crawl of such a host never ended
retry-after   hosts=10,pages=10,resting=0.8,rest=61           10000 cut short by a clock that was set, or a poll
END
}

check_seeds()
{
  # Others for each commit (check.sh), so that a week sees hundreds; a fault says its seed.
  first=$((1000 + 8 * ${STRATA_COMMIT:-0}))
  "$swarm" --seeds $first-$((first + 7)) --jobs 2
  check_scenarios 10000
}

check_scenarios() # REQUESTS AT MOST
{
  scenarios | while read -r name web most fault; do
    [ "$most" -le "$1" ] || continue
    "$swarm" --seeds 1-3 --web "$web" --most "$most" --brief >"$work/said" ||
      { echo "$name ($fault):"; cat "$work/said"; exit 1; }
  done
}

check_long()
{
  check_scenarios 20000
}

check_same()
{
  "$swarm" --seeds 101-112 | grep ' trace ' >"$work/once"
  "$swarm" --seeds 101-112 | grep ' trace ' >"$work/twice"
  [ "$(wc -l <"$work/once")" -eq 12 ] || { echo "there should be 12 traces"; exit 1; }
  cmp "$work/once" "$work/twice"
  [ "$(cut -d, -f4 "$work/once" | sort -u | wc -l)" -eq 12 ] || { echo "traces of other seeds are the same"; exit 1; }
}

check_plants()
{
  for bug in lost-link page-twice host-too-early host-starves end-too-soon lost-commit; do
    if "$swarm" --seeds 1-100 --brief --plant "$bug" >"$work/said"; then
      echo "$bug: not found"
      exit 1
    fi
    echo "$bug: $(head -n 1 "$work/said")"
  done
}

# seed, more words for its web (or -), requests that are enough, issue, what
check_known()
{
  turned=0
  while read -r seed words most issue story; do
    case $seed in '' | \#*) continue ;; esac
    [ "$words" != - ] || words=
    if "$swarm" --seeds "$seed" --web "$words" --most "$most" --brief >"$work/said"; then
      echo "turned green: seed $seed with '$words' (issue $issue: $story); take it out of the file"
      turned=1
    else
      echo "still: issue $issue: $story: $(head -n 1 "$work/said")"
    fi
  done <"$1"
  [ "$turned" -eq 0 ]
}

case $what in
seeds) check_seeds ;;
long) check_long ;;
same) check_same ;;
plants) check_plants ;;
known) check_known "$3" ;;
*) exit 2 ;;
esac
