# shellcheck shell=sh disable=SC2154
# What the benches of whole crawls share. To be read by them with "."; $work, $build, $server and $limit are theirs.

# Set in some containers: all certificates that they name are then read at the start, 25 ms of a crawl over http, too.
unset SSL_CERT_FILE SSL_CERT_DIR

# make_pages ROOT HOSTS PAGES WORDS OTHERS DOMAIN: ROOT/h0/index.html, 1.html, ... of each host. Page i links to its
# pages 10 i + 1 ... 10 i + 10 and to OTHERS anywhere on its host, the first of a host also to two more hosts. No two
# pages say the same: WORDS words of 2,000; 220 words make a page of 2 kB, 10,000 one of 70 kB.
make_pages()
{
  awk -v root="$1" -v hosts="$2" -v pages="$3" -v length_words="$4" -v others="$5" -v domain="$6" 'BEGIN {
    srand(1)
    for (k = 0; k < 2000; k++) {
      word = ""
      for (i = int(rand() * 8) + 2; i > 0; i--) word = word sprintf("%c", 97 + int(rand() * 26))
      words[k] = word
    }
    for (h = 0; h < hosts; h++) {
      system("mkdir -p " root "/h" h)
      for (i = 0; i < pages; i++) {
        file = root "/h" h "/" (i ? i : "index") ".html"
        printf "<!doctype html><html><head><title>Page %d of %d</title></head><body><h1>Page %d</h1>\n", i, h, i >file
        for (k = 1; k <= 10 && 10 * i + k < pages; k++) printf "<p><a href=\"/%d.html\">a child</a>\n", 10 * i + k >file
        for (k = 0; k < others; k++) printf "<li><a href=\"%d.html\">another</a>\n", 1 + int(rand() * (pages - 1)) >file
        for (k = 1; k <= 2 && i == 0 && 2 * h + k < hosts; k++)
          printf "<p><a href=\"//h%d.%s/\">a host</a>\n", 2 * h + k, domain >file
        printf "<p>" >file
        for (k = 0; k < length_words; k++) printf "%s ", words[int(rand() * 2000)] >file
        print "</body></html>" >file
        close(file)
      }
    }
  }' </dev/null
}

# measure FILE COMMAND...: one run as a line of FILE: seconds, CPU seconds, peak kB, exit code, CPU seconds of $server.
# It runs in $work/out, which is empty before, and prints into $work/said.
measure()
{
  file=$1
  shift
  rm -rf "$work/out"
  mkdir "$work/out"
  (cd "$work/out" && "$build/bench/bench_run" "$server" "$limit" "$work/said" "$@") >>"$file"
}

median() # FILE FIELD
{
  awk -v f="$2" '{ print $f }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'
}

# print_rows PAGES OPPONENT FLOOR NAME...: the table of $work/NAME.timed, and the same into $work/rows for figure(). The
# server's share taken out is the pages/s if the server took no time of this machine's cores: seconds less its CPU time,
# shared out over the cores. That says something where "busy", the share of the cores at work, is near 1.
print_rows()
{
  count=$1 opponent=$2 floor=$3
  shift 3
  : >"$work/rows"
  for name; do
    f=$work/$name.timed
    [ ! -s "$f" ] || echo "$name $(median "$f" 1) $(median "$f" 2) $(median "$f" 3) $(median "$f" 5)"
  done | awk -v n="$count" -v cores="$(nproc)" '{ alone = $2 - $5 / cores
    print $1, n / $2, 1000 * $3 / n, 1000 * $5 / n, $4 / 1024, ($3 + $5) / $2 / cores, (alone > 0 ? n / alone : 0)
  }' >"$work/rows"
  awk -v opponent="$opponent" -v floor="$floor" '
    NR == FNR { speed[$1] = $2; cpu[$1] = $3; next }
    FNR == 1 { printf "%-16s %8s %8s %9s %5s %7s %8s %14s %12s %12s\n", "", "pages/s", "CPU ms/p", "server ms", "busy",
                      "peak MB", "no server", "speed/opponent", "CPU/opponent", "speed/floor" }
    { printf "%-16s %8.0f %8.3f %9.3f %5.2f %7.1f %8.0f %14.2f %12.2f %12.2f\n", $1, $2, $3, $4, $6, $5, $7,
             speed[opponent] ? $2 / speed[opponent] : 0, cpu[opponent] ? $3 / cpu[opponent] : 0,
             speed[floor] ? $2 / speed[floor] : 0 }' "$work/rows" "$work/rows"
}

figure() # FILE NAME COLUMN: of rows as print_rows leaves them; 0 if there is none
{
  awk -v name="$2" -v column="$3" '$1 == name { v = $column } END { print v + 0 }' "$1"
}

# goal TITLE NAME OTHER COLUMN: for each of $sites the ratio of two figures in its rows; OTHER may be several, summed
goal()
{
  printf '%-40s' "$1"
  for site in $sites; do
    f=$work/$site.rows kept=default opponent=wget2
    case $site in
      https) kept=https opponent=wget2-https ;;
      score | million) kept=strata ;;
    esac
    name=$2 other=$3
    [ "$2" != default ] || name=$kept
    [ "$3" != wget2 ] || other=$opponent
    value=-
    [ ! -s "$f" ] || value=$(for one in $name $other; do figure "$f" "$one" "$4"; done | awk '
      NR == 1 { top = $1 } NR > 1 { sum += $1 } END { print top && sum ? sprintf("%.2f", top / sum) : "-" }')
    printf ' %8s' "$value"
  done
  echo
}
