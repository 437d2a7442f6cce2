/* In-link counts of a real tree of pages in a counting filter: memory by s, wrong counts with and without H1, what H1
 * saves, memory as a crawl keeps them, time.
 *
 *     bench_counts DIRECTORY [ROUNDS]      a tree of HTML files, such as /usr/share/doc/postgresql-doc-15
 *
 * Opponent: a counting filter of 16-bit counters, all of which are raised (Fan and others 2000), with as many cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "crawler/html/links.h"
#include "frontier/inlinks.h"
#include "mlbf/count.h"
#include "tests/support/page_trees.h"

enum { ROUNDS_MAX = 101, BASES = 5 };

/* One link of a page to another, by the hash of its key; `page` so that a page counts once. */
typedef struct edge {
  uint64_t low, high;
  uint32_t page;
} edge;

typedef struct graph {
  edge *edges;
  size_t count, room;
  uint32_t page;
  url_base *base;
  url target;
} graph;

typedef struct target {
  uint64_t low, high;
  uint32_t pages;
} target;

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the links of the tree ------------------------------------------------------------------------------- */

static void add_edge(void *context, const link_found *link)
{
  graph *g = context;
  if (link->kind == LINK_BASE || url_resolve(g->base, link->href, link->size, URL_STRICT, &g->target) != URL_OK)
    return;
  if (g->count == g->room) {
    g->room = g->room ? 2 * g->room : 1 << 16;
    g->edges = realloc(g->edges, g->room * sizeof *g->edges);
    if (!g->edges)
      exit(1);
  }
  XXH128_hash_t hash = XXH3_128bits(g->target.key, g->target.key_size);
  g->edges[g->count++] = (edge){hash.low64, hash.high64, g->page};
}

static int by_page_and_hash(const void *a, const void *b)
{
  const edge *x = a, *y = b;
  if (x->page != y->page)
    return x->page < y->page ? -1 : 1;
  return x->low < y->low ? -1 : x->low > y->low;
}

static int by_hash(const void *a, const void *b)
{
  const target *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

/* Each page's links, each target once. */
static graph read_graph(const page_tree *tree)
{
  graph g = {.base = url_base_create()};
  links_scanner *scanner = links_create(add_edge, &g);
  for (size_t i = 0; scanner && g.base && i < tree->count; i++, g.page++) {
    char text[8192];
    int size = snprintf(text, sizeof text, "http://tree.example/%s", tree->list[i].name);
    if (size >= (int)sizeof text || url_base_set(g.base, text, (size_t)size) != URL_OK)
      continue;
    links_feed(scanner, tree->list[i].bytes, tree->list[i].size);
    links_finish(scanner);
  }
  links_free(scanner);
  url_base_free(g.base);
  qsort(g.edges, g.count, sizeof *g.edges, by_page_and_hash);
  size_t kept = 0;
  for (size_t i = 0; i < g.count; i++)
    if (kept == 0 || by_page_and_hash(&g.edges[kept - 1], &g.edges[i]) != 0)
      g.edges[kept++] = g.edges[i];
  g.count = kept;
  return g;
}

static target *count_exactly(const graph *g, size_t *count)
{
  target *all = malloc((g->count + 1) * sizeof *all);
  if (!all)
    exit(1);
  for (size_t i = 0; i < g->count; i++)
    all[i] = (target){g->edges[i].low, g->edges[i].high, 1};
  qsort(all, g->count, sizeof *all, by_hash);
  *count = 0;
  for (size_t i = 0; i < g->count; i++)
    if (*count > 0 && by_hash(&all[*count - 1], &all[i]) == 0)
      all[*count - 1].pages++;
    else
      all[(*count)++] = all[i];
  return all;
}

/* ---- the filters ----------------------------------------------------------------------------------------- */

static mlbf_count *fill(const graph *g, mlbf_count_options options, double *ns)
{
  mlbf_count *count;
  uint32_t now;
  options.size = sizeof options;
  options.base_bits = options.base_bits ? options.base_bits : 3;
  options.limit = MLBF_COUNT_LIMIT_MOST;
  options.seed = 1;
  if (mlbf_count_create(&options, &count) != MLBF_OK)
    exit(1);
  double began = seconds_now();
  for (size_t i = 0; i < g->count; i++)
    mlbf_count_add(count, (mlbf_span){&g->edges[i], 16}, 1, &now);
  *ns = (seconds_now() - began) / (double)g->count * 1e9;
  return count;
}

/* The opponent; its places are those of a multiplicative generator from the hash, as ours. */
static double fill_plain(const graph *g, uint64_t cells, uint32_t hashes)
{
  uint16_t *counters = calloc(cells, sizeof *counters);
  if (!counters)
    exit(1);
  double began = seconds_now();
  for (size_t i = 0; i < g->count; i++) {
    XXH128_hash_t hash = XXH3_128bits(&g->edges[i], 16);
    uint64_t place = hash.low64;
    for (uint32_t j = 0; j < hashes; j++, place = place * 0xd1342543de82ef95u + (hash.high64 | 1)) {
      uint16_t *counter = &counters[(place >> 32) * cells >> 32];
      *counter += *counter < UINT16_MAX;
    }
  }
  double ns = (seconds_now() - began) / (double)g->count * 1e9;
  free(counters);
  return ns;
}

static double share_wrong(const mlbf_count *count, const target *exact, size_t targets)
{
  size_t wrong = 0;
  for (size_t i = 0; i < targets; i++) {
    uint32_t times;
    times = mlbf_count_get(count, (mlbf_span){&exact[i], 16});
    if (times < exact[i].pages) {
      fprintf(stderr, "a count is too low\n");
      exit(1);
    }
    wrong += times > exact[i].pages;
  }
  return (double)wrong / (double)targets;
}

static int compare_doubles(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, compare_doubles);
  return values[count / 2];
}

static void print_memory(const graph *g, const target *exact, size_t targets, double rate)
{
  printf("\nmade for %.2f wrong\n%2s %12s %12s %12s %10s %12s %12s\n", rate, "s", "bits a URL", "16 bits/cell",
         "saving", "overflow", "wrong, H1", "wrong, plain");
  for (uint32_t base = 1; base <= BASES; base++) {
    double ns;
    mlbf_count_stats stats;
    mlbf_count_options options = {.keys = targets, .rate = rate, .base_bits = base, .minimal = true};
    mlbf_count *refined = fill(g, options, &ns);
    options.minimal = false;
    mlbf_count *plain = fill(g, options, &ns);
    mlbf_count_stats_read(refined, &stats);
    printf("%2u %12.1f %12.1f %11.2fx %9.2f%% %11.2f%% %11.2f%%\n", (unsigned)base,
           (double)stats.bits / (double)targets, (double)stats.plain_bits / (double)targets,
           (double)stats.plain_bits / (double)stats.bits, 100 * (double)stats.overflows / (double)stats.cells,
           100 * share_wrong(refined, exact, targets), 100 * share_wrong(plain, exact, targets));
    mlbf_count_free(refined);
    mlbf_count_free(plain);
  }
}

/* What the same few wrong counts would cost if all cells of a key were raised. */
static void print_saving_of_h1(const graph *g, const target *exact, size_t targets, double rate)
{
  double ns;
  mlbf_count_stats with, without;
  mlbf_count *refined = fill(g, (mlbf_count_options){.keys = targets, .rate = rate, .minimal = true}, &ns);
  mlbf_count *plain = fill(g, (mlbf_count_options){.keys = targets, .rate = share_wrong(refined, exact, targets)}, &ns);
  mlbf_count_stats_read(refined, &with);
  mlbf_count_stats_read(plain, &without);
  double bits = (double)with.bits / (double)targets, more = (double)without.bits / (double)targets;
  printf("made for %.2f: %.1f bits a URL with H1, without it %.1f for as few wrong counts (%.2f %%), %.2fx\n", rate,
         bits, more, 100 * share_wrong(plain, exact, targets), more / bits);
  mlbf_count_free(refined);
  mlbf_count_free(plain);
}

/* ---- as a crawl keeps them --------------------------------------------------------------------------------- */

typedef struct noting {
  inlinks *counts;
  url_base *base;
  url target;
} noting;

static void note_link(void *context, const link_found *link)
{
  noting *n = context;
  if (link->kind != LINK_BASE && url_resolve(n->base, link->href, link->size, URL_STRICT, &n->target) == URL_OK &&
      inlinks_note(n->counts, &n->target) != MLBF_OK)
    exit(1);
}

/* Of the files, which are the filters as they are in memory. They go. */
static double file_bytes(const char *path)
{
  double sum = 0;
  char name[256];
  struct stat info;
  for (int i = 0; snprintf(name, sizeof name, "%s.%d", path, i) && stat(name, &info) == 0; i++) {
    sum += (double)info.st_size;
    unlink(name);
  }
  return sum;
}

/* Filters that grow from `expected` on. */
static void print_inlinks(const page_tree *tree, size_t targets, uint64_t expected)
{
  static const char saved[] = "/tmp/bench-counts";
  noting n = {.base = url_base_create()};
  links_scanner *scanner = links_create(note_link, &n);
  if (!scanner || !n.base || inlinks_open(NULL, expected, &n.counts) != MLBF_OK)
    exit(1);
  for (size_t i = 0; i < tree->count; i++) {
    char text[8192];
    int size = snprintf(text, sizeof text, "http://tree.example/%s", tree->list[i].name);
    if (size >= (int)sizeof text || url_base_set(n.base, text, (size_t)size) != URL_OK)
      continue;
    inlinks_begin_page(n.counts);
    links_feed(scanner, tree->list[i].bytes, tree->list[i].size);
    links_finish(scanner);
  }
  if (inlinks_save_as(n.counts, saved) != MLBF_OK)
    exit(1);
  printf("begun for %zu URLs: %.2f bytes a URL\n", (size_t)expected, file_bytes(saved) / (double)targets);
  inlinks_close(n.counts);
  links_free(scanner);
  url_base_free(n.base);
}

static void print_times(const graph *g, size_t targets, int rounds)
{
  double ours[ROUNDS_MAX] = {0}, theirs[ROUNDS_MAX] = {0}, ratios[ROUNDS_MAX] = {0};
  mlbf_count_stats stats = {.cells = 0};
  for (int round = 0; round < rounds; round++) {
    mlbf_count *count = fill(g, (mlbf_count_options){.keys = targets, .rate = 0.05, .minimal = true}, &ours[round]);
    mlbf_count_stats_read(count, &stats);
    theirs[round] = fill_plain(g, stats.cells, stats.hashes);
    ratios[round] = ours[round] / theirs[round];
    mlbf_count_free(count);
  }
  printf("\nns a link, k = %u, %d rounds: ours %.1f, 16-bit counters %.1f, ratio %.2f\n", (unsigned)stats.hashes,
         rounds, median(ours, rounds), median(theirs, rounds), median(ratios, rounds));
}

int main(int argc, char **argv)
{
  int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
  if (argc < 2 || rounds < 1 || rounds > ROUNDS_MAX) {
    fprintf(stderr, "usage: bench_counts DIRECTORY [ROUNDS]\n");
    return 2;
  }
  page_tree tree = page_tree_read(argv[1], (size_t)512 << 20);
  if (tree.count == 0) {
    printf("skipped: no HTML files in %s\n", argv[1]);
    return 0;
  }
  size_t targets, once = 0, most = 0;
  graph g = read_graph(&tree);
  target *exact = count_exactly(&g, &targets);
  for (size_t i = 0; i < targets; i++) {
    once += exact[i].pages == 1;
    most = exact[i].pages > most ? exact[i].pages : most;
  }
  printf("%zu pages, %zu links, %zu URLs: %.0f %% of them linked once, the most %zu times\n", tree.count, g.count,
         targets, 100 * (double)once / (double)targets, most);
  print_memory(&g, exact, targets, 0.05);
  print_memory(&g, exact, targets, 0.01);
  printf("\n");
  print_saving_of_h1(&g, exact, targets, 0.05);
  print_saving_of_h1(&g, exact, targets, 0.01);
  printf("\nfrontier/inlinks.h\n");
  print_inlinks(&tree, targets, targets);
  print_inlinks(&tree, targets, targets / 8 + 1);
  print_times(&g, targets, rounds);
  free(exact);
  free(g.edges);
  page_tree_free(&tree);
  return 0;
}
