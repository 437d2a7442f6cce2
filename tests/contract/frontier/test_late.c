/* Late, not lost: where keys are exact, every link that was found becomes a URL once, however bad the filter in front
 * is. A run throws dice: links are added, noted, forgotten and looked up, pages are fetched, the directory is reopened,
 * damaged where that must do no harm, compacted, and lost since its last commit. A plain list of all keys says what
 * must hold. Again with tiny limits; then death, or a failure, at each call that writes. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/frontier.h"
#include "tests/support/dice.h"
#include "tests/support/each_fault.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

enum { KEYS = 3000, TOGETHER = 40, LEASES = 30 };

typedef struct known_key {
  bool is_found;     /* a link with it was given */
  bool is_accepted;  /* that is certain */
  bool is_forgotten; /* and was accepted before */
  bool is_erased;    /* forgotten, and no tombstone says so any more: it may come late */
  unsigned rows;     /* URLs that it must have in the end */
  unsigned finders;  /* links that were given */
  uint16_t depth;    /* of the first */
} known_key;

static char root[SCRATCH_PATH], directory[SCRATCH_PATH];
static known_key keys[KEYS], lasting[KEYS]; /* and as of the last commit */
static frontier *f;
static uint64_t now_ms, given;
static bool has_damage, has_gap; /* files of keys are damaged; then keys may be unconfirmed that were never found */
static mlbf_kind kind;
static double rate;

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "frontier", directory);
  memset(keys, 0, sizeof keys);
  memset(lasting, 0, sizeof lasting);
  f = NULL;
  now_ms = 1000000;
  given = 0;
  has_damage = has_gap = false;
  return 0;
}

static int end(void **state)
{
  (void)state;
  frontier_close(f);
  scratch_remove(root);
  return 0;
}

static void text_of(unsigned number, char text[64])
{
  snprintf(text, 64, "http://h%u.test/%u/%u", number % 17, number % 70, number);
}

static unsigned number_of(const char *text, size_t size)
{
  char copy[64];
  unsigned number;
  assert_true(size < sizeof copy);
  memcpy(copy, text, size);
  copy[size] = '\0';
  const char *slash = strrchr(copy, '/');
  assert_non_null(slash);
  assert_int_equal(sscanf(slash + 1, "%u", &number), 1);
  assert_true(number < KEYS);
  return number;
}

static void parse(unsigned number, url *u)
{
  char text[64];
  text_of(number, text);
  assert_int_equal(url_parse(text, strlen(text), URL_STRICT, u), URL_OK);
}

static void open_it(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_options options = {.filter = kind,
                              .expected_urls = 100,
                              .rate = rate,
                              .exact = true,
                              .secret = test_secret(0),
                              .per_host = 8,
                              .lease_ms = 5000,
                              .depth_cap = UINT16_MAX};
  if (frontier_open(directory, &options, &f, message) != FRONTIER_OK)
    fail_msg("%s", message);
}

/* After a crash, or if files of keys are damaged, keys are read again from the log, in steps. */
static void open_again(void)
{
  bool is_more = dice_throw(2);
  open_it();
  has_gap = !is_more;
  while (is_more)
    assert_int_equal(frontier_maintain(f, 1000, &is_more), FRONTIER_OK);
  has_damage &= has_gap;
}

static bool is_new(frontier_verdict v)
{
  return v.outcome != FRONTIER_SEEN && v.outcome != FRONTIER_UNCONFIRMED;
}

/* ---- adding --------------------------------------------------------------------------------------------- */

/* A link with this key got this verdict. */
static void judge(unsigned number, frontier_verdict v, uint16_t depth)
{
  known_key *k = &keys[number];
  if (is_new(v) && k->is_accepted && !k->is_forgotten)
    fail_msg("%u was accepted, and is new", number);
  if (v.outcome == FRONTIER_SEEN && (!k->is_found || k->is_forgotten))
    fail_msg("%u is new, and is called seen", number);
  if (k->is_forgotten && !k->is_erased && !is_new(v))
    fail_msg("%u was forgotten, and is %s", number, frontier_outcome_name(v.outcome));
  if (!k->is_found || k->is_forgotten)
    k->rows++;
  if (!k->finders++)
    k->depth = depth;
  k->is_accepted = is_new(v) || (k->is_accepted && !k->is_forgotten);
  k->is_found = true;
  k->is_forgotten = k->is_erased = false;
  given++;
}

static unsigned draw(void)
{
  return (unsigned)(dice_throw(3) ? dice_throw(KEYS) : dice_throw(KEYS / 10));
}

static void add_some(bool to_note)
{
  static url urls[TOGETHER];
  frontier_link links[TOGETHER];
  frontier_verdict verdicts[TOGETHER];
  unsigned numbers[TOGETHER];
  size_t count = 1 + dice_throw(TOGETHER), settled = 0;
  for (size_t i = 0; i < count; i++) {
    numbers[i] = draw();
    parse(numbers[i], &urls[i]);
    links[i] = (frontier_link){.target = &urls[i], .origin = {.depth = (uint16_t)(1 + dice_throw(50))}};
  }
  if (to_note) {
    count = settled = 1;
    assert_int_equal(frontier_note(f, links, now_ms, verdicts), FRONTIER_OK);
  } else {
    assert_int_equal(frontier_add_batch(f, links, count, now_ms, verdicts, &settled), FRONTIER_OK);
  }
  assert_int_equal(settled, count);
  for (size_t i = 0; i < count; i++)
    judge(numbers[i], verdicts[i], links[i].origin.depth);
}

static void look_up(void)
{
  static url u;
  frontier_verdict v;
  unsigned number = draw();
  const known_key *k = &keys[number];
  parse(number, &u);
  assert_int_equal(frontier_lookup(f, &u, &v), FRONTIER_OK);
  if (v.outcome == FRONTIER_SEEN && (!k->is_found || k->is_forgotten))
    fail_msg("%u was never found, and is seen", number);
  if (is_new(v) && k->is_accepted && !k->is_forgotten)
    fail_msg("%u was accepted, and is new", number);
  if (v.outcome == FRONTIER_UNCONFIRMED && (k->is_accepted || !k->is_found) && !has_gap)
    fail_msg("%u is %s, and is unconfirmed", number, k->is_accepted ? "accepted" : "not found");
}

static void forget_one(void)
{
  static url u;
  bool was_seen;
  unsigned number = draw();
  known_key *k = &keys[number];
  parse(number, &u);
  assert_int_equal(frontier_forget(f, &(frontier_link){.target = &u}, &was_seen), FRONTIER_OK);
  if (was_seen && (!k->is_found || k->is_forgotten))
    fail_msg("%u was never found, and is forgotten", number);
  if (!was_seen && k->is_accepted && !k->is_forgotten && !has_gap)
    fail_msg("%u was accepted, and is not forgotten", number);
  if (was_seen)
    k->is_accepted = k->is_forgotten = true;
}

/* ---- fetching ------------------------------------------------------------------------------------------- */

static void check_lease(const frontier_lease *l)
{
  unsigned number = number_of(l->url, l->url_size);
  known_key *k = &keys[number];
  if (!k->is_found)
    fail_msg("%u is fetched, and was never found", number);
  if (k->finders == 1 && k->depth != l->origin.depth)
    fail_msg("%u has depth %u, not %u", number, l->origin.depth, k->depth);
  k->is_accepted = true;
}

static size_t fetch_some(void)
{
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(f, now_ms, leases, LEASES, &count, &wait_ms), FRONTIER_OK);
  for (size_t i = 0; i < count; i++) {
    check_lease(&leases[i]);
    if (dice_throw(10))
      assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
    else
      assert_int_equal(frontier_release(f, leases[i].id, now_ms), FRONTIER_OK);
  }
  if (!count && wait_ms > 0)
    now_ms += (uint64_t)wait_ms;
  return count;
}

/* ---- what must hold ------------------------------------------------------------------------------------- */

static bool count_row(void *context, const frontier_record *record)
{
  unsigned *rows = context;
  rows[number_of(record->url, record->url_size)]++;
  return true;
}

static void audit(bool is_over)
{
  unsigned *rows = calloc(KEYS, sizeof *rows);
  frontier_stats stats;
  uint64_t verdicts = 0;
  assert_non_null(rows);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  assert_int_equal(frontier_each(f, count_row, rows), FRONTIER_OK);
  for (unsigned i = 0; i < KEYS; i++) {
    if (rows[i] > keys[i].rows || (is_over && rows[i] < keys[i].rows))
      fail_msg("%u became %u URLs, not %u", i, rows[i], keys[i].rows);
    if (keys[i].is_accepted && !rows[i])
      fail_msg("%u was accepted, and is gone", i);
  }
  free(rows);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  for (unsigned i = 0; i < FRONTIER_OUTCOMES; i++)
    verdicts += stats.outcomes[i];
  if (verdicts + stats.unconfirmed != given)
    fail_msg("%llu verdicts and %llu unconfirmed of %llu links", (unsigned long long)verdicts,
             (unsigned long long)stats.unconfirmed, (unsigned long long)given);
  if (is_over)
    assert_int_equal(stats.unconfirmed, 0);
  assert_true(stats.expected_lost == 0);
}

static void note_commit(void)
{
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  memcpy(lasting, keys, sizeof keys);
}

/* Files of keys are made of what is in data.mdb: without them nothing is lost. */
static void damage_some(void)
{
  DIR *files = opendir(directory);
  const struct dirent *file;
  assert_non_null(files);
  while ((file = readdir(files))) {
    char path[SCRATCH_PATH];
    bool is_ours = strncmp(file->d_name, "keys.", 5) == 0 || strncmp(file->d_name, "doubts.", 7) == 0;
    if (!is_ours || dice_throw(3))
      continue;
    scratch_join(directory, file->d_name, path);
    has_damage = true;
    if (dice_throw(2)) {
      assert_int_equal(unlink(path), 0);
    } else if (truncate(path, (off_t)dice_throw(9000)) != 0) {
      fail();
    }
  }
  closedir(files);
}

static void hear(void *context, const char *sentence)
{
  (void)context;
  if (!has_damage)
    fail_msg("check: %s", sentence);
}

static void reopen(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_sizes sizes;
  frontier_findings found;
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  f = NULL;
  memcpy(lasting, keys, sizeof keys);
  if (!dice_throw(2)) {
    if (frontier_check(directory, NULL, hear, NULL, &found, message) != FRONTIER_OK)
      fail_msg("%s", message);
  }
  if (!dice_throw(3)) {
    if (frontier_compact(directory, &sizes, message) != FRONTIER_OK)
      fail_msg("%s", message);
    for (unsigned i = 0; i < KEYS; i++)
      keys[i].is_erased = keys[i].is_forgotten;
    memcpy(lasting, keys, sizeof keys);
  } else if (!dice_throw(2)) {
    damage_some();
  }
  open_again();
}

/* What was gathered since the last commit is gone, or some of it; links of pages that were not done are found again. */
static void crash(void)
{
  char copy[SCRATCH_PATH];
  frontier_stats stats;
  audit(false);
  note_commit();
  for (uint64_t more = dice_throw(8); more; more--)
    add_some(false);
  if (dice_throw(2))
    fetch_some();
  scratch_join(root, "copy", copy);
  assert_int_equal(mkdir(copy, 0777), 0);
  scratch_copy(directory, copy);
  frontier_close(f);
  scratch_remove(directory);
  assert_int_equal(rename(copy, directory), 0);
  open_again();
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  given = stats.unconfirmed;
  for (unsigned i = 0; i < FRONTIER_OUTCOMES; i++)
    given += stats.outcomes[i];
  for (unsigned i = 0; i < KEYS; i++) {
    static url u;
    frontier_verdict v;
    const known_key lost = keys[i];
    known_key *k = &keys[i];
    *k = lasting[i];
    k->finders += k->finders == 1; /* a later one may have come first */
    if (!lost.is_found || (k->is_found && (!k->is_forgotten || lost.is_forgotten)))
      continue;
    parse(i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){.depth = lost.depth}, now_ms, &v), FRONTIER_OK);
    k->rows++; /* whether it was committed after all, or is accepted now */
    k->is_found = true;
    k->is_forgotten = k->is_erased = false;
    k->is_accepted = is_new(v);
    k->finders = 2;
    given++;
  }
}

static void drain(void)
{
  unsigned idle = 0;
  while (!frontier_is_finished(f)) {
    idle = fetch_some() ? 0 : idle + 1;
    assert_true(idle < 10000);
  }
  audit(true);
}

/* ---- runs ----------------------------------------------------------------------------------------------- */

static void step(void)
{
  uint64_t what = dice_throw(1000);
  now_ms += dice_throw(400);
  if (what < 500)
    add_some(false);
  else if (what < 530)
    add_some(true);
  else if (what < 700)
    fetch_some();
  else if (what < 900)
    look_up();
  else if (what < 960)
    forget_one();
  else if (what < 985)
    note_commit();
  else if (what < 990)
    audit(false);
  else if (what < 996)
    reopen();
  else
    crash();
}

static void run(uint64_t seed, unsigned steps)
{
  dice_begin(seed);
  open_it();
  while (steps--)
    step();
  drain();
  has_gap = false;
  for (unsigned i = 0; i < 300; i++)
    look_up();
}

CASE(half_of_all_are_called_seen)
{
  kind = MLBF_KIND_MLBF;
  rate = 0.5;
  run(1, 3000);
}

CASE(one_in_three_by_a_line_filter)
{
  kind = MLBF_KIND_LINE;
  rate = 0.3;
  run(2, 3000);
}

CASE(one_in_ten_by_a_classic_filter)
{
  kind = MLBF_KIND_BLOOM;
  rate = 0.1;
  run(3, 3000);
}

CASE(one_in_a_hundred)
{
  kind = MLBF_KIND_MLBF;
  rate = 1e-2;
  run(4, 3000);
}

CASE(many_dice)
{
  static const mlbf_kind kinds[] = {MLBF_KIND_MLBF, MLBF_KIND_LINE, MLBF_KIND_BLOOM};
  for (uint64_t seed = 10; seed < 16; seed++) {
    kind = kinds[seed % 3];
    rate = seed % 2 ? 0.5 : 0.2;
    run(seed, 600);
    end(NULL);
    begin(NULL);
  }
}

/* ---- death, and failures -------------------------------------------------------------------------------- */

enum { STORY_KEYS = 700, STORY_LOT = 35 };

/* All keys are found, in order, each once more later, and fetched, but for those that are `*committed`, which it
 * counts on. False: a call failed. */
static bool crawl(unsigned *committed)
{
  static url u;
  frontier_verdict v;
  frontier_lease leases[LEASES];
  size_t count;
  int64_t wait_ms;
  for (unsigned i = *committed; i < STORY_KEYS; i++) {
    now_ms += 300;
    parse(i, &u);
    if (frontier_add(f, &u, (frontier_origin){.depth = 1}, now_ms, &v) != FRONTIER_OK)
      return false;
    parse(i / 2, &u);
    if (frontier_add(f, &u, (frontier_origin){.depth = 1}, now_ms, &v) != FRONTIER_OK)
      return false;
    if (i % STORY_LOT != STORY_LOT - 1)
      continue;
    if (frontier_next(f, now_ms, leases, LEASES, &count, &wait_ms) != FRONTIER_OK)
      return false;
    for (size_t j = 0; j < count; j++)
      if (frontier_done(f, leases[j].id, FRONTIER_DONE, 200, NULL, 0, now_ms) != FRONTIER_OK)
        return false;
    if (frontier_sync(f) != FRONTIER_OK)
      return false;
    *committed = i + 1;
  }
  while (!frontier_is_finished(f)) {
    if (frontier_next(f, now_ms, leases, LEASES, &count, &wait_ms) != FRONTIER_OK)
      return false;
    for (size_t j = 0; j < count; j++)
      if (frontier_done(f, leases[j].id, FRONTIER_DONE, 200, NULL, 0, now_ms) != FRONTIER_OK)
        return false;
    now_ms += wait_ms > 0 ? (uint64_t)wait_ms : 1;
  }
  return frontier_sync(f) == FRONTIER_OK;
}

/* After a crawl that came to its end. */
static void assert_each_once(void)
{
  unsigned *rows = calloc(KEYS, sizeof *rows);
  assert_non_null(rows);
  assert_int_equal(frontier_each(f, count_row, rows), FRONTIER_OK);
  for (unsigned i = 0; i < STORY_KEYS; i++)
    if (rows[i] != 1)
      fail_msg("%u became %u URLs", i, rows[i]);
  free(rows);
}

static bool live(unsigned *committed)
{
  open_it();
  return crawl(committed) && frontier_close(f) == FRONTIER_OK;
}

static void death_at_each(fault_class what, unsigned share)
{
  unsigned *committed = fault_witness(sizeof *committed);
  fault_loop l = {.what = what, .error = FAULT_DEATH, .share = share};
  kind = MLBF_KIND_LINE;
  rate = 0.5;
  while (fault_next(&l)) {
    *committed = 0;
    if (fault_begin(&l))
      fault_end(&l, !live(committed));
    assert_int_equal(l.outcome, 0);
    open_it();
    if (!crawl(committed))
      fail_msg("after death at call %u: %s", l.number, frontier_message(f));
    assert_each_once();
    end(NULL);
    begin(NULL);
  }
  assert_true(l.number > 1);
}

CASE(death_at_each_write)
{
  death_at_each(FAULT_WRITE, 7);
}

CASE(death_at_each_sync)
{
  death_at_each(FAULT_SYNC, 5);
}

/* A call that fails may be repeated once the cause is gone; a lease that it left behind ends by itself. */
static void failures_of(fault_class what, int error, unsigned share)
{
  kind = MLBF_KIND_LINE;
  rate = 0.5;
  fault_loop l = {.what = what, .error = error, .share = share};
  while (fault_next(&l)) {
    open_it();
    if (fault_begin(&l))
      fault_end(&l, !crawl(&(unsigned){0}));
    if (l.outcome && !crawl(&(unsigned){0}))
      fail_msg("after the failure of call %u: %s", l.number, frontier_message(f));
    assert_each_once();
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    open_it();
    assert_each_once();
    end(NULL);
    begin(NULL);
  }
  assert_true(l.number > 1);
}

CASE(each_write_fails)
{
  failures_of(FAULT_WRITE, ENOSPC, 9);
}

CASE(each_sync_fails)
{
  failures_of(FAULT_SYNC, EIO, 7);
}

CASE(each_allocation_fails)
{
  failures_of(FAULT_ALLOC, ENOMEM, 15);
}

EACH_CASE(begin, end)
