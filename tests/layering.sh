#!/bin/sh
# Who may include what. Prints every include that breaks a rule; exit 1 if there is one.
#   tests/layering.sh [TREE]           TREE: the checkout (default: this one)
#   tests/layering.sh --graph [TREE]   the sub-rooms and what each includes, for dot(1)
#
#     mlbf <- frontier <- datasets <- crawler        tests and benches may include all of them, but contract tests only
#                                                    what is installed
#
# 1. "room/header.h" or "room/sub/header.h" and nothing else between quotes: no "..", no bare name, and it exists.
# 2. A sub-room includes itself, the public headers of its room, and what its line below names. Nothing there is named
#    twice in a circle: the includes that exist are sorted (tsort), and a loop among them breaks the rule.
# 3. Of a room below, only the headers at its top: those it installs. What is not installed is named below.
# 4. A header in <> is of the C library, or one that the sub-room's line names.
# 5. frontier and crawler ask for the time, for waiting and for dice in frontier/base/machine.c alone: a test that
#    replaces that file at link time decides all of it.
# 6. At the top of a room: the headers it installs, README.md, FORMAT.md, CMakeLists.txt, and its sub-rooms.
# 7. No two .c or .h files of the tree have one name.
# 8. A test of what users reach (tests/contract/, but standards, fuzz targets and the simulation) includes only what is
#    installed.
set -eu
mode=check
if [ "${1-}" = --graph ]; then
  mode=graph
  shift
fi
tree=${1:-$(dirname "$0")/..}
cd "$tree"

rules='
mlbf/hash
mlbf/file            mlbf/hash                                                | xxhash
mlbf/filter          mlbf/hash mlbf/file
mlbf/set             mlbf/hash mlbf/filter mlbf/file
mlbf/count           mlbf/hash mlbf/filter mlbf/file
mlbf/window          mlbf/hash mlbf/filter mlbf/file
mlbf/similar         mlbf/hash mlbf/filter mlbf/file                                     | xxhash

frontier/base                                                                  | xxhash
frontier/url                      | libpsl unicase unictype uninorm unistr uriparser/Uri uriparser/UriIp4
frontier/rows        frontier/base
frontier/store       frontier/base frontier/rows                               | lmdb xxhash
frontier/hosts       frontier/base frontier/store
frontier/seen        frontier/base frontier/store
frontier/late        frontier/base frontier/rows frontier/store frontier/hosts | xxhash
frontier/links       frontier/base
frontier/traps       frontier/base frontier/hosts
frontier/exchange    frontier/base                                             | xxhash
frontier/core       frontier/base frontier/rows frontier/store frontier/hosts frontier/seen frontier/late frontier/traps
  frontier/exchange | sys/eventfd
frontier/admin       frontier/base frontier/rows frontier/store frontier/hosts frontier/late frontier/exchange
  frontier/core | lmdb

datasets/sort                                                                  | xxhash
datasets/make        datasets/sort                                             | fts
datasets/read        datasets/sort                                             | zlib zstd lzma iconv jansson
datasets/replay      datasets/sort frontier/base
datasets/papers      datasets/sort datasets/make datasets/replay frontier/base | xxhash

crawler/base         frontier/base                        | openssl/evp sys/prctl zlib brotli/decode zstd
crawler/scope                                                                  | libpsl pcre2
crawler/http         crawler/base crawler/scope frontier/base                  | curl/curl openssl/err openssl/ssl
  | openssl/types openssl/x509 openssl/x509_vfy arpa/inet netdb net/if netinet/in linux/tcp sys/epoll sys/eventfd
  | sys/socket sys/un
crawler/html         crawler/base                                              | iconv
crawler/robots       crawler/base crawler/http frontier/base
crawler/warc         crawler/base crawler/http frontier/base                   | jansson zlib
crawler/cluster      crawler/base frontier/base                                | hiredis/hiredis hiredis/sds jansson
crawler/loop         crawler/base crawler/scope crawler/http crawler/html crawler/robots crawler/warc frontier/base
crawler/report       crawler/base crawler/http crawler/loop datasets/sort datasets/replay frontier/base | jansson
crawler/commands     crawler/base crawler/scope crawler/http crawler/html crawler/robots crawler/warc crawler/loop
  crawler/report crawler/cluster datasets/sort datasets/make datasets/read datasets/replay datasets/papers frontier/base
  | sys/prctl hiredis/hiredis
'
unforeseeable='clock_gettime gettimeofday timespec_get ftime times time clock nanosleep clock_nanosleep usleep sleep
  getrandom getentropy arc4random arc4random_buf arc4random_uniform rand random rand_r random_r drand48 lrand48 mrand48'
c_library='assert complex ctype errno fenv float inttypes iso646 libgen limits locale malloc math search setjmp signal
  spawn stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time
  uchar wchar wctype dirent dlfcn endian fcntl ftw getopt glob langinfo poll pthread sched semaphore termios unistd
  sys/file sys/ioctl sys/mman sys/param sys/random sys/resource sys/stat sys/statvfs sys/syscall sys/time
  sys/types sys/uio sys/utsname sys/vfs sys/wait emmintrin immintrin cpuid arm_neon'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for room in mlbf frontier datasets crawler tests bench; do
  [ ! -d $room ] || find $room -name '*.[ch]' -o -name '*.cc' -o -name '*.cpp'
done | sort >"$work/files"
result=0

# shellcheck disable=SC2046 # no file of ours has a blank in its name
awk -v c_library="$c_library" -v rules="$rules" -v unforeseeable="$unforeseeable" -v edges="$work/edges" '
  function read_rules(    lines, words, i, j, n, m, room, is_library) {
    n = split(rules, lines, /\n/)
    for (i = 1; i <= n; i++) {
      m = split(lines[i], words, / +/)
      j = 1
      if (lines[i] ~ /^[a-z]/) { room = words[j++]; is_sub[room] = 1; is_library = 0 }
      for (; j <= m; j++) {
        if (words[j] == "|") is_library = 1
        else if (words[j] != "") allowed[room, is_library || words[j] !~ /^(mlbf|frontier|datasets|crawler)\// ? \
                                         words[j] ".h" : words[j]] = 1
      }
    }
    n = split(c_library, words, /[ \n]+/)
    for (i = 1; i <= n; i++) is_c[words[i] ".h"] = 1
  }
  function directory_of(path) {
    return path ~ /\// ? substr(path, 1, length(path) - length(name_of(path)) - 1) : ""
  }
  function name_of(path) { sub(/.*\//, "", path); return path }
  function top_of(path) { sub(/\/.*/, "", path); return path }
  function exists(path,    line, there) {
    there = (getline line < path) >= 0
    close(path)
    return there
  }
  function installed(room, header,    line, found) {
    while ((getline line < (room "/CMakeLists.txt")) > 0) {
      sub(/#.*/, "", line)
      if ((" " line " ") ~ ("[ ()]" header "[ ()]")) found = 1
    }
    close(room "/CMakeLists.txt")
    return found
  }
  function broken(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0
    faults++
  }
  function check_own(path,    target, top) {
    target = directory_of(path)
    top = top_of(path)
    if (path ~ /\.\./ || target == "" || !(top in level)) broken("an include names its room")
    else if (!exists(path)) broken("no such header")
    else if (here ~ /^tests\/contract\/(mlbf|frontier|program|crash|cluster)$/ && top != "tests") {
      if (target != top || !installed(top, name_of(path)))
        broken("a contract test includes what is installed")
    }
    else if (room == "tests" || room == "bench" || target == here) return
    else if (level[top] > level[room]) broken(room " lies below " top)
    else if (target == top) {
      if (!installed(top, name_of(path))) broken("not an installed header of " top)
    }
    else if (!((here, target) in allowed)) broken(here " may not include " target)
    else print here, target > edges
  }

  BEGIN {
    asks = unforeseeable
    gsub(/[ \n]+/, "|", asks)
    asks = "(^|[^a-zA-Z0-9_.>])(" asks ")\\("
    level["mlbf"] = 1; level["frontier"] = 2; level["datasets"] = 3; level["crawler"] = 4; level["tests"] = 5
    level["bench"] = 6
    read_rules()
    printf "" > edges
  }
  FNR == 1 {
    here = directory_of(FILENAME)
    room = top_of(FILENAME)
    if (level[room] < 5 && here != room && !(here in is_sub)) broken("a sub-room without a rule")
  }
  # Calls; in a comment, a name with its bracket is one too.
  (room == "frontier" || room == "crawler") && $0 ~ asks && FILENAME != "frontier/base/machine.c" {
    broken("only frontier/base/machine.c asks the machine for this")
  }
  !/^[ \t]*#[ \t]*(include|include_next|import)/ { next }
  {
    count++
    name = $0
    sub(/^[ \t]*#[ \t]*[a-z_]*[ \t]*/, "", name)
  }
  name ~ /^"/ {
    sub(/^"/, "", name); sub(/".*/, "", name)
    check_own(name)
    next
  }
  name ~ /^</ {
    sub(/^</, "", name); sub(/>.*/, "", name)
    if (level[room] < 5 && !(name in is_c) && !((here, name) in allowed)) broken("not a header " here " may know")
    next
  }
  { broken("an include that cannot be checked") }
  END {
    printf "layering: %d includes, %d rules broken\n", count, faults
    exit faults > 0 || count == 0
  }
' $(cat "$work/files") >"$work/said" || result=1
sort -u "$work/edges" >"$work/arrows"
if [ $mode = graph ]; then
  echo 'digraph strata { rankdir=BT; node [shape=box];'
  awk '{ printf "  \"%s\" -> \"%s\";\n", $1, $2 }' "$work/arrows"
  echo '}'
  exit
fi
cat "$work/said"
if ! tsort "$work/arrows" >/dev/null 2>"$work/circle"; then
  echo 'sub-rooms include each other in a circle:'
  sed 's/^tsort: //' "$work/circle"
  result=1
fi
for room in mlbf frontier datasets crawler; do
  [ -d $room ] || continue
  find $room -mindepth 1 -maxdepth 1 ! -type d ! -name README.md ! -name FORMAT.md ! -name CMakeLists.txt |
    while read -r file; do
      case $file in
        *.h) grep -Eq "[ (]${file##*/}([ )]|\$)" $room/CMakeLists.txt && continue ;;
      esac
      echo "$file: only installed headers, README.md, FORMAT.md and CMakeLists.txt lie at the top of a room"
    done
done >"$work/top"
sed 's/.*\///' "$work/files" | sort | uniq -d | sed 's/$/: two files of the tree have this name/' >"$work/twice"
cat "$work/top" "$work/twice"
[ ! -s "$work/top" ] && [ ! -s "$work/twice" ] || result=1
echo "layering: $(wc -l <"$work/arrows") arrows between sub-rooms"
exit $result
