/* strata inlinks: the URLs of a crawl that most pages link to; --delta and --apply are in inlinks_delta.h. */
#include "crawler/commands/cmd.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/commands/inlinks_delta.h"
#include "crawler/base/message.h"
#include "crawler/base/shown.h"
#include "frontier/base/own_file.h"
#include "frontier/inlinks.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
  uint32_t count;
  uint64_t id;
  char *url;
} ranked;

typedef struct ranking {
  const inlinks *counts;
  url_profile profile;
  url u;
  ranked *best; /* a heap, the least of them first */
  size_t size, room;
  bool is_out_of_memory;
} ranking;

/* ---- the best so far ------------------------------------------------------------------------------------ */

/* More links come first, then what was found earlier. */
static int compare(const void *a, const void *b)
{
  const ranked *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? 1 : -1;
  return x->id < y->id ? -1 : x->id > y->id;
}

static void sift_down(ranking *r, size_t at)
{
  for (size_t child; (child = 2 * at + 1) < r->size; at = child) {
    if (child + 1 < r->size && compare(&r->best[child + 1], &r->best[child]) > 0)
      child++;
    if (compare(&r->best[child], &r->best[at]) <= 0)
      return;
    ranked other = r->best[at];
    r->best[at] = r->best[child];
    r->best[child] = other;
  }
}

static void sift_up(ranking *r, size_t at)
{
  for (size_t parent; at > 0 && compare(&r->best[at], &r->best[parent = (at - 1) / 2]) > 0; at = parent) {
    ranked other = r->best[at];
    r->best[at] = r->best[parent];
    r->best[parent] = other;
  }
}

static bool rank_url(void *context, const frontier_record *record)
{
  ranking *r = context;
  if (record->verdict.outcome == FRONTIER_SEEN)
    return true; /* another spelling of a page that is ranked (loop/redirect_chain.h) */
  if (url_parse(record->url, record->url_size, r->profile, &r->u) != URL_OK)
    return true; /* no URL of ours: no page can have linked to it */
  ranked one = {.count = inlinks_count(r->counts, &r->u), .id = record->id};
  if (one.count == 0 || (r->size == r->room && compare(&one, &r->best[0]) >= 0))
    return true;
  one.url = strndup(record->url, record->url_size);
  if (!one.url) {
    r->is_out_of_memory = true;
    return false;
  }
  if (r->size < r->room) {
    r->best[r->size] = one;
    sift_up(r, r->size++);
  } else {
    free(r->best[0].url);
    r->best[0] = one;
    sift_down(r, 0);
  }
  return true;
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static void print(ranking *r)
{
  qsort(r->best, r->size, sizeof *r->best, compare);
  for (size_t i = 0; i < r->size; i++)
    if (i == 0 || r->best[i].id != r->best[i - 1].id) { /* met twice, as it moved from queue to history */
      printf("%u\t", (unsigned)r->best[i].count);
      shown_puts(r->best[i].url);
    }
}

static bool rank_all(frontier *f, ranking *r)
{
  frontier_stats stats;
  if (frontier_stats_read(f, &stats) != FRONTIER_OK) {
    say_error("inlinks", "%s", frontier_message(f));
    return false;
  }
  r->profile = stats.profile;
  bool is_read = frontier_each(f, rank_url, r) == FRONTIER_OK && !r->is_out_of_memory;
  if (!is_read)
    say_error("inlinks", "%s", r->is_out_of_memory ? "out of memory" : frontier_message(f));
  return is_read;
}

static inlinks *open_counts(const frontier *f, const char *directory)
{
  char path[CRAWL_PATH_SIZE];
  uint8_t secret[MLBF_SECRET_BYTES];
  inlinks *counts = NULL;
  crawl_dir_file(directory, "inlinks", path);
  frontier_secret(f, secret);
  mlbf_status status = inlinks_open_existing_with(path, secret, &counts);
  if (status == MLBF_IO && errno == ENOENT)
    say_error("inlinks", "%s: no in-link counts yet; a crawl saves them once a minute and at its end", directory);
  else if (status != MLBF_OK)
    say_error("inlinks", "%s.*: %s", path, status == MLBF_IO ? own_file_words(errno) : mlbf_status_text(status));
  return counts;
}

static int list_best(const char *directory, size_t top)
{
  bool is_done = false;
  frontier *f = crawl_dir_open("inlinks", directory);
  inlinks *counts = f ? open_counts(f, directory) : NULL;
  ranking *r = counts ? calloc(1, sizeof *r) : NULL;
  if (r && (r->best = calloc(top, sizeof *r->best))) {
    r->counts = counts;
    r->room = top;
    is_done = rank_all(f, r);
    if (is_done)
      print(r);
    for (size_t i = 0; i < r->size; i++)
      free(r->best[i].url);
    free(r->best);
  } else if (counts) {
    say_error("inlinks", "out of memory");
  }
  free(r);
  inlinks_close(counts);
  frontier_close(f);
  return is_done && fflush(stdout) == 0 && !ferror(stdout) ? EXIT_DONE : EXIT_FAILED;
}

typedef struct request {
  uint64_t top;
  bool is_delta;
  const char *output, *apply;
} request;

static int usage(const char *what)
{
  say_error("inlinks", "%s", what);
  return EXIT_USAGE;
}

/* `words`: what is no option. */
static int answer(const request *r, char **words, int count)
{
  if (r->is_delta && r->apply)
    return usage("--delta or --apply, not both");
  if (r->is_delta && (count != 2 || !r->output))
    return usage("two directories and a file, please: strata inlinks --delta OLD NEW -o FILE");
  if (!r->is_delta && r->output)
    return usage("-o goes with --delta");
  if (r->is_delta)
    return inlinks_delta_write(words[0], words[1], r->output);
  if (count != 1)
    return usage("one directory, please: strata inlinks DIR");
  return r->apply ? inlinks_delta_apply(r->apply, words[0]) : list_best(words[0], (size_t)r->top);
}

#define FIELD(member) OPTION_FIELD(request, member)

static const option_row option_rows[] = {
  {"top", "N", OPTION_COUNT, FIELD(top), .low = 1, .high = 1000000, .help = "how many URLs (default 20)"},
  {"delta", NULL, OPTION_FLAG, FIELD(is_delta),
   .help = "write how much the counts of the crawl NEW grew since OLD, an earlier copy of its directory, or\n"
           "of only its files inlinks.*, to FILE.0, and to FILE.1, ... for a larger crawl; mostly zeros, so\n"
           "they compress well",
   .manual = "With {Ar OLD NEW} instead of {Ar DIR}: write how much the counts in {Ar NEW} grew since {Ar OLD}, an "
             "earlier copy of its directory, or of only its files {Pa inlinks.*}. Refused if {Ar OLD} is not an "
             "earlier state of {Ar NEW}."},
  {"output", "FILE", OPTION_STRING, FIELD(output), .letter = 'o',
   .help = "with --delta: FILE.0, which must not exist yet",
   .manual = "With {Fl -delta}: write to {Ar FILE Ns Pa .0}, and to {Ar FILE Ns Pa .1} and so on if the crawl has more "
             "than a million URLs. The files are mostly zeros and compress well."},
  {"apply", "FILE", OPTION_STRING, FIELD(apply),
   .help = "add the delta in FILE, once, to the counts of DIR, where no crawl may be running. The counts of\n"
           "DIR must be those of OLD, or of a merge that included OLD, unchanged since: with others, counts\n"
           "could become too low",
   .manual = "Add the delta in {Ar FILE}, once, to the counts in {Ar DIR}, where no crawl may be running. The counts "
             "must be those of {Ar OLD}, or of a merge that included {Ar OLD}, unchanged since: with others, counts "
             "could become too low. Refused if their size or secret differs."},
};

const option_table cmd_inlinks_options = {
  .command = "inlinks",
  .column = 14,
  OPTION_ROWS(option_rows),
  .before =
    "Usage: strata inlinks DIR [--top N]\n"
    "       strata inlinks --delta OLD NEW -o FILE\n"
    "       strata inlinks --apply FILE DIR\n"
    "Print the URLs of the crawl in DIR that most of its pages link to: number of pages, TAB, URL. Works during a\n"
    "crawl; counts are saved once a minute. They come from a counting filter: never too low, except by what a crash\n"
    "lost; too high for about one URL in ten at worst.\n"
    "\n"
    "  strata inlinks strata-example.org --top 100\n"
    "  strata inlinks --delta monday tuesday -o since-monday && xz since-monday.0\n",
};

int cmd_inlinks(int argc, char **argv)
{
  request r = {.top = 20};
  int code = options_read(&cmd_inlinks_options, argc, argv, &r);
  return code == OPTIONS_READ ? answer(&r, argv + optind, argc - optind) : code;
}
