#!/bin/sh
# Who may include what. Prints every include that breaks a rule; exit 1 if there is one.
#   tests/layering.sh [TREE]      TREE: the checkout (default: this one)
#
#     mlbf <- frontier <- datasets <- crawler        tests may include all of them
#
# 1. "room/header.h" and nothing else between quotes: no "..", no bare name, and the header exists.
# 2. A room includes itself and the rooms below it.
# 3. From mlbf and frontier, which are libraries, other rooms include only the headers they install: those
#    their CMakeLists.txt names. (tests may look inside.)
# 4. A header in <> is of the C library, or of a library that this room is the one to know. Sockets are the
#    crawler's.
# 5. frontier and crawler ask for the time, for waiting and for dice in frontier/machine.c alone: whoever replaces that
#    file at link time decides all of it. So crawler may include its private header, frontier/machine.h, too.
set -eu
tree=${1:-$(dirname "$0")/..}
cd "$tree"

unforeseeable='clock_gettime gettimeofday timespec_get ftime times time clock nanosleep clock_nanosleep usleep sleep
  getrandom getentropy arc4random arc4random_buf arc4random_uniform rand random rand_r random_r drand48 lrand48 mrand48'
c_library='assert complex ctype errno fenv float inttypes iso646 libgen limits locale math search setjmp signal stdalign
  stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string strings tgmath threads time uchar wchar
  wctype dirent dlfcn endian fcntl ftw getopt glob langinfo poll pthread sched semaphore termios unistd
  sys/file sys/ioctl sys/mman sys/param sys/random sys/resource sys/stat sys/statvfs sys/syscall sys/time
  sys/types sys/uio sys/utsname sys/vfs sys/wait emmintrin immintrin arm_neon'
sockets='arpa/inet netdb net/if netinet/in netinet/tcp sys/epoll sys/socket sys/un'

# shellcheck disable=SC2046 # no file of ours has a blank in its name
awk -v c_library="$c_library" -v sockets="$sockets" -v unforeseeable="$unforeseeable" '
  function allow(room, list,    names, i, n) {
    n = split(list, names, /[ \n]+/)
    for (i = 1; i <= n; i++) allowed[room, names[i] ".h"] = 1
  }
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

  BEGIN {
    asks = unforeseeable
    gsub(/[ \n]+/, "|", asks)
    asks = "(^|[^a-zA-Z0-9_.>])(" asks ")\\("
    level["mlbf"] = 1; level["frontier"] = 2; level["datasets"] = 3; level["crawler"] = 4; level["tests"] = 5
    allow("mlbf", c_library " xxhash openssl/evp openssl/sha")
    allow("frontier", c_library " xxhash lmdb idn2 libpsl uriparser/Uri uriparser/UriIp4")
    allow("datasets", c_library " fts xxhash zlib zstd lzma iconv jansson")
    allow("crawler", c_library " " sockets \
          " sys/eventfd curl/curl zlib iconv libpsl pcre2 jansson libxml/parser openssl/evp openssl/sha" \
          " openssl/ssl openssl/types openssl/x509 openssl/x509_vfy")
  }

  # Calls; in a comment, a name with its bracket is one too.
  $0 ~ asks && FILENAME ~ /^(\.\/)?(frontier|crawler)\// && FILENAME !~ /frontier\/machine\.c$/ {
    broken("only frontier/machine.c asks the machine for this")
  }
  !/^[ \t]*#[ \t]*(include|include_next|import)/ { next }
  {
    files[FILENAME] = 1
    room = FILENAME
    sub(/^\.\//, "", room); sub(/\/.*/, "", room)
    name = $0
    sub(/^[ \t]*#[ \t]*[a-z_]*[ \t]*/, "", name)
  }
  name ~ /^"/ {
    sub(/^"/, "", name); sub(/".*/, "", name)
    target = name; sub(/\/.*/, "", target)
    header = name; sub(/^[^\/]*\//, "", header)
    if (name ~ /\.\./ || !(target in level) || target == name) broken("an include names its room")
    else if (level[target] > level[room]) broken(room " lies below " target)
    else if (!exists(name)) broken("no such header")
    else if (room != target && room != "tests" && level[target] <= 2 && !installed(target, header) &&
             !(room == "crawler" && name == "frontier/machine.h"))
      broken("a private header of " target)
    next
  }
  name ~ /^</ {
    sub(/^</, "", name); sub(/>.*/, "", name)
    if (room != "tests" && !((room, name) in allowed)) broken("not a header " room " may know")
    next
  }
  { broken("an include that cannot be checked") }
  END {
    for (file in files) count++
    printf "layering: %d files with includes, %d rules broken\n", count, faults
    exit faults > 0 || count == 0
  }
' $(find mlbf frontier datasets crawler tests -name '*.[ch]' -o -name '*.cc' | sort)
