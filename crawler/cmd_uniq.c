/* strata uniq: a Unix filter for URL streams. First sightings pass, in order and as they were spelled. */
#include "crawler/cmd.h"
#include "crawler/json.h"
#include "crawler/say.h"
#include "crawler/values.h"
#include "datasets/reader.h"
#include "frontier/url.h"
#include "mlbf/growth.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
  "Usage: strata uniq [OPTION]... [FILE]...\n"
  "Print each URL line whose URL was not there before, as it is spelled, in order. No FILE, or -: standard input.\n"
  "Two spellings of one page are one URL. Memory: 5 to 11 bytes a URL, whatever the lines' length.\n"
  "\n"
  "  strata uniq urls.txt > new.txt\n"
  "  zcat crawl-*.gz | strata uniq --state seen.mlbf      only what no earlier run printed\n"
  "  strata uniq --explain urls.txt | grep ^new-host\n"
  "\n"
  "  --state FILE     what was seen, kept across runs; replaced as a whole at the end\n"
  "  --filter KIND    mlbf (default), bloom or line; fixed for a state\n"
  "  --fp P           share of new URLs that may wrongly be dropped (default 1e-6); fixed for a state\n"
  "  --profile RULES  which spellings are one page: strict (default), or no-www, sort-query, ...\n"
  "  --explain        every line, behind its verdict and the layer that decided\n"
  "  --summary FILE   counts as one JSON object\n"
  "\n"
  "Lines that are no http or https URL are counted and dropped; the first five are named.\n"
  "Exit: 0 done, 1 failed, 2 usage.\n";

typedef struct run {
  mlbf_options filter;
  url_profile profile;
  char profile_name[URL_PROFILE_NAME_SIZE];
  const char *state, *summary;
  bool filter_given, rate_given, profile_given, explain, help;
  mlbf_chain *chain;
  url url;
  uint64_t lines, fresh, refused, bad; /* bad: refused, and what is no line of text at all */
} run;

/* ---- one line ------------------------------------------------------------------------------------------- */

static mlbf_status judge(run *r, mlbf_verdict *verdict)
{
  mlbf_span segments[URL_SEGMENTS_MAX];
  mlbf_hashes hashes;
  const url *u = &r->url;
  for (uint32_t i = 0; i < u->segment_count; i++)
    segments[i] = (mlbf_span){u->key + u->segment_begin[i], u->segment_begin[i + 1] - u->segment_begin[i]};
  mlbf_chain_hash(r->chain, segments, u->segment_count, &hashes);
  return mlbf_chain_insert(r->chain, &hashes, verdict);
}

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

/* false: no memory. */
static bool pass_line(run *r, dataset_reader *reader, const char *line, size_t size)
{
  mlbf_verdict verdict;
  r->lines++;
  if (url_parse(line, size, r->profile, &r->url) != URL_OK) {
    dataset_refuse(reader, DATASET_REFUSED);
    r->refused++;
    return true;
  }
  if (judge(r, &verdict) != MLBF_OK)
    return false;
  bool is_new = verdict.outcome != MLBF_SEEN;
  r->fresh += is_new;
  if (r->explain)
    explain(verdict);
  if (is_new || r->explain) {
    fwrite(line, 1, size, stdout);
    putchar('\n');
  }
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
    good = pass_line(r, reader, line, size);
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

/* ---- the state ------------------------------------------------------------------------------------------ */

/* What was asked for by name must be what the state was made with; the rest is the state's. */
static bool adopt_state(run *r)
{
  mlbf_chain_stats was;
  const char *differs = NULL;
  mlbf_chain_stats_read(r->chain, &was);
  if (!url_profile_parse(was.profile, &r->profile)) {
    say_error("uniq", "%s: its profile \"%s\" is unknown to this version", r->state, was.profile);
    return false;
  }
  if (r->filter_given && was.kind != r->filter.kind)
    differs = "filter";
  else if (r->rate_given && fabs(was.promised_rate / r->filter.rate - 1) > 1e-6)
    differs = "fp";
  else if (r->profile_given && strcmp(was.profile, r->profile_name) != 0)
    differs = "profile";
  if (differs)
    say_error("uniq", "--%s: %s was made otherwise, which cannot change; choose another --state", differs, r->state);
  return !differs;
}

static bool open_chain(run *r)
{
  struct stat info;
  bool is_kept = r->state && (stat(r->state, &info) == 0 || errno != ENOENT);
  mlbf_status status = is_kept ? mlbf_chain_load(r->state, &r->chain) : mlbf_chain_create(&r->filter, &r->chain);
  if (status != MLBF_OK) {
    say_error("uniq", "%s: %s", is_kept ? r->state : "the filter",
              status == MLBF_IO ? strerror(errno) : mlbf_status_text(status));
    return false;
  }
  return !is_kept || adopt_state(r);
}

/* ---- the end -------------------------------------------------------------------------------------------- */

static bool write_summary(const run *r)
{
  json text = {0};
  mlbf_chain_stats stats;
  mlbf_chain_stats_read(r->chain, &stats);
  json_begin(&text);
  json_put_number(&text, "lines", r->lines);
  json_put_number(&text, "new", r->fresh);
  json_put_number(&text, "seen", r->lines - r->fresh - r->refused);
  json_put_number(&text, "bad", r->bad);
  json_put_string(&text, "filter", mlbf_kind_name(stats.kind));
  json_put_string(&text, "profile", stats.profile);
  json_put_number(&text, "urls", stats.keys);
  json_put_number(&text, "memory_bytes", stats.bits / 8);
  json_put_rate(&text, "promised_fp", stats.promised_rate);
  json_put_rate(&text, "fp", stats.rate);
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
  mlbf_status saved = r->state ? mlbf_chain_save(r->chain, r->state) : MLBF_OK;
  if (saved != MLBF_OK) {
    say_error("uniq", "%s: %s; it is as it was", r->state, saved == MLBF_IO ? strerror(errno) : mlbf_status_text(saved));
    return EXIT_FAILED;
  }
  return !r->summary || write_summary(r) ? EXIT_DONE : EXIT_FAILED;
}

static int run_uniq(run *r, char **files, int count)
{
  static char out[1 << 18];
  static char input[] = "-", *standard_input[] = {input};
  if (count == 0) {
    files = standard_input;
    count = 1;
  }
  if (!open_chain(r))
    return EXIT_FAILED;
  setvbuf(stdout, out, _IOFBF, sizeof out);
  for (int i = 0; i < count; i++)
    if (!pass_file(r, files[i]))
      return EXIT_FAILED;
  return conclude(r);
}

/* ---- the command line ----------------------------------------------------------------------------------- */

static bool take_option(run *r, int option, const char *value)
{
  switch (option) {
  case 's': r->state = value; return true;
  case 'f':
    r->filter_given = true;
    if (strcmp(value, "exact") == 0)
      return value_refuse("uniq", "filter", value, "not in this version yet; mlbf, bloom and line are");
    if (strcmp(value, "mlbf") != 0 && strcmp(value, "bloom") != 0 && strcmp(value, "line") != 0)
      return value_refuse("uniq", "filter", value, "mlbf, bloom or line, please");
    return mlbf_kind_from_name(value, &r->filter.kind);
  case 'p': r->rate_given = true; return value_rate("uniq", "fp", value, &r->filter.rate);
  case 'r':
    r->profile_given = true;
    return url_profile_parse(value, &r->profile) ||
           value_refuse("uniq", "profile", value, "no such rules; \"strata url --help\" lists them");
  case 'e': r->explain = true; return true;
  case 'j': r->summary = value; return true;
  case 'h': r->help = true; return true;
  case 'w': say_error("uniq", "--window is not in this version yet"); return false;
  default: fprintf(stderr, "Try \"strata uniq --help\".\n"); return false;
  }
}

static bool parse(run *r, int argc, char **argv)
{
  static const struct option options[] = {
    {"state", required_argument, NULL, 's'},   {"filter", required_argument, NULL, 'f'},
    {"fp", required_argument, NULL, 'p'},      {"profile", required_argument, NULL, 'r'},
    {"explain", no_argument, NULL, 'e'},       {"summary", required_argument, NULL, 'j'},
    {"window", required_argument, NULL, 'w'},  {"help", no_argument, NULL, 'h'}, {0}};
  enum { FIRST_SLICE = 1 << 20 }; /* URLs: 4.5 MB; each slice doubles what is there */
  r->filter = (mlbf_options){.kind = MLBF_KIND_MLBF, .keys = FIRST_SLICE, .rate = 1e-6};
  for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
    if (!take_option(r, option, optarg))
      return false;
  r->filter.signals = r->filter.kind == MLBF_KIND_MLBF; /* the others have none to give */
  url_profile_name(r->profile, r->profile_name);
  r->filter.profile = r->profile_name;
  return true;
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
  mlbf_chain_free(r->chain);
  free(r);
  return code;
}
