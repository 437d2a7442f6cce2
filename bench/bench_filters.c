/* How fast filters are, against whom.
 *
 *   bench_filters [--rate R]... [--rounds N] [--urls N] [--only ROW]... [--scattered] [LIST]
 *     LIST     URLs, plain or .zst, shuffled with a fixed seed; without it, made-up ones of real length
 *     --urls   so many are inserted (3e6, or half the list if that is less); up to as many others are asked
 *     --rate   promised: 1e-2, 1e-3 and 1e-6 if none is given
 *     --only   these rows, by name; all if none is given
 *     --scattered   the next URL's bytes lie anywhere and are not in the cache
 *
 *   add   N different URLs into an empty filter for N
 *   new   others are tested
 *   seen  the N are tested
 *   host  the paths of the N are tested under hosts that are not in the filter
 *
 * In each round every row makes its own filter, in an order that is shuffled anew. Given is the median over rounds of
 * processor time a URL. URLs come a thousand at a time, as from a parser: cut and in the cache before the clock starts.
 *
 * Opponents come from their public source, -O3 -march=native, made by filter_opponents.sh. RocksDB is its
 * FastLocalBloomImpl and its hash, sized by its own estimate; split block is the 8x32 filter of Impala and Parquet with
 * XXH3_64 inlined, sized by libfilter's. Their `add` sets bits and cannot say whether the key was new; the rows "tells"
 * test first, as a crawler must and as all others do. "before" is this project of another checkout, to see in one run
 * what a change brought. Look at rate and bits before comparing times. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/filter_contenders.h"

enum { ROUNDS_MAX = 99, ROWS_MAX = 16, RATES_MAX = 8, SEED = 20261120 };
enum phase { ADD, NEW, SEEN, HOST, PHASES };
static const char *const phase_names[PHASES] = {"add", "new", "seen", "host"};

typedef struct request {
  double rates[RATES_MAX];
  const char *only[ROWS_MAX];
  size_t rate_count, only_count, rounds, urls;
  const char *list;
} request;

static bool is_scattered;

typedef struct questions {
  url_keys inserted, others, hosts;
} questions;

/* What one row did at one rate. */
typedef struct record {
  const contender *row;
  double ns[PHASES][ROUNDS_MAX], median_ns[PHASES];
  uint64_t bits, wrong;
} record;

/* Processor time of this thread: what others do on the machine costs us cache lines, but not their time slices. */
static double now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* What asking the clock twice costs; it is a system call. */
static double clock_ns(void)
{
  double ns[1001];
  for (size_t i = 0; i < 1001; i++) {
    double start = now_ns();
    ns[i] = now_ns() - start;
  }
  return median(ns, 1001);
}

static size_t roll(size_t below)
{
  static uint64_t dice = SEED;
  dice = dice * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(dice >> 33) % below;
}

/* The bytes stay where they are. */
static void shuffle_texts(url_list *list)
{
  for (size_t i = list->count - 1; i > 0; i--) {
    size_t j = roll(i + 1);
    mlbf_span swap = list->texts[i];
    list->texts[i] = list->texts[j];
    list->texts[j] = swap;
  }
}

static bool is_wanted(const request *of, const char *name)
{
  for (size_t i = 0; i < of->only_count; i++)
    if (strcmp(of->only[i], name) == 0)
      return true;
  return of->only_count == 0;
}

/* Reads what a chunk's keys point to. */
static void warm(const url_keys *chunk)
{
  static volatile char sink;
  for (size_t i = 0; i < chunk->count; i++) {
    const char *text = chunk->texts[i].bytes;
    for (size_t at = 0; at < chunk->texts[i].size; at += 64)
      sink = text[at];
    sink = (char)chunk->whole[i].count;
    for (size_t at = 0; at < chunk->layered[i].count; at++)
      sink = (char)chunk->layered[i].segments[at].size;
  }
  (void)sink;
}

/* Nanoseconds a URL for the URLs of `part`, and how many were seen. */
static double run_phase(const contender *row, void *filter, enum phase phase, url_keys part, uint64_t *seen)
{
  const double clock = clock_ns();
  double ns = 0;
  *seen = 0;
  for (size_t i = 0; i < part.count; i += CHUNK_URLS) {
    url_keys chunk = url_keys_part(&part, i, part.count - i < CHUNK_URLS ? part.count - i : CHUNK_URLS);
    if (!is_scattered)
      warm(&chunk);
    double start = now_ns();
    *seen += (phase == ADD ? contender_add : contender_ask)(row, filter, &chunk);
    ns += now_ns() - start - clock;
  }
  return ns / (double)part.count;
}

/* The paths of the first `count` URLs, each under a host of its own. */
static url_list hosts_make(const url_list *list, size_t count)
{
  enum { HOST_SIZE = 40 };
  size_t size = 0;
  for (size_t i = 0; i < count; i++)
    size += list->texts[i].size + HOST_SIZE;
  url_list made = {.count = count, .texts = opponent_need(malloc(count * sizeof *made.texts))};
  char *next = made.text = opponent_need(malloc(size));
  for (size_t i = 0; i < count; i++) {
    mlbf_span segments[MLBF_LAYERS_MAX], text = list->texts[i];
    url_cut(text.bytes, text.size, segments);
    size_t host = (size_t)snprintf(next, HOST_SIZE, "new-host-%zu.example", i), path = text.size - segments[0].size;
    memcpy(next + host, (const char *)text.bytes + segments[0].size, path);
    made.texts[i] = (mlbf_span){next, host + path};
    next += host + path;
  }
  return made;
}

static void take_turn(record *its, size_t round, const questions *all, double rate)
{
  uint64_t seen;
  void *filter = contender_make(its->row, all->inserted.count, rate, &its->bits);
  its->ns[ADD][round] = run_phase(its->row, filter, ADD, all->inserted, &seen);
  its->ns[NEW][round] = run_phase(its->row, filter, NEW, all->others, &its->wrong);
  its->ns[SEEN][round] = run_phase(its->row, filter, SEEN, all->inserted, &seen);
  if (seen != all->inserted.count) {
    fprintf(stderr, "%s lost a key\n", its->row->name);
    exit(1);
  }
  its->ns[HOST][round] = run_phase(its->row, filter, HOST, all->hosts, &seen);
  contender_drop(its->row, filter);
}

static void run_rounds(record *records, size_t count, size_t rounds, const questions *all, double rate)
{
  for (size_t round = 0; round < rounds; round++) {
    size_t order[ROWS_MAX] = {0};
    for (size_t i = 0; i < count; i++) {
      size_t j = roll(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    for (size_t i = 0; i < count; i++)
      take_turn(&records[order[i]], round, all, rate);
  }
  for (size_t i = 0; i < count; i++)
    for (int phase = 0; phase < PHASES; phase++)
      records[i].median_ns[phase] = median(records[i].ns[phase], rounds);
}

static void print_times(const record *records, size_t count, const questions *all)
{
  printf("  %-18s", "ns a URL");
  for (int phase = 0; phase < PHASES; phase++)
    printf(" %7s", phase_names[phase]);
  printf("   bits/key    fp rate  bits/log2(1/fp)\n");
  for (size_t i = 0; i < count; i++) {
    const record *its = &records[i];
    double bits = (double)its->bits / (double)all->inserted.count;
    double rate = (double)its->wrong / (double)all->others.count;
    printf("  %-18s", its->row->name);
    for (int phase = 0; phase < PHASES; phase++)
      printf(" %7.1f", its->median_ns[phase]);
    printf(" %10.2f   %.2e", bits, rate);
    if (its->wrong >= 100)
      printf("  %15.2f", bits / log2(1 / rate));
    puts("");
  }
}

static const record *find(const record *records, size_t count, const char *name)
{
  for (size_t i = 0; name && i < count; i++)
    if (strcmp(records[i].row->name, name) == 0)
      return &records[i];
  return NULL;
}

/* Above 1: ours takes less time. */
static void print_ratios(const record *records, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const record *its = &records[i], *ours = find(records, count, its->row->against);
    if (!ours)
      continue;
    printf("  time of %-18s / time of %-13s", its->row->name, ours->row->name);
    for (int phase = 0; phase < PHASES; phase++)
      printf("  %s %5.2f", phase_names[phase], its->median_ns[phase] / ours->median_ns[phase]);
    puts("");
  }
}

static void bench_rate(const request *of, const questions *all, double rate)
{
  static record records[ROWS_MAX];
  size_t count = 0;
  printf("\n%.0e promised, %zu URLs inserted, %zu others asked, %zu rounds\n", rate, all->inserted.count,
         all->others.count, of->rounds);
  for (size_t i = 0; i < contender_count; i++)
    if (is_wanted(of, contenders[i].name)) {
      if (contender_is_there(&contenders[i]))
        records[count++] = (record){.row = &contenders[i]};
      else
        printf("  %s: skipped, STRATA_FILTER_OPPONENTS has no such file\n", contenders[i].name);
    }
  if (count > 0) {
    run_rounds(records, count, of->rounds, all, rate);
    print_times(records, count, all);
    print_ratios(records, count);
  }
}

static void usage(void)
{
  fputs("bench_filters [--rate R]... [--rounds N] [--urls N] [--only ROW]... [--scattered] [LIST]; rows:\n", stderr);
  for (size_t i = 0; i < contender_count; i++)
    fprintf(stderr, "  %s\n", contenders[i].name);
  exit(2);
}

static request read_request(int argc, char **argv)
{
  static const struct option options[] = {
    {"rate", required_argument, NULL, 'r'}, {"rounds", required_argument, NULL, 'n'},
    {"urls", required_argument, NULL, 'u'}, {"only", required_argument, NULL, 'o'},
    {"scattered", no_argument, NULL, 's'},  {NULL, 0, NULL, 0}};
  request of = {.rounds = 9, .urls = 3000000};
  for (int one; (one = getopt_long(argc, argv, "", options, NULL)) != -1;) {
    if (one == 'r' && of.rate_count < RATES_MAX)
      of.rates[of.rate_count++] = strtod(optarg, NULL);
    else if (one == 'n')
      of.rounds = (size_t)strtod(optarg, NULL);
    else if (one == 'u')
      of.urls = (size_t)strtod(optarg, NULL);
    else if (one == 'o' && of.only_count < ROWS_MAX)
      of.only[of.only_count++] = optarg;
    else if (one == 's')
      is_scattered = true;
    else
      usage();
  }
  if (of.rounds < 1 || of.rounds > ROUNDS_MAX || of.urls < 1)
    usage();
  if (of.rate_count == 0) {
    memcpy(of.rates, (double[]){1e-2, 1e-3, 1e-6}, 3 * sizeof *of.rates);
    of.rate_count = 3;
  }
  of.list = argv[optind];
  return of;
}

int main(int argc, char **argv)
{
  request of = read_request(argc, argv);
  setvbuf(stdout, NULL, _IOLBF, 0);
  url_list list = url_list_read(of.list, of.list ? SIZE_MAX : 2 * of.urls, SEED);
  if (is_scattered)
    shuffle_texts(&list);
  const size_t keys = of.urls <= list.count * 3 / 4 ? of.urls : list.count / 2;
  const size_t left = list.count - keys, asked = left < keys ? left : keys;
  url_list hosts = hosts_make(&list, asked);
  url_keys all = url_keys_make(&list), new_hosts = url_keys_make(&hosts);
  const questions what = {url_keys_part(&all, 0, keys), url_keys_part(&all, keys, asked), new_hosts};
  for (size_t i = 0; i < of.rate_count; i++)
    bench_rate(&of, &what, of.rates[i]);
  url_keys_free(&all);
  url_keys_free(&new_hosts);
  url_list_free(&list);
  url_list_free(&hosts);
  return 0;
}
