/* See broken_links.h. */
#include "crawler/report/broken_links.h"

#include "crawler/base/crawl_dir.h"
#include "crawler/loop/visit.h"
#include "datasets/sort/sorter.h"
#include "datasets/sort/spool.h"
#include "frontier/base/own_file.h"
#include "frontier/base/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_MEMORY = 16 << 20 };

static const char DAMAGED[] = "it is damaged";

/* A broken target; its URL is in `texts`. */
typedef struct broken_target {
  uint64_t key, text;
  uint16_t ending;
  bool is_start;
} broken_target;

/* An edge to one, before texts are mapped. */
typedef struct broken_edge {
  uint64_t target, source; /* the place of the target, that of the source's URL in `texts` */
  uint8_t by;
} broken_edge;

/* Where the record of a page is in the edge log. */
typedef struct place {
  uint64_t source, at;
} place;

struct broken_links {
  fetch_table *table;
  FILE *log;
  const char *why;
  spool *texts, *targets, *edges, *places;
  uint64_t target_count, edge_count, place_count;
  uint8_t *linked;             /* bit i: target i has an edge */
  uint8_t *in_maps, *in_pages; /* bit i: a sitemap, a page links to row i of the table; NULL: there is no sitemap */
  sorter *rows;
  broken_counts counts;
  mixed_link mixed[MIXED_KEPT];
  size_t mixed_count;
  uint8_t page[EDGE_HEAD + (size_t)VISIT_LINKS_MAX * EDGE_SIZE];
};

static bool add_text(broken_links *b, const char *text, uint64_t *at)
{
  *at = spool_size(b->texts);
  return spool_write(b->texts, text, strlen(text) + 1);
}

/* ---- targets ------------------------------------------------------------------------------------------------ */

static bool find_targets(broken_links *b)
{
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(b->table, &count);
  for (const fetch_row *row = rows; row < rows + count; row++) {
    fetch_end end = fetch_table_follow(b->table, row);
    if (row->flags & FETCH_MAP || !fetch_end_is_broken(&end))
      continue;
    broken_target t = {.key = row->key, .ending = end.ending, .is_start = row->flags & FETCH_START};
    const char *address = fetch_table_url(b->table, row);
    if (!address || !add_text(b, address, &t.text) || !spool_write(b->targets, &t, sizeof t))
      return false;
    b->target_count++;
  }
  return spool_finish(b->targets);
}

/* Its place; target_count: it is not broken. */
static uint64_t find_target(const broken_links *b, uint64_t key)
{
  const broken_target *all = spool_bytes(b->targets);
  uint64_t begin = 0, end = b->target_count;
  while (begin < end) {
    uint64_t middle = begin + (end - begin) / 2;
    if (all[middle].key < key)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < b->target_count && all[begin].key == key ? begin : b->target_count;
}

/* ---- edges -------------------------------------------------------------------------------------------------- */

/* The next record of the log, into b->page. false: no more, or b->why says what is wrong. What a crawl that goes on has
 * written of one is left out. */
static bool next_record(broken_links *b, uint64_t *source, uint32_t *count)
{
  if (fread(b->page, 1, EDGE_HEAD, b->log) < EDGE_HEAD)
    return false;
  *source = get_le(b->page, 8);
  *count = (uint32_t)get_le(b->page + 8, 4);
  if (*count > VISIT_LINKS_MAX) {
    b->why = DAMAGED;
    return false;
  }
  return fread(b->page + EDGE_HEAD, EDGE_SIZE, *count, b->log) == *count;
}

static int compare_places(const void *a, const void *b)
{
  const place *x = a, *y = b;
  if (x->source != y->source)
    return x->source < y->source ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Of the pages that were logged more than once, the last place. */
static bool find_places(broken_links *b, const char *directory)
{
  uint64_t source;
  uint32_t count;
  sorter *all = sorter_create(directory, sizeof(place), compare_places, SORT_MEMORY);
  bool is_good = all;
  for (off_t at = 0; is_good && next_record(b, &source, &count); at = ftello(b->log))
    is_good = sorter_add(all, &(place){source, (uint64_t)at});
  is_good = is_good && !b->why && sorter_finish(all);
  place last = {0};
  bool is_again = false;
  for (const place *p; is_good && (p = sorter_next(all)); last = *p) {
    if (is_again && p->source != last.source)
      is_good = spool_write(b->places, &last, sizeof last), b->place_count++;
    is_again = p->source == last.source && last.source;
  }
  if (is_good && is_again)
    is_good = spool_write(b->places, &last, sizeof last), b->place_count++;
  sorter_free(all);
  rewind(b->log);
  return is_good && spool_finish(b->places);
}

static bool is_last(const broken_links *b, uint64_t source, uint64_t at)
{
  const place wanted = {source, at}, *all = spool_bytes(b->places);
  for (uint64_t begin = 0, end = b->place_count; begin < end;) {
    uint64_t middle = begin + (end - begin) / 2;
    if (all[middle].source == source)
      return all[middle].at == at;
    if (compare_places(&all[middle], &wanted) < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  return true;
}

/* Is it still a page? */
static const fetch_row *page_of(const broken_links *b, uint64_t source)
{
  const fetch_row *row = fetch_table_find(b->table, source);
  return row && ((row->ending >= 200 && row->ending <= 299) || row->ending == 304) ? row : NULL;
}

static bool keep_mixed(broken_links *b, const fetch_row *page, uint64_t target, link_element by)
{
  const fetch_row *row = fetch_table_find(b->table, target);
  b->counts.mixed++;
  if (!row || b->mixed_count == MIXED_KEPT)
    return true;
  mixed_link *m = &b->mixed[b->mixed_count++];
  const char *address = fetch_table_url(b->table, row);
  m->by = by;
  m->target = address ? strdup(address) : NULL;
  address = m->target ? fetch_table_url(b->table, page) : NULL;
  m->source = address ? strdup(address) : NULL;
  return m->source != NULL;
}

static void set_bit(uint8_t *bits, uint64_t i)
{
  bits[i / 8] |= (uint8_t)(1U << i % 8);
}

static bool has_bit(const uint8_t *bits, uint64_t i)
{
  return bits[i / 8] >> i % 8 & 1;
}

/* Sitemaps are not in every crawl: where there is none, no edge is looked up. */
static bool begin_orphans(broken_links *b)
{
  uint64_t count, i = 0;
  const fetch_row *rows = fetch_table_rows(b->table, &count);
  while (i < count && !(rows[i].flags & FETCH_MAP))
    i++;
  if (i == count)
    return true;
  b->in_maps = calloc(count / 8 + 1, 1);
  b->in_pages = calloc(count / 8 + 1, 1);
  return b->in_maps && b->in_pages;
}

/* A link to what redirects is one to where that leads. */
static void note_linked(broken_links *b, const fetch_row *page, uint64_t target)
{
  enum { HOPS = 20 };
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(b->table, &count), *row = fetch_table_find(b->table, target);
  for (unsigned i = 0; row && row != page && i < HOPS; i++) {
    set_bit(page->flags & FETCH_MAP ? b->in_maps : b->in_pages, (uint64_t)(row - rows));
    row = row->next ? fetch_table_find(b->table, row->next) : NULL;
  }
}

bool broken_links_is_orphan(const broken_links *b, uint64_t row)
{
  uint64_t count;
  const fetch_row *rows = fetch_table_rows(b->table, &count);
  return b->in_maps && has_bit(b->in_maps, row) && !has_bit(b->in_pages, row) && !(rows[row].flags & FETCH_START);
}

/* It waits, or robots.txt forbids it, or its address is not public; or that is so where it redirects to. */
static bool is_unchecked(const broken_links *b, uint64_t target)
{
  const fetch_row *row = fetch_table_find(b->table, target);
  if (row && !row->next)
    return row->ending == (FETCH_NO_ANSWER | FETCH_PRIVATE);
  fetch_end end = row ? fetch_table_follow(b->table, row) : (fetch_end){.last = NULL};
  return !end.is_known || end.ending == (FETCH_NO_ANSWER | FETCH_PRIVATE);
}

static bool take_page(broken_links *b, const fetch_row *page, uint32_t count)
{
  uint64_t text = UINT64_MAX;
  b->counts.links += count;
  for (const uint8_t *at = b->page + EDGE_HEAD; count > 0; count--, at += EDGE_SIZE) {
    uint64_t target = get_le(at, 8), to = find_target(b, target);
    link_element by = (link_element)(at[8] & ~EDGE_MIXED);
    if (at[8] & EDGE_MIXED && !keep_mixed(b, page, target, by))
      return false;
    if (b->in_maps)
      note_linked(b, page, target);
    if (to == b->target_count) {
      b->counts.unchecked += is_unchecked(b, target);
      continue;
    }
    if (text == UINT64_MAX) {
      const char *address = fetch_table_url(b->table, page);
      if (!address || !add_text(b, address, &text))
        return false;
      b->counts.sources++;
    }
    set_bit(b->linked, to);
    b->edge_count++;
    if (!spool_write(b->edges, &(broken_edge){to, text, (uint8_t)by}, sizeof(broken_edge)))
      return false;
  }
  return true;
}

static bool find_edges(broken_links *b)
{
  uint64_t source, empty;
  uint32_t count;
  bool is_good = add_text(b, "", &empty);
  const broken_target *targets = spool_bytes(b->targets);
  for (uint64_t i = 0; is_good && i < b->target_count; i++)
    if (targets[i].is_start) {
      is_good = spool_write(b->edges, &(broken_edge){i, empty, BY_UNKNOWN}, sizeof(broken_edge));
      b->edge_count++;
    }
  for (off_t at = 0; is_good && next_record(b, &source, &count); at = ftello(b->log)) {
    const fetch_row *page = is_last(b, source, (uint64_t)at) ? page_of(b, source) : NULL;
    is_good = !page || take_page(b, page, count);
  }
  return is_good && !b->why && spool_finish(b->edges) && spool_finish(b->texts);
}

/* ---- in order ------------------------------------------------------------------------------------------------ */

static int compare_links(const void *a, const void *b)
{
  const broken_link *x = a, *y = b;
  int order = x->target == y->target ? 0 : strcmp(x->target, y->target);
  if (order == 0)
    order = x->source == y->source ? 0 : strcmp(x->source, y->source);
  return order ? order : strcmp(link_element_name(x->by), link_element_name(y->by));
}

static bool sort_links(broken_links *b, const char *directory)
{
  const char *texts = spool_bytes(b->texts);
  const broken_target *targets = spool_bytes(b->targets);
  const broken_edge *edges = spool_bytes(b->edges);
  b->rows = sorter_create(directory, sizeof(broken_link), compare_links, SORT_MEMORY);
  for (uint64_t i = 0; b->rows && i < b->edge_count; i++) {
    const broken_target *t = &targets[edges[i].target];
    broken_link link = {.target = texts + t->text,
                        .source = texts + edges[i].source,
                        .ending = t->ending,
                        .by = (link_element)edges[i].by};
    if (!sorter_add(b->rows, &link))
      return false;
  }
  for (uint64_t i = 0; i < b->target_count; i++)
    b->counts.targets += targets[i].is_start || has_bit(b->linked, i);
  b->counts.broken = b->edge_count;
  return b->rows && sorter_finish(b->rows);
}

static bool open_files(broken_links *b, const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  crawl_dir_file(directory, "edges", path);
  b->log = own_file_stream(path, "r", 0);
  if (!b->log)
    b->why = errno == ENOENT ? "there is no such file: the crawl was not audited, as by strata audit URL"
                             : own_file_words(errno);
  b->texts = spool_create(directory);
  b->targets = spool_create(directory);
  b->edges = spool_create(directory);
  b->places = spool_create(directory);
  return b->log && b->texts && b->targets && b->edges && b->places;
}

static bool read_table(broken_links *b, frontier *f, const char *directory)
{
  frontier_stats stats;
  if (frontier_stats_read(f, &stats) != FRONTIER_OK) {
    b->why = frontier_message(f);
    return false;
  }
  b->table = fetch_table_read(f, stats.profile, directory);
  return b->table != NULL;
}

broken_links *broken_links_read(frontier *f, const char *directory, char message[FRONTIER_MESSAGE_SIZE])
{
  broken_links *b = calloc(1, sizeof *b);
  snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory");
  if (!b)
    return NULL;
  bool is_good = open_files(b, directory) && read_table(b, f, directory) && find_targets(b) &&
                 (b->linked = calloc(b->target_count / 8 + 1, 1)) && find_places(b, directory) && begin_orphans(b) &&
                 find_edges(b) && sort_links(b, directory);
  if (is_good)
    return b;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%.300s/edges: %.150s", directory, b->why ? b->why : strerror(errno));
  broken_links_free(b);
  return NULL;
}

void broken_links_free(broken_links *b)
{
  if (!b)
    return;
  sorter_free(b->rows);
  fetch_table_free(b->table);
  spool_free(b->texts);
  spool_free(b->targets);
  spool_free(b->edges);
  spool_free(b->places);
  for (size_t i = 0; i < b->mixed_count; i++) {
    free(b->mixed[i].source);
    free(b->mixed[i].target);
  }
  if (b->log)
    fclose(b->log);
  free(b->linked);
  free(b->in_maps);
  free(b->in_pages);
  free(b);
}

fetch_table *broken_links_table(const broken_links *b)
{
  return b->table;
}

bool broken_links_next(broken_links *b, broken_link *link)
{
  const broken_link *next = sorter_next(b->rows);
  if (next)
    *link = *next;
  return next;
}

broken_counts broken_links_count(const broken_links *b)
{
  return b->counts;
}

const mixed_link *broken_links_mixed(const broken_links *b, size_t *count)
{
  *count = b->mixed_count;
  return b->mixed;
}
