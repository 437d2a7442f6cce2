/* See replay.h. Filters of this process run together, in turn; then each program (program.h) runs alone, so that none
 * takes the processor from another. A program's part is gone through twice: to ask, and, when it has answered
 * everything, to count.
 *
 * Always: all filters of a run are asked the same keys in the same order, as sources of queries depend on list, seed,
 * protocol and n only; results lie by n, protocol and filter, whoever ran first. */
#include "datasets/replay/replay.h"
#include "datasets/sort/sorter.h"
#include "datasets/replay/stopwatch.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the filters said of one query: bit f is set if filter f said "seen". */
typedef struct answer_record {
  key_hash hash;
  uint64_t seen;
} answer_record;

/* Of one filter, in one protocol. */
typedef struct tally {
  uint64_t false_positives, false_negatives;
  stopwatch watch;                    /* a filter of this process */
  uint64_t program_ns, program_timed; /* a program: the time of so many keys */
} tally;

typedef struct run {
  const replay_options *options;
  replay_results *results;
  const char **reason;
  size_t size; /* index of n */
  uint64_t n;
  size_t active[REPLAY_FILTERS_MAX], active_count; /* filters that run now, by their indices */
  program *program;                                /* the only one that runs; NULL: those of this process do */
  bool is_asking;                                  /* the program, of which there are no answers yet */
  uint64_t done, whole;                            /* keys inserted and asked */
  key_batch *batch;
  contender filters[REPLAY_FILTERS_MAX];
  double insert_ns[REPLAY_FILTERS_MAX];
  uint64_t forgotten[REPLAY_FILTERS_MAX]; /* of the n inserted keys, those the filter calls new */
  tally tallies[REPLAY_FILTERS_MAX];
  bool said_seen[REPLAY_FILTERS_MAX][BATCH_KEYS];
} run;

static int by_hash(const void *a, const void *b)
{
  const answer_record *one = a, *two = b;
  return key_hash_compare(&one->hash, &two->hash);
}

static bool fail(const run *r)
{
  *r->reason = strerror(errno);
  return false;
}

/* Of a program it is told that it answers, and nothing while it is asked and its answers are read. */
static void note(const run *r, const char *what)
{
  bool is_silent = r->program != NULL && what != r->filters[r->active[0]].name;
  if (r->options->note != NULL && !is_silent)
    r->options->note(r->options->note_context, r->n, what);
}

static uint64_t largest_query(const replay_options *options, protocol which)
{
  return which == PROTOCOL_PAPER ? urllist_rows(options->list) : options->queries;
}

/* All that will be inserted and asked, at most: a protocol may have fewer queries. */
static uint64_t count_work(const replay_options *options)
{
  uint64_t queries = 0, whole = 0, rows = urllist_rows(options->list);
  for (int which = 0; which < PROTOCOL_STREAM; which++)
    queries += options->protocols[which] ? largest_query(options, (protocol)which) : 0;
  for (size_t i = 0; i < options->size_count; i++)
    whole += (queries > 0 ? 2 * options->sizes[i] + queries : 0) + (options->protocols[PROTOCOL_STREAM] ? rows : 0);
  return whole;
}

static size_t count_programs(const replay_options *options)
{
  size_t count = 0;
  for (size_t i = 0; i < options->filter_count; i++)
    count += options->is_program[i];
  return count;
}

/* Of a program only its answers count. */
static void advance_by(run *r, uint64_t keys)
{
  if (r->program != NULL)
    return;
  r->done += keys;
  if (r->options->told != NULL)
    r->options->told->told(r->options->told->context, r->done, r->whole);
}

static void free_filters(run *r)
{
  for (size_t i = 0; i < r->active_count; i++)
    contender_free(&r->filters[r->active[i]]);
  r->program = NULL;
}

static bool make_filters(run *r)
{
  for (size_t i = 0; i < r->active_count; i++) {
    size_t which = r->active[i];
    if (!r->options->make(r->options->make_context, which, r->n, &r->filters[which], r->reason))
      return false;
    assert((r->filters[which].program != NULL) == r->options->is_program[which]);
  }
  r->program = r->filters[r->active[0]].program;
  assert(r->program == NULL || r->active_count == 1);
  return true;
}

static void clear_tallies(run *r)
{
  for (size_t i = 0; i < r->active_count; i++) {
    tally *cleared = &r->tallies[r->active[i]];
    stopwatch_clear(&cleared->watch);
    *cleared = (tally){.watch = cleared->watch};
  }
}

/* The program gets the batch, or its answers to the batch are read. */
static bool turn_program(run *r, bool is_insert)
{
  size_t which = r->active[0];
  uint64_t ns;
  if (r->is_asking)
    return program_ask(r->program, is_insert, r->batch) || fail(r);
  if (program_answers(r->program, r->batch->count, r->said_seen[which], &ns)) {
    r->tallies[which].program_ns += ns;
    r->tallies[which].program_timed += r->batch->count;
  }
  return true;
}

/* Every filter its turn with the batch; whose turn comes first changes, as the first finds the keys colder. */
static bool take_turns(run *r, bool is_insert, uint64_t turn)
{
  if (r->program != NULL)
    return turn_program(r, is_insert);
  size_t count = r->active_count;
  for (size_t i = 0; i < count; i++) {
    size_t which = r->active[(turn + i) % count];
    contender *filter = &r->filters[which];
    uint64_t began = stopwatch_now_ns();
    if (is_insert)
      filter->insert(filter->state, r->batch, r->said_seen[which]);
    else
      filter->test(filter->state, r->batch, r->said_seen[which]);
    uint64_t took = stopwatch_now_ns() - began;
    if (!stopwatch_add(&r->tallies[which].watch, (double)took / (double)r->batch->count))
      return fail(r);
  }
  advance_by(r, r->batch->count);
  return true;
}

/* The next of the n keys to insert. */
static bool fill_from_list(run *r, uint64_t *rank)
{
  batch_clear(r->batch);
  while (!batch_is_full(r->batch) && *rank < r->n) {
    size_t size;
    const char *key = urllist_key(r->options->list, (*rank)++, &size);
    batch_add(r->batch, key, size);
  }
  return r->batch->count > 0;
}

/* Of each key, in the last protocol or of the insertions. */
static double time_of(run *r, size_t which)
{
  tally *timed = &r->tallies[which];
  if (r->program == NULL)
    return stopwatch_median(&timed->watch);
  return timed->program_timed > 0 ? (double)timed->program_ns / (double)timed->program_timed : 0;
}

static bool insert_keys(run *r)
{
  uint64_t rank = 0;
  clear_tallies(r);
  for (uint64_t turn = 0; fill_from_list(r, &rank); turn++)
    if (!take_turns(r, true, turn))
      return false;
  for (size_t i = 0; i < r->active_count; i++)
    r->insert_ns[r->active[i]] = time_of(r, r->active[i]);
  return true;
}

static bool ask_again(run *r)
{
  memset(r->forgotten, 0, sizeof r->forgotten);
  for (uint64_t rank = 0, turn = 0; fill_from_list(r, &rank); turn++) {
    if (!take_turns(r, false, turn))
      return false;
    for (size_t i = 0; i < r->active_count; i++)
      for (size_t key = 0; key < r->batch->count; key++)
        r->forgotten[r->active[i]] += !r->said_seen[r->active[i]][key];
  }
  return true;
}

/* The place of a row: by n, then protocol, then filter. */
static replay_result *place_of(const run *r, protocol which, size_t filter)
{
  const replay_options *options = r->options;
  size_t asked = 0, before = 0;
  for (int i = 0; i < PROTOCOL_COUNT; i++) {
    asked += options->protocols[i];
    before += i < (int)which && options->protocols[i];
  }
  size_t index = (r->size * asked + before) * options->filter_count + filter;
  assert(index < sizeof r->results->rows / sizeof *r->results->rows);
  return &r->results->rows[index];
}

static void write_results(run *r, protocol which, uint64_t queries, uint64_t members)
{
  for (size_t active = 0; active < r->active_count; active++) {
    size_t i = r->active[active];
    const contender *filter = &r->filters[i];
    double time = time_of(r, i);
    r->results->count++;
    *place_of(r, which, i) = (replay_result){
      .protocol = which,
      .filter = filter->name,
      .n = r->n,
      .bits = filter->bits,
      .queries = queries,
      .members = members,
      .false_positives = r->tallies[i].false_positives,
      .false_negatives = r->tallies[i].false_negatives + (which == PROTOCOL_STREAM ? 0 : r->forgotten[i]),
      .insert_ns = which == PROTOCOL_STREAM ? time : r->insert_ns[i],
      .query_ns = time,
      .is_program = filter->program != NULL,
      .promised_rate = filter->promised_rate,
      .hashes = filter->hashes,
    };
  }
}

static void count_answer(run *r, size_t filter, bool said_seen, bool is_member)
{
  r->tallies[filter].false_positives += said_seen && !is_member;
  r->tallies[filter].false_negatives += !said_seen && is_member;
}

/* Answers and truth, both by hash: one walk tells which queries are members; their number. */
static uint64_t judge(run *r, sorter *answers)
{
  uint64_t members = 0;
  const truth_record *known = urllist_truth(r->options->list);
  const truth_record *end = known + urllist_distinct(r->options->list);
  for (const answer_record *answer; (answer = sorter_next(answers)) != NULL;) {
    while (known < end && key_hash_compare(&known->hash, &answer->hash) < 0)
      known++;
    bool is_member = known < end && known->rank < r->n && key_hash_compare(&known->hash, &answer->hash) == 0;
    members += is_member;
    for (size_t i = 0; i < r->active_count; i++)
      count_answer(r, r->active[i], answer->seen >> r->active[i] & 1, is_member);
  }
  return members;
}

static bool keep_answers(run *r, sorter *answers)
{
  for (size_t key = 0; key < r->batch->count; key++) {
    answer_record answer = {r->batch->hash[key], 0};
    for (size_t i = 0; i < r->active_count; i++)
      answer.seen |= (uint64_t)r->said_seen[r->active[i]][key] << r->active[i];
    if (!sorter_add(answers, &answer))
      return fail(r);
  }
  return true;
}

static bool ask(run *r, query_source *source, sorter *answers)
{
  for (uint64_t turn = 0; query_next(source, r->batch); turn++)
    if (!take_turns(r, false, turn) || (!r->is_asking && !keep_answers(r, answers)))
      return false;
  return sorter_finish(answers) || fail(r);
}

static bool run_protocol(run *r, protocol which)
{
  const replay_options *options = r->options;
  query_options asked = {
    .list = options->list,
    .inserted = r->n,
    .limit = options->queries,
    .layers = options->layers,
    .seed = options->seed,
    .directory = options->directory,
  };
  clear_tallies(r);
  query_source *source = query_open(which, &asked);
  sorter *answers = sorter_create(options->directory, sizeof(answer_record), by_hash, SORTER_MEMORY);
  bool is_done = source != NULL && answers != NULL ? ask(r, source, answers) : fail(r);
  if (is_done && !r->is_asking) {
    uint64_t members = judge(r, answers);
    write_results(r, which, sorter_count(answers), members);
  }
  query_close(source);
  sorter_free(answers);
  return is_done;
}

/* Rows of the list until the n-th distinct URL has come: is each new? A false positive is a lost URL. */
static bool fill_from_stream(run *r, uint64_t *row, uint64_t *distinct, bool *is_member)
{
  batch_clear(r->batch);
  while (!batch_is_full(r->batch) && *distinct < r->n && *row < urllist_rows(r->options->list)) {
    size_t size;
    bool is_first;
    const char *key = urllist_row(r->options->list, (*row)++, &size, &is_first);
    *distinct += is_first;
    is_member[r->batch->count] = !is_first;
    batch_add(r->batch, key, size);
  }
  return r->batch->count > 0;
}

static bool run_stream(run *r)
{
  bool is_member[BATCH_KEYS];
  uint64_t row = 0, distinct = 0;
  clear_tallies(r);
  for (uint64_t turn = 0; fill_from_stream(r, &row, &distinct, is_member); turn++) {
    if (!take_turns(r, true, turn))
      return false;
    for (size_t i = 0; i < r->active_count; i++)
      for (size_t key = 0; key < r->batch->count; key++)
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): fill_from_stream set as many as the batch has
        count_answer(r, r->active[i], r->said_seen[r->active[i]][key], is_member[key]);
  }
  if (!r->is_asking)
    write_results(r, PROTOCOL_STREAM, row, row - distinct);
  return true;
}

static bool run_queries(run *r)
{
  note(r, "inserting");
  if (!insert_keys(r) || !ask_again(r))
    return false;
  for (int which = 0; which < PROTOCOL_STREAM; which++) {
    if (!r->options->protocols[which])
      continue;
    note(r, protocol_name((protocol)which));
    uint64_t then = r->done + largest_query(r->options, (protocol)which);
    if (!run_protocol(r, (protocol)which))
      return false;
    r->done = then;
  }
  return true;
}

static bool run_stream_alone(run *r)
{
  note(r, protocol_name(PROTOCOL_STREAM));
  return run_stream(r);
}

typedef struct answers_told {
  run *run;
  uint64_t before;
} answers_told;

static void tell_answers(void *context, uint64_t done, uint64_t whole)
{
  const answers_told *told = context;
  const advance *reader = told->run->options->told;
  (void)whole;
  if (reader != NULL)
    reader->told(reader->context, told->before + done, told->run->whole);
}

/* The program has been asked everything: now it answers. */
static bool run_program(run *r)
{
  answers_told context = {r, r->done};
  advance told = {tell_answers, &context};
  if (program_run(r->program, &told))
    return true;
  snprintf(r->results->failure, sizeof r->results->failure, "%s", program_failure(r->program));
  *r->reason = r->results->failure;
  return false;
}

/* What the active filters, empty, are to do. */
static bool run_part(run *r, bool (*part)(run *r), uint64_t keys)
{
  uint64_t then = r->done + keys;
  bool is_done = make_filters(r);
  if (is_done && r->program != NULL) {
    r->is_asking = true;
    is_done = part(r);
    r->is_asking = false;
    note(r, r->filters[r->active[0]].name);
    is_done = is_done && run_program(r);
  }
  is_done = is_done && part(r);
  free_filters(r);
  r->done = then;
  return is_done;
}

/* The active filters, at one n. */
static bool run_active(run *r)
{
  uint64_t queries = 0;
  bool wants_queries = false;
  for (int which = 0; which < PROTOCOL_STREAM; which++) {
    wants_queries |= r->options->protocols[which];
    queries += r->options->protocols[which] ? largest_query(r->options, (protocol)which) : 0;
  }
  if (r->active_count == 0)
    return true;
  return (!wants_queries || run_part(r, run_queries, 2 * r->n + queries)) &&
         (!r->options->protocols[PROTOCOL_STREAM] || run_part(r, run_stream_alone, urllist_rows(r->options->list)));
}

static bool run_size(run *r)
{
  r->active_count = 0;
  for (size_t i = 0; i < r->options->filter_count; i++)
    if (!r->options->is_program[i])
      r->active[r->active_count++] = i;
  bool is_done = run_active(r);
  for (size_t i = 0; is_done && i < r->options->filter_count; i++) {
    if (!r->options->is_program[i])
      continue;
    r->active[0] = i;
    r->active_count = 1;
    is_done = run_active(r);
  }
  return is_done;
}

bool replay_run(const replay_options *options, replay_results *results, const char **reason)
{
  run *r = calloc(1, sizeof *r);
  if (r == NULL || (r->batch = batch_create()) == NULL) {
    free(r);
    *reason = "out of memory";
    return false;
  }
  size_t programs = count_programs(options);
  r->options = options;
  r->whole = count_work(options) * (programs + (programs < options->filter_count));
  r->results = results;
  r->reason = reason;
  results->count = 0;
  bool is_done = true;
  for (r->size = 0; is_done && r->size < options->size_count; r->size++) {
    r->n = options->sizes[r->size];
    is_done = run_size(r);
  }
  for (size_t i = 0; i < options->filter_count; i++)
    stopwatch_free(&r->tallies[i].watch);
  free(r->batch);
  free(r);
  return is_done;
}
