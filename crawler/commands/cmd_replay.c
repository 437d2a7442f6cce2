/* strata replay: read a URL set, run the experiment on it, write the results.
 *
 *     files --urlset--> keys --> list --> replay --> results.csv, figures, report.html
 */
#include "crawler/commands/cmd.h"
#include "crawler/commands/replay_args.h"
#include "crawler/base/message.h"
#include "crawler/base/progress_line.h"
#include "datasets/papers/copies.h"
#include "datasets/replay/figures.h"
#include "datasets/replay/html.h"
#include "datasets/replay/needs.h"
#include "datasets/replay/report.h"
#include "datasets/replay/results.h"
#include "datasets/read/rowkey.h"
#include "datasets/replay/stopwatch.h"
#include "datasets/read/urlset.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

typedef struct job {
  replay_args args;
  url_ids *ids;
  urllist *list;
  report_file *files;
  list_statistics statistics;
  replay_options options;
  replay_results results;
  claims_input asked;
  url row; /* the URL being read */
  progress progress;
  uint64_t input_bytes, input_read; /* of all files; of those that were read to their end. 0: a pipe has no size */
  uint64_t key_bytes;
  bool has_told_needs;
  char step[80]; /* of the experiment */
} job;

static const char reading[] = "reading";

static bool fail(const char *what, const char *why)
{
  say_error("replay", "%s: %s", what, why);
  return false;
}

static void note(const char *text)
{
  say_note("%s", text);
}

/* ---- in -------------------------------------------------------------------------------------- */

static void tell_bad_rows(const char *path, const dataset_bad *bad)
{
  for (uint64_t i = 0; i < bad->count && i < DATASET_BAD_SHOWN; i++)
    say_error("replay", "%s: line %llu %s", path, (unsigned long long)bad->first[i].line,
              dataset_fault_text(bad->first[i].fault));
}

/* Before the rows are read: a wrong column is seen in the first keys, not in the results. */
static void tell_format(const report_file *file)
{
  say_note("%s: %s; compression: %s%s", file->path, file->format, file->compression,
           file->urls ? "; the first keys:" : "");
}

static void describe(report_file *file, const urlset *set)
{
  unsigned columns, column = urlset_column(set, &columns);
  file->compression = urlset_compression(set);
  if (columns > 1)
    snprintf(file->format, sizeof file->format, "table, the URL is in column %u of %u", column, columns);
  else
    snprintf(file->format, sizeof file->format, "%s", urlset_format(set));
}

/* ---- before it begins ------------------------------------------------------------------------ */

/* The sizes of the paper, or as large parts of a shorter list as they are of its 3.5 million. */
static void choose_sizes(replay_args *args, uint64_t distinct)
{
  static const uint64_t of_paper[] = {1000000, 1500000, 2000000, 2500000, PAPER_N};
  enum { SIZES = sizeof of_paper / sizeof *of_paper, PARTS = 7 };
  if (args->size_count > 0)
    return;
  for (uint64_t i = 0; i < SIZES; i++) {
    uint64_t size = distinct >= PAPER_N ? of_paper[i] : distinct * (i + 2) / PARTS;
    if (size > 0 && (args->size_count == 0 || size > args->sizes[args->size_count - 1]))
      args->sizes[args->size_count++] = size;
  }
  if (args->size_count == 0)
    args->sizes[args->size_count++] = distinct;
}

static contender_setting setting_for(const replay_args *args, uint64_t largest)
{
  contender_setting setting = args->setting;
  if (setting.m == 0)
    setting.m = contender_m_for(largest);
  return setting;
}

/* What a list of so many rows takes, and is there. */
static void tell_needs(job *j, uint64_t rows, uint64_t key_bytes, const char *about)
{
  char urls[SAY_SIZE], memory[SAY_SIZE], disk[SAY_SIZE], has[SAY_SIZE];
  struct statvfs room;
  replay_args sizes = j->args;
  choose_sizes(&sizes, rows);
  uint64_t largest = sizes.sizes[sizes.size_count - 1];
  largest = largest < rows ? largest : rows;
  contender_setting setting = setting_for(&j->args, largest);
  replay_needs needs = needs_estimate(rows, key_bytes, largest, j->args.filters, j->args.filter_count, j->args.queries,
                                      &setting);
  j->has_told_needs = true;
  progress_clear(&j->progress);
  say_note("%s%s URLs need up to %s of memory, and %s on disk for a while", about, say_count(rows, urls),
           say_bytes(needs.memory, memory), say_bytes(needs.disk, disk));
  uint64_t left = statvfs(j->args.out, &room) == 0 ? room.f_bavail * room.f_frsize : UINT64_MAX;
  if (left < needs.disk)
    say_error("replay", "%s has only %s left", j->args.out, say_bytes(left, has));
}

/* The rest of the input is as its beginning. */
static void tell_reading(job *j, uint64_t bytes_read)
{
  uint64_t rows = urllist_rows(j->list);
  if (!j->has_told_needs) {
    double times = j->input_bytes > bytes_read ? (double)j->input_bytes / (double)bytes_read : 1;
    if (j->input_bytes > 0)
      tell_needs(j, (uint64_t)(times * (double)rows), (uint64_t)(times * (double)j->key_bytes), "about ");
    else
      tell_needs(j, 1000000, j->key_bytes * 1000000 / rows, "each ");
  }
  progress_show(&j->progress, reading, bytes_read, j->input_bytes, rows, "URLs");
}

static bool add_rows(job *j, urlset *set, report_file *file)
{
  enum { KEYS_SHOWN = 3, SHOWN_SIZE = 100 };
  const char *text;
  size_t size;
  bool is_https;
  dataset_status status;
  while ((status = urlset_next(set, &text, &size)) == DATASET_OK) {
    if (rowkey_make(text, size, &j->row, &is_https) != URL_OK) {
      urlset_refuse(set);
      continue;
    }
    if (!urllist_add(j->list, j->row.key, j->row.key_size, is_https))
      return fail(j->args.out, strerror(errno));
    j->key_bytes += j->row.key_size;
    if (file->urls++ == 0)
      tell_format(file);
    if (file->urls <= KEYS_SHOWN)
      say_note("  %.*s", j->row.key_size < SHOWN_SIZE ? (int)j->row.key_size : SHOWN_SIZE, j->row.key);
    if (urllist_rows(j->list) % ADVANCE_EACH == 0)
      tell_reading(j, j->input_read + urlset_bytes_read(set));
  }
  progress_clear(&j->progress);
  if (!file->urls)
    tell_format(file);
  if (status != DATASET_END)
    return fail(file->path, dataset_failure_text(status));
  file->bad = urlset_bad_rows(set)->count;
  tell_bad_rows(file->path, urlset_bad_rows(set));
  return file->urls > 0 || file->bad == 0 || fail(file->path, "no row of it is a URL");
}

static bool read_file(job *j, const char *path, report_file *file)
{
  char urls[SAY_SIZE], bad[SAY_SIZE];
  const char *reason;
  urlset *set = urlset_open(path, j->args.format, j->ids, &reason);
  if (set == NULL)
    return fail(path, reason);
  *file = (report_file){.path = path};
  describe(file, set);
  bool is_read = add_rows(j, set, file);
  if (is_read)
    say_note("%s: %s URL%s, %s bad row%s", path, say_count(file->urls, urls), file->urls == 1 ? "" : "s",
             say_count(file->bad, bad), file->bad == 1 ? "" : "s");
  j->input_read += urlset_bytes_read(set);
  urlset_close(set);
  return is_read;
}

static bool open_ids(job *j)
{
  const char *reason;
  if (j->args.ids == NULL)
    return true;
  j->ids = ids_open(j->args.ids, j->args.out, &reason);
  return j->ids != NULL || fail(j->args.ids, reason);
}

/* 0 if one of them has no size. */
static uint64_t bytes_of(char **files, int count)
{
  uint64_t bytes = 0;
  struct stat info;
  for (int i = 0; i < count; i++) {
    if (stat(files[i], &info) != 0 || !S_ISREG(info.st_mode))
      return 0;
    bytes += (uint64_t)info.st_size;
  }
  return bytes;
}

static void tell_sorting(void *context, uint64_t done, uint64_t whole)
{
  progress_show(&((job *)context)->progress, "sorting the list", done, whole, 0, NULL);
}

static void tell_measuring(void *context, uint64_t done, uint64_t whole)
{
  progress_show(&((job *)context)->progress, "measuring the list", done, whole, 0, NULL);
}

static bool read_list(job *j)
{
  j->list = urllist_create(j->args.out, j->args.shuffle, j->args.seed);
  j->files = calloc((size_t)j->args.file_count, sizeof *j->files);
  if (j->list == NULL || j->files == NULL)
    return fail(j->args.out, strerror(errno));
  j->input_bytes = bytes_of(j->args.files, j->args.file_count);
  for (int i = 0; i < j->args.file_count; i++)
    if (!read_file(j, j->args.files[i], &j->files[i]))
      return false;
  advance told = {tell_sorting, j};
  if (!j->has_told_needs && urllist_rows(j->list) > 0)
    tell_needs(j, urllist_rows(j->list), j->key_bytes, "");
  if (!urllist_finish(j->list, &told))
    return fail(j->args.out, strerror(errno));
  return urllist_distinct(j->list) > 0 || fail("the input", "there is no URL in it");
}

/* ---- the experiment -------------------------------------------------------------------------- */

/* As many as there are, where more were asked for. */
static void fit_sizes(job *j)
{
  char number[SAY_SIZE];
  uint64_t distinct = urllist_distinct(j->list);
  size_t *count = &j->options.size_count;
  choose_sizes(&j->args, distinct);
  for (*count = 0; *count < j->args.size_count && j->args.sizes[*count] <= distinct; ++*count)
    j->options.sizes[*count] = j->args.sizes[*count];
  if (*count == j->args.size_count)
    return;
  if (*count == 0 || j->options.sizes[*count - 1] < distinct)
    j->options.sizes[(*count)++] = distinct;
  say_note("the list has %s different URLs, fewer than asked for: running with what it has",
           say_count(distinct, number));
}

/* The steps are lines where there is no terminal, and are part of the one line where there is. */
static void tell_step(void *context, uint64_t n, const char *what)
{
  job *j = context;
  char number[SAY_SIZE];
  snprintf(j->step, sizeof j->step, "n = %s, %s", say_count(n, number), what);
  if (!j->progress.is_live)
    say_note("n = %s: %s", number, what);
}

static void tell_keys(void *context, uint64_t done, uint64_t whole)
{
  job *j = context;
  progress_show(&j->progress, j->step, done, whole, done, "keys");
}

static bool make_filter(void *context, size_t index, uint64_t keys, contender *made, const char **reason)
{
  const replay_args *args = context;
  return contender_make(args->filters[index], &args->setting, keys, made, reason);
}

static bool run(job *j)
{
  const char *reason;
  advance keys = {tell_keys, j}, measured = {tell_measuring, j};
  j->options = (replay_options){
    .list = j->list,
    .filter_count = j->args.filter_count,
    .make = make_filter,
    .make_context = &j->args,
    .queries = j->args.queries,
    .layers = j->args.setting.layers,
    .seed = j->args.seed,
    .directory = j->args.out,
    .note = tell_step,
    .note_context = j,
    .told = &keys,
  };
  memcpy(j->options.protocols, j->args.protocols, sizeof j->args.protocols);
  for (size_t i = 0; i < j->args.filter_count; i++)
    j->options.is_program[i] = program_is_name(j->args.filters[i]);
  fit_sizes(j);
  j->args.setting = setting_for(&j->args, j->options.sizes[j->options.size_count - 1]);
  if (!j->progress.is_live)
    note("measuring the list");
  bool is_measured = statistics_measure(j->list, j->args.setting.layers, j->args.out, &j->statistics, &measured);
  bool is_done = is_measured && replay_run(&j->options, &j->results, &reason);
  progress_clear(&j->progress);
  j->options.told = NULL; /* these were here */
  if (!is_measured)
    return fail(j->args.out, strerror(errno));
  return is_done || fail("the experiment", reason);
}

/* ---- out ------------------------------------------------------------------------------------- */

/* The verdicts, as the report has them; grey, on a terminal, where there is none. */
static void tell_claims(const claims_input *asked)
{
  claim claims[CLAIMS_MAX];
  size_t count = claims_judge(asked, claims);
  for (size_t i = 0; i < count; i++) {
    bool is_open = claims[i].verdict == CLAIM_TOO_FEW || claims[i].verdict == CLAIM_UNKNOWN;
    (is_open ? say_dim : say_note)("%-15s  %s: %s", claim_verdict_text(claims[i].verdict), claims[i].said,
                                   claims[i].measured);
  }
}

static bool write_out(job *j, uint64_t began_ns)
{
  const char *no_figures;
  if (!results_write(&j->results, j->args.out))
    return fail("results.csv", own_file_words(errno));
  bool has_figures = figures_draw(&j->options, &j->results, j->args.out, &no_figures);
  j->asked = (claims_input){
    .results = &j->results,
    .setting = &j->args.setting,
    .n = j->options.sizes[j->options.size_count - 1],
    .distinct = j->statistics.urls,
    .both_schemes = urllist_both_schemes(j->list),
  };
  report_input input = {
    .files = j->files,
    .file_count = (size_t)j->args.file_count,
    .is_shuffled = j->args.shuffle,
    .options = &j->options,
    .setting = &j->args.setting,
    .results = &j->results,
    .statistics = &j->statistics,
    .asked = &j->asked,
    .no_figures = no_figures,
    .seconds = (double)(stopwatch_now_ns() - began_ns) / 1e9,
    .directory = j->args.out,
  };
  if (!report_write(&input))
    return fail("report.html", own_file_words(errno));
  tell_claims(&j->asked);
  for (size_t i = 0; i < j->options.filter_count; i++)
    if (j->options.is_program[i])
      say_note("%s: a program, timed apart: do not compare its times with the others'", j->args.filters[i]);
  say_note("wrote %s/report.html and results.csv", j->args.out);
  return has_figures || fail("figures", no_figures);
}

/* ---- the other papers ------------------------------------------------------------------------ */

static void write_papers_heading(FILE *page, const replay_args *args)
{
  html_begin(page);
  fputs("<h1>The papers&#8217; tables, computed anew</h1>\n<p>Printed numbers beside ours; the same are in", page);
  for (size_t i = 0; i < args->paper_count; i++)
    fprintf(page, "%s <code>paper-%s.csv</code>", i > 0 ? "," : "", args->papers[i]);
  fprintf(page, ". Seed %llu.</p>\n", (unsigned long long)args->seed);
}

/* The documents that edited copies are made of. */
static bool read_documents(const replay_args *args, texts *files)
{
  for (int i = 0; i < args->file_count; i++) {
    if (!texts_add_tree(files, args->files[i]))
      return fail(args->files[i], strerror(errno));
    say_note("%s: %zu documents by now, %zu files passed over", args->files[i], files->count, files->passed_over);
  }
  return args->file_count == 0 || copies_are_enough(files, args->seed) ||
         fail(args->files[0], "too few documents of 1000 words or more");
}

static void tell_verdict(void *context, const char *verdict, const char *what, const char *why)
{
  progress_clear(context);
  say_note("%-16s  %s: %s", verdict, what, why);
}

static void tell_paper(void *context, uint64_t done, uint64_t whole)
{
  progress_show(context, "computing the tables", done, whole, 0, NULL);
}

static bool write_sections(const replay_args *args, const texts *files, FILE *html)
{
  progress line = progress_begin();
  advance told = {tell_paper, &line};
  paper_run run = {
    .seed = args->seed,
    .rounds = args->rounds,
    .note = line.is_live ? NULL : note,
    .told = &told,
    .judged = tell_verdict,
    .judge_context = &line,
    .html = html,
    .files = files->count > 0 ? files : NULL,
  };
  write_papers_heading(run.html, args);
  bool is_done = true;
  for (size_t i = 0; is_done && i < args->paper_count; i++) {
    is_done = paper_write(args->papers[i], args->out, &run);
    int reason = errno;
    progress_clear(&line);
    if (!is_done)
      fail(args->papers[i], own_file_words(reason));
  }
  html_end(run.html);
  return is_done;
}

static bool write_papers(const replay_args *args, const texts *files)
{
  char *path;
  if (asprintf(&path, "%s/report.html", args->out) < 0)
    return fail(args->out, strerror(errno));
  FILE *page = own_file_stream(path, "w", 0666);
  free(path);
  if (page == NULL)
    return fail("report.html", own_file_words(errno));
  bool is_done = write_sections(args, files, page);
  bool is_written = ferror(page) == 0;
  is_written = fclose(page) == 0 && is_written;
  if (is_done && !is_written)
    return fail("report.html", own_file_words(errno));
  if (is_done)
    say_note("wrote %s/report.html and paper-*.csv", args->out);
  return is_done;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool make_directory(const replay_args *args)
{
  return mkdir(args->out, 0777) == 0 || errno == EEXIST || fail(args->out, strerror(errno));
}

static bool run_papers(const replay_args *args)
{
  texts files = {.count = 0};
  bool is_done = read_documents(args, &files) && make_directory(args) && write_papers(args, &files);
  texts_free(&files);
  return is_done;
}

int cmd_replay(int argc, char **argv)
{
  uint64_t began_ns = stopwatch_now_ns();
  job *j = calloc(1, sizeof *j);
  if (j == NULL) {
    fail("replay", "out of memory");
    return EXIT_FAILED;
  }
  j->progress = progress_begin();
  int code = replay_args_read(argc, argv, &j->args);
  if (code == OPTIONS_READ && j->args.paper_count > 0) {
    code = run_papers(&j->args) ? EXIT_DONE : EXIT_FAILED;
  } else if (code == OPTIONS_READ) {
    bool is_done = make_directory(&j->args) && open_ids(j) && read_list(j) && run(j) && write_out(j, began_ns);
    code = is_done ? EXIT_DONE : EXIT_FAILED;
  }
  urllist_free(j->list);
  ids_close(j->ids);
  free(j->files);
  free(j);
  return code;
}
