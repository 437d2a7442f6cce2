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
  bool explain;
  uniq_memory memory;
  url url;
  uint64_t lines, fresh, refused, bad; /* bad: refused, and what is no line of text at all */
  lot lot;
} run;

/* ---- one line ------------------------------------------------------------------------------------------- */

static void explain(mlbf_verdict verdict)
{
  static const char *const names[] = {[MLBF_SEEN] = "seen",
                                      [MLBF_NEW] = "new",
                                      [MLBF_NEW_SEGMENT] = "new-segment",
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

/* The output first: lines that the state remembers and that were never printed would be lost. */
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

static bool take_filter(void *args, const option_row *row, char *value)
{
  uniq_settings *settings = &((run *)args)->settings;
  return value_filter("uniq", row->name, value, &settings->filter.kind, &settings->exact);
}

/* A number alone is a number of lines. */
static bool take_window(void *args, const option_row *row, char *value)
{
  mlbf_window_options *window = &((run *)args)->settings.window;
  bool is_count = value[strspn(value, "0123456789")] == '\0';
  window->unit = is_count ? MLBF_WINDOW_INSERTIONS : MLBF_WINDOW_MS;
  if (is_count)
    return value_number("uniq", row->name, value, 1, UINT64_C(1) << 40, false, &window->window);
  return value_duration("uniq", row->name, value, &window->window);
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

#define FIELD(member) OPTION_FIELD(run, member)
#define GIVEN(member) .given = offsetof(run, member)

static const option_row option_rows[] = {
  {"state", "FILE", OPTION_STRING, FIELD(state),
   .help = "file of the seen URLs, kept across runs; the run replaces it as a whole at its end",
   .manual = "File of the seen URLs, kept across runs. A run replaces it as a whole at its end; a run that is killed "
             "leaves it unchanged."},
  {"window", "W", OPTION_CALL, .take = take_window,
   .help = "forget URLs older than the last W lines (a number), or than W (90s, 30m, 1h, 7d); a URL\n"
           "may be remembered up to 8.4 % longer, never shorter; fixed for a state",
   .manual = "Forget URLs older than the last {Ar W} lines, or than {Ar W} if it is a duration such as 90s, 30m, 1h or "
             "7d. A URL may be remembered up to 8.4 % longer, never shorter. {Ar W} is fixed for a state."},
  {"expect", "N", OPTION_COUNT, FIELD(settings.window.keys), GIVEN(settings.expect_given), .low = 1,
   .high = (uint64_t)1 << 40,
   .help = "expected number of different URLs in a window of time (default 1000000); fixed for a state",
   .manual = "Expected number of different URLs in a window of time; 1000000 if not given; fixed for a state. With "
             "more URLs, new ones are dropped more often than {Fl -fp} says."},
  {"filter", "KIND", OPTION_CALL, .take = take_filter, GIVEN(settings.filter_given),
   .help = "mlbf (default), bloom or line; or exact, which never drops a new URL; fixed for a state;\n"
           "not with --window",
   .manual = "{Cm mlbf} (the default), {Cm bloom} or {Cm line}; or {Cm exact}, which keeps a hash of 128 bits for "
             "each URL, 18 to 23 bytes in memory and 16 in a state, and never drops a new one; fixed for a state; not "
             "with {Fl -window}."},
  {"fp", "P", OPTION_RATE, FIELD(settings.filter.rate), GIVEN(settings.rate_given),
   .help = "probability that a new URL is wrongly dropped (default 1e-6); fixed for a state; not with\n"
           "exact",
   .manual = "Probability that a new URL is wrongly dropped; 1e-6 if not given; fixed for a state; not with "
             "{Cm exact}."},
  {"profile", "RULES", OPTION_PROFILE, FIELD(settings.profile), GIVEN(settings.profile_given),
   .help = "which spellings of a URL are one page: strict (default), or no-www, sort-query, ...",
   .manual = "Rules by which spellings of a URL are one page; see {Nm} {Cm url}."},
  {"explain", NULL, OPTION_FLAG, FIELD(explain),
   .help = "print every line, after its verdict and the layer that decided"},
  {"summary", "FILE", OPTION_STRING, FIELD(summary), .help = "write the counts as one JSON object"},
};

const option_table cmd_uniq_options = {
  .command = "uniq",
  .column = 19,
  OPTION_ROWS(option_rows),
  .before =
    "Usage: strata uniq [OPTION]... [FILE]...\n"
    "Print each line whose URL did not occur before, unchanged and in order. No FILE, or -: standard input.\n"
    "Two spellings of one page are one URL. Memory: 5 to 11 bytes a URL, whatever the lines' length; 16 bytes with\n"
    "--window, 18 to 23 with --filter exact.\n"
    "\n"
    "  strata uniq urls.txt > new.txt\n"
    "  zcat crawl-*.gz | strata uniq --state seen.mlbf      only URLs that no earlier run printed\n"
    "  strata uniq --explain urls.txt | grep ^new-host\n"
    "  tail -f found.log | strata uniq --window 7d --state week.mlbf\n",
  .after = "Lines without an http or https URL are counted and dropped; the first five are reported.\n",
};

/* OPTIONS_READ, or the exit code. */
static int parse(run *r, int argc, char **argv)
{
  enum { KEYS_IN_TIME = 1000000 }; /* URLs: 16 MB */
  uniq_settings *settings = &r->settings;
  settings->filter = (mlbf_options){.kind = MLBF_KIND_MLBF, .rate = 1e-6};
  int code = options_read(&cmd_uniq_options, argc, argv, r);
  if (code != OPTIONS_READ)
    return code;
  settings->filter.signals = settings->filter.kind == MLBF_KIND_MLBF; /* the others have none to give */
  if (settings->window.unit == MLBF_WINDOW_MS && !settings->expect_given)
    settings->window.keys = KEYS_IN_TIME;
  url_profile_name(settings->profile, settings->profile_name);
  return options_agree(settings) ? OPTIONS_READ : EXIT_USAGE;
}

int cmd_uniq(int argc, char **argv)
{
  run *r = calloc(1, sizeof *r);
  if (!r) {
    say_error("uniq", "out of memory");
    return EXIT_FAILED;
  }
  int code = parse(r, argc, argv);
  if (code == OPTIONS_READ)
    code = run_uniq(r, argv + optind, argc - optind);
  uniq_memory_free(&r->memory);
  free(r);
  return code;
}
