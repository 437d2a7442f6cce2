/* strata uniq: a Unix filter for URL streams. First sightings pass, in order and as they were spelled. */
#include "crawler/commands/cmd.h"
#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/commands/bad_lines.h"
#include "crawler/commands/uniq_memory.h"
#include "crawler/commands/values.h"
#include "datasets/read/reader.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
  "Usage: strata uniq [OPTION]... [FILE]...\n"
  "Print each URL line whose URL was not there before, as it is spelled, in order. No FILE, or -: standard input.\n"
  "Two spellings of one page are one URL. Memory: 5 to 11 bytes a URL, whatever the lines' length; 16 in a window,\n"
  "18 to 23 with --filter exact.\n"
  "\n"
  "  strata uniq urls.txt > new.txt\n"
  "  zcat crawl-*.gz | strata uniq --state seen.mlbf      only what no earlier run printed\n"
  "  strata uniq --explain urls.txt | grep ^new-host\n"
  "  tail -f found.log | strata uniq --window 7d --state week.mlbf\n"
  "\n"
  "  --state FILE     what was seen, kept across runs; replaced as a whole at the end\n"
  "  --window W       forget what is older than the last W lines (a number), or than W (90s, 30m, 1h, 7d); up to\n"
  "                   8.4 % more may be remembered, never less; fixed for a state\n"
  "  --expect N       different URLs within a window of time (default 1000000); fixed for a state\n"
  "  --filter KIND    mlbf (default), bloom or line; or exact, which never drops a new URL; fixed for a state;\n"
  "                   not with --window\n"
  "  --fp P           share of new URLs that may wrongly be dropped (default 1e-6); fixed for a state; not\n"
  "                   with exact\n"
  "  --profile RULES  which spellings are one page: strict (default), or no-www, sort-query, ...\n"
  "  --explain        every line, behind its verdict and the layer that decided\n"
  "  --summary FILE   counts as one JSON object\n"
  "\n"
  "Lines that are no http or https URL are counted and dropped; the first five are named.\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

/* Lines whose answer is due. */
enum { LOT = 32, LOT_TEXT = 256 * 1024 };

typedef struct lot {
  size_t count, used;
  struct {
    size_t at, size; /* in `text` */
    uniq_question question;
  } asked[LOT];
  char text[LOT_TEXT];
} lot;

typedef struct run {
  uniq_settings settings;
  const char *state, *summary;
  bool explain, help;
  uniq_memory memory;
  url url;
  uint64_t lines, fresh, refused, bad; /* bad: refused, and what is no line of text at all */
  lot lot;
} run;

/* ---- one line ------------------------------------------------------------------------------------------- */

static void explain(mlbf_verdict verdict)
{
  static const char *const names[] = {
    [MLBF_SEEN] = "seen", [MLBF_NEW] = "new", [MLBF_NEW_SEGMENT] = "new-segment",
    [MLBF_NEW_COMBINATION] = "new-combination"};
  if (verdict.outcome == MLBF_NEW_SEGMENT && verdict.layer == 1)
    fputs("new-host\t1\t", stdout);
  else if (verdict.layer)
    printf("%s\t%u\t", names[verdict.outcome], (unsigned)verdict.layer);
  else
    printf("%s\t-\t", names[verdict.outcome]);
}

static void pass_line(run *r, const char *line, size_t size, mlbf_verdict verdict)
{
  bool is_new = verdict.outcome != MLBF_SEEN;
  r->fresh += is_new;
  if (r->explain)
    explain(verdict);
  if (is_new || r->explain) { /* one thread writes: no lock for each line */
    fwrite_unlocked(line, 1, size, stdout);
    putc_unlocked('\n', stdout);
  }
}

/* The answers that are due. false: no memory. */
static bool settle(run *r)
{
  lot *l = &r->lot;
  for (size_t i = 0; i < l->count; i++) {
    mlbf_verdict verdict;
    if (uniq_memory_answer(&r->memory, &l->asked[i].question, &verdict) != MLBF_OK)
      return false;
    pass_line(r, l->text + l->asked[i].at, l->asked[i].size, verdict);
  }
  l->count = l->used = 0;
  return true;
}

/* One more line; what it is worth is said with its lot. false: no memory. */
static bool take_line(run *r, dataset_reader *reader, const char *line, size_t size)
{
  lot *l = &r->lot;
  r->lines++;
  if (url_parse(line, size, r->settings.profile, &r->url) != URL_OK) {
    dataset_refuse(reader, DATASET_REFUSED);
    r->refused++;
    return true;
  }
  if ((l->count == LOT || l->used + size > LOT_TEXT) && !settle(r))
    return false;
  memcpy(l->text + l->used, line, size);
  l->asked[l->count].at = l->used;
  l->asked[l->count].size = size;
  uniq_memory_ask(&r->memory, &r->url, &l->asked[l->count].question);
  l->used += size;
  l->count++;
  return true;
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static bool pass_file(run *r, const char *path)
{
  const char *line;
  size_t size;
  dataset_status status = DATASET_OK;
  dataset_reader *reader = dataset_open(path);
  if (!reader) {
    say_error("uniq", "%s: %s", path, strerror(errno));
    return false;
  }
  bool good = true;
  while (good && !ferror(stdout) && (status = dataset_next(reader, &line, &size)) == DATASET_OK)
    good = take_line(r, reader, line, size);
  good = good && settle(r);
  if (!good) {
    say_error("uniq", "out of memory after %llu URLs", (unsigned long long)r->fresh);
  } else if (!ferror(stdout) && status != DATASET_END) {
    say_error("uniq", "%s: %s", path, dataset_failure_text(status));
    good = false;
  }
  say_bad_lines("uniq", path, dataset_bad_lines(reader));
  r->bad += dataset_bad_lines(reader)->count;
  dataset_close(reader);
  return good;
}

/* ---- the end -------------------------------------------------------------------------------------------- */

static bool write_summary(const run *r)
{
  json text = {0};
  json_begin(&text);
  json_put_number(&text, "lines", r->lines);
  json_put_number(&text, "new", r->fresh);
  json_put_number(&text, "seen", r->lines - r->fresh - r->refused);
  json_put_number(&text, "bad", r->bad);
  uniq_memory_describe(&r->memory, &text);
  json_end(&text);
  FILE *file = fopen(r->summary, "w");
  bool written = file && !text.failed && fwrite(text.text, 1, text.size, file) == text.size && putc('\n', file) != EOF;
  written = file && fclose(file) == 0 && written;
  if (!written)
    say_error("uniq", "--summary %s: %s", r->summary, strerror(errno));
  json_free(&text);
  return written;
}

/* The output first: a state that remembers lines nobody got would lose them. */
static int conclude(run *r)
{
  if (fflush(stdout) != 0 || ferror(stdout)) {
    say_error("uniq", "writing the output: %s; --state is as it was", strerror(errno));
    return EXIT_FAILED;
  }
  mlbf_status saved = r->state ? uniq_memory_save(&r->memory, r->state) : MLBF_OK;
  if (saved != MLBF_OK) {
    say_error("uniq", "%s: %s; it is as it was", r->state,
              saved == MLBF_IO ? strerror(errno) : mlbf_status_text(saved));
    return EXIT_FAILED;
  }
  uniq_memory_warn(&r->memory);
  return !r->summary || write_summary(r) ? EXIT_DONE : EXIT_FAILED;
}

/* As many URLs as files of this size hold, so that one filter does: those of a real list have 73 bytes a line. Half as
 * many more cost little; far too few, and each line is asked of several filters. Streams begin small. */
static uint64_t expected_urls(char **files, int count)
{
  enum { FIRST_SLICE = 1 << 20, LINE = 64, MOST = 1 << 26 }; /* URLs: 4.5 MB, bytes, 300 MB */
  uint64_t bytes = 0;
  struct stat info;
  for (int i = 0; i < count; i++)
    bytes += stat(files[i], &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
  uint64_t urls = bytes / LINE;
  return urls < FIRST_SLICE ? FIRST_SLICE : urls < MOST ? urls : MOST;
}

static int run_uniq(run *r, char **files, int count)
{
  static char out[1 << 18];
  static char input[] = "-", *standard_input[] = {input};
  if (count == 0) {
    files = standard_input;
    count = 1;
  }
  r->settings.filter.keys = expected_urls(files, count);
  if (!uniq_memory_open(&r->settings, r->state, &r->memory))
    return EXIT_FAILED;
  setvbuf(stdout, out, _IOFBF, sizeof out);
  for (int i = 0; i < count; i++)
    if (!pass_file(r, files[i]))
      return EXIT_FAILED;
  return conclude(r);
}

/* ---- the command line ----------------------------------------------------------------------------------- */

static bool take_filter(uniq_settings *settings, const char *value)
{
  settings->filter_given = true;
  settings->exact = strcmp(value, "exact") == 0;
  if (settings->exact)
    return true;
  if (strcmp(value, "mlbf") != 0 && strcmp(value, "bloom") != 0 && strcmp(value, "line") != 0)
    return value_refuse("uniq", "filter", value, "mlbf, bloom, line or exact, please");
  return mlbf_kind_from_name(value, &settings->filter.kind);
}

/* A number alone is a number of lines. */
static bool take_window(mlbf_window_options *window, const char *value)
{
  bool is_count = value[strspn(value, "0123456789")] == '\0';
  window->unit = is_count ? MLBF_WINDOW_INSERTIONS : MLBF_WINDOW_MS;
  if (is_count)
    return value_number("uniq", "window", value, 1, UINT64_C(1) << 40, false, &window->window);
  return value_duration("uniq", "window", value, &window->window);
}

static bool take_option(run *r, int option, const char *value)
{
  uniq_settings *settings = &r->settings;
  switch (option) {
  case 's': r->state = value; return true;
  case 'f': return take_filter(settings, value);
  case 'p': settings->rate_given = true; return value_rate("uniq", "fp", value, &settings->filter.rate);
  case 'r':
    settings->profile_given = true;
    return url_profile_parse(value, &settings->profile) ||
           value_refuse("uniq", "profile", value, "no such rules; \"strata url --help\" lists them");
  case 'e': r->explain = true; return true;
  case 'j': r->summary = value; return true;
  case 'h': r->help = true; return true;
  case 'w': return take_window(&settings->window, value);
  case 'x':
    settings->expect_given = true;
    return value_number("uniq", "expect", value, 1, UINT64_C(1) << 40, false, &settings->window.keys);
  default: fprintf(stderr, "Try \"strata uniq --help\".\n"); return false;
  }
}

static bool options_agree(const uniq_settings *settings)
{
  if (settings->window.unit && settings->filter_given)
    say_error("uniq", "--filter: a window has its own; leave --filter or --window out");
  else if (settings->expect_given && settings->window.unit != MLBF_WINDOW_MS)
    say_error("uniq", "--expect is for a --window of time, such as 7d");
  else if (settings->exact && settings->rate_given)
    say_error("uniq", "--fp: exact keys have no such rate; leave --fp or --filter exact out");
  else
    return true;
  return false;
}

static bool parse(run *r, int argc, char **argv)
{
  static const struct option options[] = {
    {"state", required_argument, NULL, 's'},   {"filter", required_argument, NULL, 'f'},
    {"fp", required_argument, NULL, 'p'},      {"profile", required_argument, NULL, 'r'},
    {"explain", no_argument, NULL, 'e'},       {"summary", required_argument, NULL, 'j'},
    {"window", required_argument, NULL, 'w'},  {"expect", required_argument, NULL, 'x'},
    {"help", no_argument, NULL, 'h'},          {0}};
  enum { KEYS_IN_TIME = 1000000 }; /* URLs: 16 MB */
  uniq_settings *settings = &r->settings;
  settings->filter = (mlbf_options){.kind = MLBF_KIND_MLBF, .rate = 1e-6};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    if (!take_option(r, option, optarg))
      return false;
  settings->filter.signals = settings->filter.kind == MLBF_KIND_MLBF; /* the others have none to give */
  if (settings->window.unit == MLBF_WINDOW_MS && !settings->expect_given)
    settings->window.keys = KEYS_IN_TIME;
  url_profile_name(settings->profile, settings->profile_name);
  return options_agree(settings);
}

int cmd_uniq(int argc, char **argv)
{
  run *r = calloc(1, sizeof *r);
  int code = EXIT_USAGE;
  if (!r) {
    say_error("uniq", "out of memory");
    return EXIT_FAILED;
  }
  bool is_understood = parse(r, argc, argv);
  if (is_understood && r->help)
    code = fputs(help, stdout) < 0 ? EXIT_FAILED : EXIT_DONE;
  else if (is_understood)
    code = run_uniq(r, argv + optind, argc - optind);
  uniq_memory_free(&r->memory);
  free(r);
  return code;
}
