#include "datasets/replay/replay.h"
#include "datasets/sort/sorter.h"
#include "datasets/replay/stopwatch.h"

#include <errno.h>
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
  stopwatch watch;
} tally;

typedef struct run {
  const replay_options *options;
  replay_results *results;
  const char **reason;
  uint64_t n;
  uint64_t done, whole; /* keys inserted and asked */
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

static bool fail(const run *of)
{
  *of->reason = strerror(errno);
  return false;
}

static void note(const run *of, const char *what)
{
  if (of->options->note != NULL)
    of->options->note(of->options->note_context, of->n, what);
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

static void advance_by(run *of, uint64_t keys)
{
  of->done += keys;
  if (of->options->told != NULL)
    of->options->told->told(of->options->told->context, of->done, of->whole);
}

static void free_filters(run *of)
{
  for (size_t i = 0; i < of->options->filter_count; i++)
    contender_free(&of->filters[i]);
}

static bool make_filters(run *of)
{
  for (size_t i = 0; i < of->options->filter_count; i++)
    if (!of->options->make(of->options->make_context, i, of->n, &of->filters[i], of->reason))
      return false;
  return true;
}

static void clear_tallies(run *of)
{
  for (size_t i = 0; i < of->options->filter_count; i++) {
    of->tallies[i].false_positives = of->tallies[i].false_negatives = 0;
    stopwatch_clear(&of->tallies[i].watch);
  }
}

/* Every filter its turn with the batch; whose turn comes first changes, as the first finds the keys colder. */
static bool take_turns(run *of, bool is_insert, uint64_t turn)
{
  size_t count = of->options->filter_count;
  for (size_t i = 0; i < count; i++) {
    size_t which = (turn + i) % count;
    contender *filter = &of->filters[which];
    uint64_t began = stopwatch_now_ns();
    if (is_insert)
      filter->insert(filter->state, of->batch, of->said_seen[which]);
    else
      filter->test(filter->state, of->batch, of->said_seen[which]);
    uint64_t took = stopwatch_now_ns() - began;
    if (!stopwatch_add(&of->tallies[which].watch, (double)took / (double)of->batch->count))
      return fail(of);
  }
  advance_by(of, of->batch->count);
  return true;
}

/* The next of the n keys to insert. */
static bool fill_from_list(run *of, uint64_t *rank)
{
  batch_clear(of->batch);
  while (!batch_is_full(of->batch) && *rank < of->n) {
    size_t size;
    const char *key = urllist_key(of->options->list, (*rank)++, &size);
    batch_add(of->batch, key, size);
  }
  return of->batch->count > 0;
}

static bool insert_keys(run *of)
{
  uint64_t rank = 0;
  clear_tallies(of);
  for (uint64_t turn = 0; fill_from_list(of, &rank); turn++)
    if (!take_turns(of, true, turn))
      return false;
  for (size_t i = 0; i < of->options->filter_count; i++)
    of->insert_ns[i] = stopwatch_median(&of->tallies[i].watch);
  return true;
}

static void ask_again(run *of)
{
  memset(of->forgotten, 0, sizeof of->forgotten);
  for (uint64_t rank = 0; fill_from_list(of, &rank);)
    for (size_t i = 0; i < of->options->filter_count; i++) {
      of->filters[i].test(of->filters[i].state, of->batch, of->said_seen[i]);
      for (size_t key = 0; key < of->batch->count; key++)
        of->forgotten[i] += !of->said_seen[i][key];
      if (i == 0)
        advance_by(of, of->batch->count);
    }
}

static void write_results(run *of, protocol which, uint64_t queries, uint64_t members)
{
  for (size_t i = 0; i < of->options->filter_count; i++) {
    const contender *filter = &of->filters[i];
    double median = stopwatch_median(&of->tallies[i].watch);
    of->results->rows[of->results->count++] = (replay_result){
      .protocol = which,
      .filter = filter->name,
      .n = of->n,
      .bits = filter->bits,
      .queries = queries,
      .members = members,
      .false_positives = of->tallies[i].false_positives,
      .false_negatives = of->tallies[i].false_negatives + (which == PROTOCOL_STREAM ? 0 : of->forgotten[i]),
      .insert_ns = which == PROTOCOL_STREAM ? median : of->insert_ns[i],
      .query_ns = median,
      .promised_rate = filter->promised_rate,
      .hashes = filter->hashes,
    };
  }
}

static void count_answer(run *of, size_t filter, bool said_seen, bool is_member)
{
  of->tallies[filter].false_positives += said_seen && !is_member;
  of->tallies[filter].false_negatives += !said_seen && is_member;
}

/* Answers and truth, both by hash: one walk tells which queries are members; their number. */
static uint64_t judge(run *of, sorter *answers)
{
  uint64_t members = 0;
  const truth_record *known = urllist_truth(of->options->list);
  const truth_record *end = known + urllist_distinct(of->options->list);
  for (const answer_record *answer; (answer = sorter_next(answers)) != NULL;) {
    while (known < end && key_hash_compare(&known->hash, &answer->hash) < 0)
      known++;
    bool is_member = known < end && known->rank < of->n && key_hash_compare(&known->hash, &answer->hash) == 0;
    members += is_member;
    for (size_t i = 0; i < of->options->filter_count; i++)
      count_answer(of, i, answer->seen >> i & 1, is_member);
  }
  return members;
}

static bool keep_answers(run *of, sorter *answers)
{
  for (size_t key = 0; key < of->batch->count; key++) {
    answer_record answer = {of->batch->hash[key], 0};
    for (size_t i = 0; i < of->options->filter_count; i++)
      answer.seen |= (uint64_t)of->said_seen[i][key] << i;
    if (!sorter_add(answers, &answer))
      return fail(of);
  }
  return true;
}

static bool ask(run *of, query_source *source, sorter *answers)
{
  for (uint64_t turn = 0; query_next(source, of->batch); turn++)
    if (!take_turns(of, false, turn) || !keep_answers(of, answers))
      return false;
  return sorter_finish(answers) || fail(of);
}

static bool run_protocol(run *of, protocol which)
{
  const replay_options *options = of->options;
  query_options asked = {
    .list = options->list,
    .inserted = of->n,
    .limit = options->queries,
    .layers = options->layers,
    .seed = options->seed,
    .directory = options->directory,
  };
  clear_tallies(of);
  query_source *source = query_open(which, &asked);
  sorter *answers = sorter_create(options->directory, sizeof(answer_record), by_hash, SORTER_MEMORY);
  bool is_done = source != NULL && answers != NULL ? ask(of, source, answers) : fail(of);
  if (is_done) {
    uint64_t members = judge(of, answers);
    write_results(of, which, sorter_count(answers), members);
  }
  query_close(source);
  sorter_free(answers);
  return is_done;
}

/* Rows of the list until the n-th distinct URL has come: is each new? A false positive is a lost URL. */
static bool fill_from_stream(run *of, uint64_t *row, uint64_t *distinct, bool *is_member)
{
  batch_clear(of->batch);
  while (!batch_is_full(of->batch) && *distinct < of->n && *row < urllist_rows(of->options->list)) {
    size_t size;
    bool is_first;
    const char *key = urllist_row(of->options->list, (*row)++, &size, &is_first);
    *distinct += is_first;
    is_member[of->batch->count] = !is_first;
    batch_add(of->batch, key, size);
  }
  return of->batch->count > 0;
}

static bool run_stream(run *of)
{
  bool is_member[BATCH_KEYS];
  uint64_t row = 0, distinct = 0;
  clear_tallies(of);
  for (uint64_t turn = 0; fill_from_stream(of, &row, &distinct, is_member); turn++) {
    if (!take_turns(of, true, turn))
      return false;
    for (size_t i = 0; i < of->options->filter_count; i++)
      for (size_t key = 0; key < of->batch->count; key++)
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): fill_from_stream set as many as the batch has
        count_answer(of, i, of->said_seen[i][key], is_member[key]);
  }
  write_results(of, PROTOCOL_STREAM, row, row - distinct);
  return true;
}

static bool run_queries(run *of)
{
  note(of, "inserting");
  if (!insert_keys(of))
    return false;
  ask_again(of);
  for (int which = 0; which < PROTOCOL_STREAM; which++) {
    if (!of->options->protocols[which])
      continue;
    note(of, protocol_name((protocol)which));
    uint64_t then = of->done + largest_query(of->options, (protocol)which);
    if (!run_protocol(of, (protocol)which))
      return false;
    of->done = then;
  }
  return true;
}

static bool run_size(run *of)
{
  bool wants_queries = false;
  for (int which = 0; which < PROTOCOL_STREAM; which++)
    wants_queries |= of->options->protocols[which];
  if (wants_queries && !(make_filters(of) && run_queries(of)))
    return false;
  free_filters(of);
  if (!of->options->protocols[PROTOCOL_STREAM])
    return true;
  note(of, protocol_name(PROTOCOL_STREAM));
  uint64_t then = of->done + urllist_rows(of->options->list);
  bool is_done = make_filters(of) && run_stream(of);
  of->done = then;
  return is_done;
}

bool replay_run(const replay_options *options, replay_results *results, const char **reason)
{
  run *of = calloc(1, sizeof *of);
  if (of == NULL || (of->batch = batch_create()) == NULL) {
    free(of);
    *reason = "out of memory";
    return false;
  }
  of->options = options;
  of->whole = count_work(options);
  of->results = results;
  of->reason = reason;
  results->count = 0;
  bool is_done = true;
  for (size_t i = 0; is_done && i < options->size_count; i++) {
    of->n = options->sizes[i];
    is_done = run_size(of);
    free_filters(of);
  }
  for (size_t i = 0; i < options->filter_count; i++)
    stopwatch_free(&of->tallies[i].watch);
  free(of->batch);
  free(of);
  return is_done;
}
