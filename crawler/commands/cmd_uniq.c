/* strata uniq: a Unix filter for URL streams. First sightings pass, in order and as they were spelled.
 *
 *     line -> lot: judged together -> output: written -> the state may be saved
 *
 * Before a read that would wait, all lines that were read are judged and written. A saved state knows only lines that
 * were written. So however a run ends, the next prints each line that this one did not: each at least once, and again
 * only what was written since the last save. */
#include "crawler/commands/cmd.h"
#include "crawler/base/json.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "crawler/commands/bad_lines.h"
#include "crawler/commands/line_pipe.h"
#include "crawler/commands/state_lock.h"
#include "crawler/commands/uniq_memory.h"
#include "crawler/commands/values.h"
#include "datasets/read/reader.h"
#include "frontier/base/machine.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lines whose answer is due, and the keys of their URLs. */
enum { LOT_TEXT = 256 * 1024 };

typedef struct lot {
  size_t used, key_used;
  mlbf_span lines[UNIQ_LOT];
  uniq_keys keys;
  mlbf_span segments[UNIQ_LOT][URL_SEGMENTS_MAX];
  char text[LOT_TEXT], key_text[LOT_TEXT];
} lot;

typedef struct run {
  uniq_settings settings;
  const char *state, *summary;
  uint64_t save_every_ms;
  bool explain, save_every_given;
  uniq_memory memory;
  url url;
  uint64_t lines, fresh, refused, bad; /* bad: refused, and what is no line of text at all */
  uint64_t unsaved_since_ms;           /* 0: the memory has not been seen to differ from the state */
  bool is_save_failing;                /* as was said */
  enum { GOING, STOPPED, FAILED } end; /* by a signal; with a sentence */
  progress progress;
  uint64_t input_bytes, input_read; /* of all files, and of those that were read; 0: they have no size */
  lot lot;
  line_output output;
} run;

/* ---- one line ------------------------------------------------------------------------------------------- */

static void explain(line_output *output, mlbf_verdict verdict)
{
  static const char *const names[] = {[MLBF_SEEN] = "seen",
                                      [MLBF_NEW] = "new",
                                      [MLBF_NEW_SEGMENT] = "new-segment",
                                      [MLBF_NEW_COMBINATION] = "new-combination"};
  char text[32];
  int size;
  if (verdict.outcome == MLBF_NEW_SEGMENT && verdict.layer == 1)
    size = snprintf(text, sizeof text, "new-host\t1\t");
  else if (verdict.layer)
    size = snprintf(text, sizeof text, "%s\t%u\t", names[verdict.outcome], (unsigned)verdict.layer);
  else
    size = snprintf(text, sizeof text, "%s\t-\t", names[verdict.outcome]);
  line_output_put(output, text, (size_t)size);
}

static void pass_line(run *r, const char *line, size_t size, mlbf_verdict verdict)
{
  bool is_new = verdict.outcome != MLBF_SEEN;
  r->fresh += is_new;
  if (r->explain)
    explain(&r->output, verdict);
  if (is_new || r->explain) {
    line_output_put(&r->output, line, size);
    line_output_put(&r->output, "\n", 1);
  }
}

/* The answers that are due. false: no memory. */
static bool settle(run *r)
{
  lot *l = &r->lot;
  mlbf_verdict verdicts[UNIQ_LOT];
  size_t done;
  mlbf_status status = uniq_memory_judge(&r->memory, &l->keys, verdicts, &done);
  for (size_t i = 0; i < done; i++)
    pass_line(r, l->lines[i].bytes, l->lines[i].size, verdicts[i]);
  l->keys.count = l->used = l->key_used = 0;
  if (status == MLBF_OK)
    return true;
  say_error("uniq", "out of memory after %llu URLs", (unsigned long long)r->fresh);
  r->end = FAILED;
  return false;
}

static void put_key(lot *l, const url *u)
{
  size_t i = l->keys.count++;
  char *copy = memcpy(l->key_text + l->key_used, u->key, u->key_size);
  l->key_used += u->key_size;
  l->keys.texts[i] = (mlbf_span){copy, u->key_size};
  l->keys.keys[i] = (mlbf_key){l->segments[i], u->segment_count};
  for (uint32_t s = 0; s < u->segment_count; s++)
    l->segments[i][s] = (mlbf_span){copy + u->segment_begin[s], u->segment_begin[s + 1] - u->segment_begin[s]};
}

/* One more line; what it is worth is said with its lot. */
static void take_line(run *r, dataset_reader *reader, const char *line, size_t size)
{
  lot *l = &r->lot;
  r->lines++;
  if (url_parse(line, size, r->settings.profile, &r->url) != URL_OK) {
    dataset_refuse(reader, DATASET_REFUSED);
    r->refused++;
    return;
  }
  bool is_full = l->keys.count == UNIQ_LOT || l->used + size > LOT_TEXT || l->key_used + r->url.key_size > LOT_TEXT;
  if (is_full && !settle(r))
    return;
  l->lines[l->keys.count] = (mlbf_span){memcpy(l->text + l->used, line, size), size};
  l->used += size;
  put_key(l, &r->url);
}

/* ---- output and state ----------------------------------------------------------------------------------- */

/* `finish` is line_output_flush or line_output_sync. */
static bool deliver(run *r, bool (*finish)(line_output *output))
{
  if (!settle(r))
    return false;
  if (finish(&r->output))
    return true;
  progress_clear(&r->progress);
  say_error("uniq", "writing the output: %s%s", strerror(r->output.error),
            r->state ? "; --state is as last saved, and the next run prints the rest" : "");
  r->end = FAILED;
  return false;
}

/* After the lines that it knows: on disk, where the output is a file. false: it was said. */
static bool save(run *r)
{
  if (!deliver(r, line_output_sync))
    return false;
  mlbf_status status = uniq_memory_save(&r->memory, r->state);
  if (status != MLBF_OK && !r->is_save_failing) {
    progress_clear(&r->progress);
    say_error("uniq", "%s: %s; it is as it was", r->state,
              status == MLBF_IO ? strerror(errno) : mlbf_status_text(status));
  }
  r->is_save_failing = status != MLBF_OK;
  return status == MLBF_OK;
}

/* How long until the state is to be saved, which it is if it is time; -1: it knows all. A full disk may have room next
 * time, and lines that come meanwhile are not lost. */
static int64_t save_in_time(run *r)
{
  if (!r->state || !r->memory.is_changed)
    return -1;
  uint64_t now = machine_monotonic_ms();
  if (!r->unsaved_since_ms)
    r->unsaved_since_ms = now;
  uint64_t age = now - r->unsaved_since_ms;
  if (age < r->save_every_ms)
    return (int64_t)(r->save_every_ms - age);
  r->unsaved_since_ms = save(r) ? 0 : machine_monotonic_ms();
  return r->unsaved_since_ms ? (int64_t)r->save_every_ms : -1;
}

/* Before each read of input. */
static bool wait_for_input(void *context, int file)
{
  run *r = context;
  while (r->end == GOING) {
    int64_t left_ms = save_in_time(r);
    if (line_pipe_is_stopped())
      r->end = STOPPED;
    else if (line_pipe_has_input(file))
      return true;
    else if (r->lot.keys.count || r->output.used)
      deliver(r, line_output_flush);
    else
      line_pipe_wait(file, left_ms);
  }
  errno = ECANCELED;
  return false;
}

/* ---- files ---------------------------------------------------------------------------------------------- */

/* By a signal, or by another reader of the same pipe that was faster: to be repeated. */
static bool is_interrupted(dataset_status status)
{
  return status == DATASET_IO && (errno == EINTR || errno == EAGAIN);
}

/* Ends with the file, a signal, or a sentence. */
static void pass_lines(run *r, dataset_reader *reader, const char *path)
{
  enum { SHOWN_EACH = 1024 }; /* lines */
  const char *line;
  size_t size;
  dataset_status status = DATASET_OK;
  while (r->end == GOING && !r->output.error && status != DATASET_END) {
    status = dataset_next(reader, &line, &size);
    if (status == DATASET_OK) {
      take_line(r, reader, line, size);
      if (r->lines % SHOWN_EACH == 0)
        progress_show(&r->progress, "reading", r->input_read + dataset_bytes_read(reader), r->input_bytes, r->lines,
                      "lines");
    } else if (r->end == GOING && status != DATASET_END && !is_interrupted(status)) {
      progress_clear(&r->progress);
      say_error("uniq", "%s: %s", path, dataset_failure_text(status));
      settle(r);
      r->end = FAILED;
    }
  }
}

/* Opening the next one may wait. */
static void pass_file(run *r, const char *path)
{
  dataset_reader *reader = deliver(r, line_output_flush) ? dataset_open(path) : NULL;
  if (reader) {
    dataset_before_read(reader, wait_for_input, r);
    pass_lines(r, reader, path);
    progress_clear(&r->progress);
    r->input_read += dataset_bytes_read(reader);
    say_bad_lines("uniq", path, dataset_bad_lines(reader));
    r->bad += dataset_bad_lines(reader)->count;
    dataset_close(reader);
  } else if (r->end == GOING && errno == EINTR && line_pipe_is_stopped()) {
    r->end = STOPPED;
  } else if (r->end == GOING) {
    say_error("uniq", "%s: %s", path, strerror(errno));
    r->end = FAILED;
  }
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

static int conclude(run *r)
{
  if (r->end == FAILED) { /* at most the input has, and what came before it is good */
    line_output_flush(&r->output);
    return EXIT_FAILED;
  }
  r->is_save_failing = false; /* say it again */
  if (r->state ? !save(r) : !deliver(r, line_output_flush))
    return EXIT_FAILED;
  uniq_memory_warn(&r->memory);
  if (r->summary && !write_summary(r))
    return EXIT_FAILED;
  return r->end == STOPPED ? EXIT_STOPPED : EXIT_DONE;
}

/* As many URLs as files of this size hold, so that one filter does: those of a real list have 73 bytes a line. Half as
 * many more cost little; far too few, and each line is asked of several filters. Streams begin small. */
static uint64_t expected_urls(char **files, int count, uint64_t *size)
{
  enum { FIRST_SLICE = 1 << 20, LINE = 64, MOST = 1 << 26 }; /* URLs: 4.5 MB, bytes, 300 MB */
  uint64_t bytes = 0;
  struct stat info;
  for (int i = 0; i < count; i++)
    bytes += stat(files[i], &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
  *size = bytes;
  uint64_t urls = bytes / LINE;
  return urls < FIRST_SLICE ? FIRST_SLICE : urls < MOST ? urls : MOST;
}

static int pass_files(run *r, char **files, int count)
{
  r->settings.filter.keys = expected_urls(files, count, &r->input_bytes);
  if (!uniq_memory_open(&r->settings, r->state, &r->memory))
    return EXIT_FAILED;
  for (int i = 0; i < count && r->end == GOING; i++)
    pass_file(r, files[i]);
  return conclude(r);
}

static int run_uniq(run *r, char **files, int count)
{
  static char input[] = "-", *standard_input[] = {input};
  say_if_hashing_is_slow("uniq");
  line_pipe_catch_signals();
  r->progress = progress_begin();
  r->progress.is_live &= !isatty(STDOUT_FILENO); /* where lines go on a terminal, they show how far it is */
  int lock = r->state ? state_lock("uniq", r->state) : -1;
  if (r->state && lock < 0)
    return EXIT_FAILED;
  int code = count ? pass_files(r, files, count) : pass_files(r, standard_input, 1);
  if (lock >= 0)
    close(lock);
  return code;
}

/* ---- the command line ----------------------------------------------------------------------------------- */

static bool take_filter(void *args, const option_row *row, char *value)
{
  uniq_settings *settings = &((run *)args)->settings;
  settings->exact = strcmp(value, "exact") == 0;
  return value_kind_read(settings->exact ? "mlbf" : value, &settings->filter.kind) ||
         value_refuse("uniq", row->name, value, "mlbf, bloom, line or exact, please");
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

static bool take_secret(void *args, const option_row *row, char *value)
{
  uniq_settings *settings = &((run *)args)->settings;
  settings->secret_given = true;
  return value_secret("uniq", row->name, value, settings->secret);
}

static bool take_save_every(void *args, const option_row *row, char *value)
{
  return value_duration("uniq", row->name, value, &((run *)args)->save_every_ms);
}

static bool options_agree(const run *r)
{
  const uniq_settings *settings = &r->settings;
  if (r->save_every_given && !r->state)
    say_error("uniq", "--save-every: there is nothing to save without --state");
  else if (settings->window.unit && settings->filter_given)
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
   .help = "file of the seen URLs, kept across runs; only lines that were written are in it; one run\n"
           "at a time may use it",
   .manual = "File of the seen URLs, kept across runs. A save replaces it as a whole, or leaves it as it was, and it "
             "knows only lines that were written: a run that is killed, or whose output fails, loses none, but the "
             "next run prints those since the last save again. One run at a time may use it: a second one fails at "
             "once, by a lock on {Pa FILE.lock}, which stays there. Only its owner may read the file."},
  {"save-every", "T", OPTION_CALL, .take = take_save_every, GIVEN(save_every_given),
   .help = "save the state T (90s, 30m, 1h) after a change, and at the end (default 60s)",
   .manual = "Save the state when its oldest unsaved change is {Ar T} old, and at the end; 60s if not given. Each save "
             "writes the whole file. If one fails, a message says so, lines pass on, and it is tried again."},
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
  {"secret", "FILE", OPTION_CALL, .take = take_secret, .is_once = true,
   .help = "key the hashes of URLs with the 32 bytes of this file, or 64 hexadecimal digits (default:\n"
           "32 random bytes, which the state holds); a state needs it again in each run",
   .manual = "Key the hashes of URLs with the 32 bytes in {Ar FILE}, or 64 hexadecimal digits. A state does not hold "
             "them, so each run needs the file. If not given, a new state gets 32 random bytes and holds them. Whoever "
             "knows them can choose URLs that make another one look seen."},
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
  .after = "Lines without an http or https URL are counted and dropped; the first five are reported.\n"
           "In a pipe, a line is written as soon as the next is not there yet. SIGINT, SIGTERM or SIGHUP: the lines\n"
           "that were read are written, and the state is saved. After kill -9, a closed pipe or a full disk the next\n"
           "run prints lines again that were written since the last save: each at least once.\n",
  .exits = "0 done, 1 failed, 2 usage, 3 stopped by a signal",
};

/* OPTIONS_READ, or the exit code. */
static int parse(run *r, int argc, char **argv)
{
  enum { KEYS_IN_TIME = 1000000 }; /* URLs: 16 MB */
  uniq_settings *settings = &r->settings;
  settings->filter = mlbf_options_default();
  settings->window = mlbf_window_options_default();
  settings->window.unit = 0; /* none */
  r->save_every_ms = 60000;
  int code = options_read(&cmd_uniq_options, argc, argv, r);
  if (code != OPTIONS_READ)
    return code;
  settings->filter.signals = settings->filter.kind == MLBF_KIND_MLBF; /* the others have none to give */
  if (settings->window.unit == MLBF_WINDOW_MS && !settings->expect_given)
    settings->window.keys = KEYS_IN_TIME;
  url_profile_name(settings->profile, settings->profile_name);
  return options_agree(r) ? OPTIONS_READ : EXIT_USAGE;
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
