#!/bin/sh
# The proof, from a bare Debian: install what is missing, build, test. Run again, it only tests.
#   ./check.sh             quick: a verdict in minutes, from all tests that are not slow
#   ./check.sh all         gcc, asan, tsan, and lint of what changed beside them: what has to pass to land
#   ./check.sh night       the same with every test, call and file, and analyze, fuzz, swarm, mutants, packages, arm64;
#                          if no file has changed since it failed, it goes on there
#   ./check.sh asan        that stage, or several: quick, gcc, lint, asan, tsan, analyze, fuzz, swarm, mutants,
#                          packages, arm64
# tests/stages.cmake says which tests a stage leaves out.
set -eu
me=check.sh
root=$(cd "$(dirname "$0")" && pwd -P)
. "$root/cmake/debian.sh"

TEST_NEEDS='
abigail-tools         command abidiff
g++                   command c++
clang                 command clang
clang-format          command clang-format
clang-tidy            command clang-tidy
ccache                command ccache
cppcheck              command cppcheck
dpkg-dev              command dpkg-shlibdeps
file                  command file
fish                  command fish
mandoc                command mandoc
gnuplot-nox           command gnuplot
iproute2              command ip
time                  file /usr/bin/time
wget2                 command wget2
libbloom-dev          file /usr/include/bloom.h
libcmocka-dev         module cmocka
libgumbo-dev          module gumbo
libnghttp2-dev        module libnghttp2
lintian               command lintian
mmdebstrap            command mmdebstrap
libxml2-dev           module libxml-2.0
qemu-user             command qemu-x86_64
python3               command python3
redis-server          command redis-server
python3-cffi          file /usr/lib/python3/dist-packages/cffi
python3-build         file /usr/lib/python3/dist-packages/build
python3-setuptools    file /usr/lib/python3/dist-packages/setuptools
python3-wheel         file /usr/lib/python3/dist-packages/wheel
python3-pytest        file /usr/lib/python3/dist-packages/pytest
python3-scrapy        file /usr/lib/python3/dist-packages/scrapy
mypy                  command mypy
zsh                   command zsh
'
jobs=$(nproc)

# Seconds that all processes that have ended took of the cores, in $cpu. Wall time says as much of a machine's other
# work as of ours.
cpu_so_far()
{
  times >"$root/build/log/times" # user and system: of this shell, then of what it waited for
  cpu=$(tr -s 'ms \n' ' ' <"$root/build/log/times" | awk '{ for (i = 1; i < NF; i += 2) s += 60 * $i + $(i + 1) }
    END { printf "%d", s }')
}

# Where tests keep files: in memory, if it has room and programs can be run there (in a container it may have 64 MB and
# not). A third of the time of ctest went by in syncs of a disk; the tests that need one have a TMPDIR of their own.
find_scratch()
{
  scratch=${TMPDIR:-/tmp}
  [ "$(df -Pk /dev/shm 2>/dev/null | awk 'END { print int($4) }')" -lt 4000000 ] || scratch=/dev/shm
  scratch=$(mktemp -d "$scratch/strata-XXXXXX")
  printf '#!/bin/sh\n' >"$scratch/program"
  chmod +x "$scratch/program"
  "$scratch/program" 2>/dev/null || {
    rm -r "$scratch"
    scratch=$(mktemp -d)
  }
  chmod 755 "$scratch" # a test looks at it as somebody else
}

# Passes in silence; a failure shows the output of what failed. A case that is skipped and does not say why fails too.
# More tests than cores, as most of them wait for something.
run_tests() # PRESET [OPTION OF CTEST]...
{
  preset=$1
  log=$root/build/log/$preset-tests.log
  tree=$root/build/$preset
  shift
  find_scratch
  if ! (cd "$tree" && TMPDIR=$scratch $unrandomized ctest --output-on-failure -j $((jobs + 2)) "$@") >"$log" 2>&1; then
    grep -Ev '^ *Start +[0-9]+:|  Passed  ' "$log" >&2
    fail "tests failed in build/$preset (all of their output: build/log/$preset-tests.log)"
  fi
  rm -rf "$scratch"
  log=$root/build/log/$preset-skipped.log
  awk -f "$root/tests/skipped.awk" "$tree/Testing/Temporary/LastTest.log" >"$log" ||
    fail_with_log "a skipped case in build/$preset does not say why"
}

# Tests without these labels; in the night all of them.
run_tests_without() # LABELS PRESET [OPTION OF CTEST]...
{
  labels=$1
  shift
  [ -z "$is_night" ] || labels=none
  run_tests "$@" -LE "^($labels)\$"
}

stage_quick() # gcc, warnings are errors; every test that is not slow
{
  build check all
  run_tests_without 'slow|asan|night' check
}

stage_gcc() # gcc, warnings are errors; what the sanitized run does not prove as well
{
  install_missing 'chromium command chromium'
  build check all
  run_tests_without 'asan|night' check -E '^packages$'
}

check_format()
{
  log=$root/build/log/format.log
  (cd "$root" && find mlbf frontier datasets crawler tests bench -name '*.[ch]' -print0 |
    xargs -0 clang-format -n -Werror) >"$log" 2>&1 || fail_with_log "clang-format -i would change files"
}

# Beside the tests of other stages, which leave a part of the cores idle. Objects alone: ninja would first build the
# programs that they wait for.
begin_lint()
{
  check_format
  configure lint
  objects=$root/build/log/lint-objects.log
  "$root/tests/lint_changed.sh" "$root/build/lint" >"$objects"
  (cd "$root/build/lint" && xargs -r dirname <"$objects" | sort -u | xargs -r mkdir -p &&
    xargs -r ninja -t commands -s <"$objects" | nice -n 19 xargs -r -d '\n' -n 1 -P "$jobs" sh -c) \
    >"$root/build/log/lint.log" 2>&1 &
  linter=$!
}

stage_lint() # clang-format; clang, clang-tidy and cppcheck on what changed (tests/lint_changed.sh); findings are errors
{
  [ -n "$linter" ] || begin_lint
  log=$root/build/log/lint.log
  wait "$linter" || fail_with_log "build/lint does not build"
  linter=
}

stage_analyze() # the same on every file, with eleven times as many states of each function for the static analyzer
{
  check_format
  build analyze all
}

stage_asan() # address and undefined-behaviour sanitizers; every test that they can judge
{
  [ -z "$builder" ] || wait "$builder" || : # build says why
  builder=
  build asan all
  run_tests_without 'gcc|night' asan
}

stage_tsan() # thread sanitizer; the tests in which threads meet
{
  build tsan contract_threads inside_threads
  # gcc 12's thread sanitizer finds no room for its shadow where a newer kernel randomizes more address bits.
  ! setarch -R true 2>/dev/null || unrandomized='setarch -R'
  run_tests tsan -L threads
  unrandomized=
}

stage_fuzz() # every fuzz target for FUZZ_SECONDS (60), from its corpus; what it finds is kept in build/fuzz/tests
{
  install_missing 'libclang-rt-14-dev file /usr/lib/llvm-14/lib/clang/14.0.6/lib/linux'
  build fuzz all
  for corpus in "$root"/tests/contract/fuzz/corpus/*.txt; do
    target=$(basename "$corpus" .txt)
    log=$root/build/log/fuzz-$target.log
    case $target in
    response | visit) dictionary=-dict=$root/tests/contract/fuzz/http.dict ;;
    *) dictionary= ;;
    esac
    mkdir -p "$root/build/fuzz/tests/$target" "$root/build/fuzz/tests/corpus/$target"
    (cd "$root/build/fuzz/tests" && "./replay_$target" "$corpus" "corpus/$target" &&
      "./fuzz_$target" -max_total_time="${FUZZ_SECONDS:-60}" ${dictionary:+"$dictionary"} \
        "$target" "corpus/$target") >"$log" 2>&1 ||
      fail_with_log "fuzz_$target found something"
  done
}

stage_swarm() # a thousand crawls in virtual time, 100 of them under the address sanitizer; some minutes
{
  build check swarm_usual swarm_tiny
  build asan swarm_usual
  log=$root/build/log/swarm.log
  n=$((1000 * STRATA_COMMIT))
  for run in "check/tests/swarm_usual --seeds $((n + 1))-$((n + 600))" \
    "check/tests/swarm_tiny --seeds $((n + 601))-$((n + 900))" \
    "asan/tests/swarm_usual --seeds $((n + 901))-$((n + 1000))"; do
    # shellcheck disable=SC2086 # words of a command
    "$root"/build/$run --jobs "$jobs" --brief >"$log" 2>&1 || fail_with_log "the swarm found something"
    say "$(tail -n 1 "$log")"
  done
}

stage_mutants() # bugs planted one at a time in a copy in build/mutants: a contract test must find each; half an hour
{
  "$root/tests/mutants/mutants.py" "$root/build/mutants" || fail "planted bugs are not found (log: build/mutants/log)"
}

stage_packages() # Debian packages in a bare system, and the container; some minutes of mmdebstrap and of building anew
{
  build check all
  run_tests check -R '^packages$'
}

stage_arm64() # both libraries for arm64, in a system of its own in build/arm64; their tests by qemu
{
  "$root/tests/install/arm64.sh" "$root/build/arm64" || fail "arm64 fails"
}

stage_night() # each stage in a process of its own, so that one that passed need not run again
{
  commit=$(git -C "$root" rev-parse -q --verify HEAD 2>/dev/null) && [ -z "$(git -C "$root" status --porcelain)" ] ||
    commit=
  for part in gcc asan tsan analyze fuzz swarm packages arm64 mutants; do
    command -v "stage_$part" >/dev/null || continue
    stamp=$root/build/night-$part
    if [ -n "$commit" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$commit" ]; then
      say "$part passed before, for this commit"
      continue
    fi
    STRATA_NIGHT=yes "$root/check.sh" "$part"
    [ -z "$commit" ] || echo "$commit" >"$stamp"
  done
}

[ $# -gt 0 ] || set -- quick
[ "$*" != all ] || set -- gcc asan tsan lint
for stage; do
  command -v "stage_$stage" >/dev/null ||
    {
      say "no stage $stage; quick, gcc, lint, asan, tsan, analyze, fuzz, swarm, mutants, packages, arm64, night, or" \
        "all alone, please"
      exit 2
    }
done

install_missing "$BUILD_NEEDS$TEST_NEEDS"
# Compiled once for all builds, and from commit to commit: the cache is outside of build/.
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
# Chooses seeds, and which of many calls fail: others for each commit, and the same when it is run again. Without git it
# is the day that chooses.
commit=$(git -C "$root" rev-parse -q --verify HEAD 2>/dev/null | cut -c 1-6)
STRATA_COMMIT=$((0x${commit:-$(printf %x $(($(date +%s) / 86400)))}))
export STRATA_COMMIT
is_night=${STRATA_NIGHT-}
unrandomized=   # what to run ctest under
scratch=        # where tests are at work
linter=         # its process, while it runs
builder=        # that of build/asan
trap 'rm -rf ${scratch:+"$scratch"}; kill $linter $builder 2>/dev/null || :' EXIT
trap 'exit 130' INT TERM
rm -f "$root"/build/log/*-tests.log "$root"/build/log/*-skipped.log
began=$(date +%s)
case " $* " in
  *' lint '*) begin_lint ;;
esac
case " $* " in
  *' gcc asan '*)
    configure asan
    nice -n 19 ninja -C "$root/build/asan" -j "$jobs" all >"$root/build/log/asan.log" 2>&1 &
    builder=$!
    ;;
esac
for stage; do
  stage_began=$(date +%s)
  cpu_so_far
  cpu_began=$cpu
  result=passed
  "stage_$stage"
  cpu_so_far
  say "$stage $result in $(($(date +%s) - stage_began)) s, CPU $((cpu - cpu_began)) s"
done
say "no failure in $*; $(($(date +%s) - began)) s in all, CPU $cpu s"
[ "$*" != quick ] || say "left out: $(ctest --test-dir "$root/build/check" -N -L '^(slow|asan|night)$' |
  sed -n 's/^Total Tests: //p') tests, lint, asan and tsan; ./check.sh all and night run them"
for preset in check asan tsan; do
  log=$root/build/log/$preset-skipped.log
  [ ! -e "$log" ] || { printf '%s: ' "$preset"; cat "$log"; }
done
[ ! -e "$root/build/log/check-tests.log" ] || sed -n '/tests passed/,$p' "$root/build/log/check-tests.log"
