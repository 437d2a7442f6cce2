#include "tests/support/doubts_life.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/site/random.h"
#include "tests/support/faults.h"

struct life life;

/* ---- the model ---------------------------------------------------------------------------------------------- */

/* Some that differ in one half alone. */
mlbf_hash128 life_hash_of(unsigned key)
{
  mlbf_hash128 hash = {random_stream(1, key), random_stream(2, key)};
  if (key % 7 == 1)
    hash.high = random_stream(2, key - 1);
  if (key % 7 == 2)
    hash.low = random_stream(1, key - 1);
  return hash;
}

static unsigned key_of(mlbf_hash128 hash)
{
  for (unsigned key = 0; key < KEYS; ++key)
    if (key_compare(life_hash_of(key), hash) == 0)
      return key;
  fail();
  return 0;
}

static bool is_known(unsigned key)
{
  return key % 3 != 0 || life.now.key_is_late[key];
}

doubt_row life_row_of(uint64_t number, life_texts *t)
{
  doubt_row row = {.has_own_key = life.rows[number].has_own_key,
                   .was_known_before = number % 4 == 0,
                   .purpose = number % 5 ? DOUBT_TO_QUEUE : DOUBT_TO_NOTE,
                   .origin = {.via = number / 2, .depth = (uint16_t)(number % 9), .hops = (uint16_t)(number % 3)},
                   .url = t->url};
  row.hashes.whole = life_hash_of(life.rows[number].key);
  row.url_size = (size_t)snprintf(t->url, sizeof t->url, "http://h%u.example/%llu/%.*s", life.rows[number].key,
                                  (unsigned long long)number, (int)(number % 90),
                                  "------------------------------------------------------------------------------------"
                                  "------");
  if (row.has_own_key) {
    row.hashes.depth = 2;
    row.hashes.layer[0] = row.hashes.layer[1] = (mlbf_hash128){number, number * 3};
  }
  if (life.rows[number].has_payload) {
    memset(t->payload, (int)(number % 251), sizeof t->payload);
    row.payload = t->payload;
    row.payload_size = 1 + (size_t)(number * 7 % sizeof t->payload);
  }
  return row;
}

static void check_row(const doubt_row *got, uint64_t number)
{
  life_texts t;
  doubt_row wanted = life_row_of(number, &t);
  assert_int_equal(key_compare(got->hashes.whole, wanted.hashes.whole), 0);
  assert_int_equal(got->has_own_key, wanted.has_own_key);
  assert_int_equal(got->was_known_before, wanted.was_known_before);
  assert_int_equal(got->hashes.depth, wanted.hashes.depth);
  assert_memory_equal(got->hashes.layer, wanted.hashes.layer, wanted.hashes.depth * sizeof *wanted.hashes.layer);
  assert_int_equal(got->purpose, wanted.purpose);
  assert_true(got->origin.via == wanted.origin.via);
  assert_int_equal(got->origin.depth, wanted.origin.depth);
  assert_int_equal(got->origin.hops, wanted.origin.hops);
  assert_int_equal(got->url_size, wanted.url_size);
  assert_memory_equal(got->url, wanted.url, wanted.url_size);
  assert_int_equal(got->payload_size, wanted.payload_size);
  if (wanted.payload_size)
    assert_memory_equal(got->payload, wanted.payload, wanted.payload_size);
}

static uint64_t late_rows(const moment *m, uint64_t from, uint64_t to)
{
  uint64_t count = 0;
  for (uint64_t number = from; number < to; ++number)
    count += m->row_is_late[number];
  return count;
}

/* ---- calls that may fail ------------------------------------------------------------------------------------ */

/* The call failed: it may be repeated if that was our doing. */
void life_forgive(void)
{
  if (!life.may_fail || !faults_have_struck())
    fail_msg("%s", life.message);
  faults_set(FAULT_NONE, 0, 0, false); /* once */
}

void life_arm(void)
{
  static const int errors[] = {EIO, ENOSPC, FAULT_SHORT};
  if (!life.may_fail)
    return;
  fault_class what = (fault_class)(FAULT_WRITE + random_below(&life.dice, 3));
  faults_set(what, 1 + random_below(&life.dice, 12), what == FAULT_ALLOC ? ENOMEM : errors[random_below(&life.dice, 3)],
             false);
}

/* ---- a life ------------------------------------------------------------------------------------------------- */

int life_begin(void **state)
{
  (void)state;
  scratch_make_fast(life.directory);
  memset(&life.now, 0, sizeof life.now);
  life.now.next = life.now.settled = 1;
  life.sealed = life.durable = life.now;
  life.pass_count = 0;
  life.may_fail = false;
  return 0;
}

int life_end(void **state)
{
  (void)state;
  faults_end();
  scratch_remove(life.directory);
  return 0;
}

/* Of "doubts.*", the `which`-th; returns how many there are, with those that are being written or not. */
size_t life_list_files(bool is_any, size_t which, char path[SCRATCH_PATH])
{
  size_t count = 0;
  DIR *dir = opendir(life.directory);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    if (strncmp(e->d_name, "doubts.", 7) == 0 && (is_any || !strstr(e->d_name, ".tmp")) && count++ == which)
      scratch_join(life.directory, e->d_name, path);
  closedir(dir);
  return count;
}

void life_check_numbers(void)
{
  uint64_t waiting = life.now.next - life.now.settled - late_rows(&life.now, life.now.settled, life.now.next);
  assert_true(doubts_waiting(life.d) == waiting);
  assert_true(doubts_on_disk(life.d) == life.durable.next - life.now.settled);
  assert_true(doubts_late(life.d) == life.now.late);
  assert_int_equal(doubts_is_passing(life.d), life.pass_count > 0);
}

void life_open_store(bool is_writer)
{
  if (store_open(life.directory, !is_writer, "us", 2, &life.s, life.message) != FRONTIER_OK)
    fail_msg("%s", life.message);
}

frontier_status life_try_open(const uint8_t *body, size_t size, bool is_writer)
{
  life.d = doubts_create(&(key_place){.directory = life.directory, .id = store_id(life.s), .mode = 0600});
  frontier_status status = life.d ? doubts_open(life.d, life.s, body, size, is_writer, life.message)
                                  : FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK)
    return status;
  doubts_free(life.d);
  life.d = NULL;
  return status;
}

void life_open(bool is_writer)
{
  uint8_t *body = NULL;
  size_t size = 0;
  life_open_store(is_writer);
  frontier_status status = store_get_meta(life.s, "late", &body, &size);
  assert_true(status == FRONTIER_OK || status == FRONTIER_NOT_FOUND);
  life_arm();
  while (life_try_open(body, size, is_writer) != FRONTIER_OK) {
    life_forgive();
    store_close(life.s);
    life_open_store(is_writer);
  }
  free(body);
  life_check_numbers();
}

void life_close(void)
{
  faults_end();
  doubts_free(life.d);
  store_close(life.s);
  life.d = NULL;
  life.s = NULL;
}

/* All that is not on disk is lost. */
void life_crash(void)
{
  life_close();
  life.now = life.sealed = life.durable;
  life.pass_count = 0;
}

void life_add(size_t count)
{
  for (; count && life.now.next < ROWS_MAX; --count) {
    life_texts t;
    life.rows[life.now.next].key = random_below(&life.dice, KEYS);
    life.rows[life.now.next].has_own_key = random_one_in(&life.dice, 5);
    life.rows[life.now.next].has_payload = random_one_in(&life.dice, 9);
    doubt_row row = life_row_of(life.now.next, &t);
    size_t bytes = doubts_batch_bytes(life.d);
    while (!doubts_add(life.d, &row))
      life_forgive();
    assert_true(doubts_batch_bytes(life.d) > bytes + row.url_size + row.payload_size);
    assert_true(doubts_is_dirty(life.d));
    life.now.row_is_late[life.now.next++] = false;
  }
}

static frontier_status life_seal(void)
{
  store_begin(life.s);
  doubts_put(life.d, life.s);
  return store_seal(life.s);
}

/* With more added meanwhile; or cut short, as a crash would. */
void life_commit(life_cut at)
{
  SURELY(life_seal());
  doubts_sealed(life.d);
  life.sealed = life.now;
  if (random_one_in(&life.dice, 3))
    life_add(random_below(&life.dice, 9));
  if (at == CUT_SEALED)
    return;
  do {
    SURELY(store_make_ready(life.s));
    store_land(life.s);
  } while (store_landed(life.s) != FRONTIER_OK && (life_forgive(), true));
  life.durable = life.sealed;
  if (at == CUT_WRITTEN)
    return;
  doubts_landed(life.d);
}

static int compare(const void *a, const void *b)
{
  const numbered_key *x = a, *y = b;
  int by_key = key_compare(x->key, y->key);
  return by_key ? by_key : x->number < y->number ? -1 : 1;
}

void life_begin_pass(void)
{
  SURELY(doubts_begin(life.d, life.message));
  life.pass_end = life.durable.next;
  life.pass_at = life.pass_count = 0;
  for (uint64_t number = life.now.settled; number < life.pass_end; ++number)
    life.pass[life.pass_count++] = (numbered_key){life_hash_of(life.rows[number].key), number};
  qsort(life.pass, life.pass_count, sizeof *life.pass, compare);
  if (life.pass_count == 0) {
    assert_true(doubts_end(life.d) == 0);
    assert_false(doubts_is_passing(life.d));
  }
}

static void look_at(const numbered_key *item)
{
  unsigned key = key_of(item->key);
  doubt_row row;
  if (is_known(key) && !random_one_in(&life.dice, 10))
    return;
  SURELY(doubts_row(life.d, life.s, item->number, &row, life.message));
  check_row(&row, item->number);
  if (is_known(key))
    return;
  doubts_accepted(life.d);
  assert_true(doubts_is_dirty(life.d));
  life.now.key_is_late[key] = life.now.row_is_late[item->number] = true;
  life.now.late++;
}

static void end_pass(void)
{
  uint64_t late = late_rows(&life.now, life.now.settled, life.pass_end);
  assert_true(doubts_end(life.d) == life.pass_end - life.now.settled - late);
  life.now.settled = life.pass_end;
  life.pass_count = 0;
}

/* Some of it; then it ends if that was all. */
void life_go_on(size_t most)
{
  numbered_key items[50];
  size_t count, wanted = life.pass_count - life.pass_at;
  most = most < 50 ? most : 50;
  wanted = wanted < most ? wanted : most;
  SURELY(doubts_next(life.d, items, most, &count, life.message));
  assert_true(count == wanted || (life.may_fail && count > 0 && count < wanted));
  for (size_t i = 0; i < count; ++i, ++life.pass_at) {
    assert_int_equal(key_compare(items[i].key, life.pass[life.pass_at].key), 0);
    assert_true(items[i].number == life.pass[life.pass_at].number);
    look_at(&items[i]);
  }
  if (count == 0)
    end_pass();
}

void life_steps(size_t most)
{
  for (; most && doubts_can_step(life.d); --most)
    SURELY(doubts_step(life.d, life.message));
}

void life_damage_a_file(void)
{
  char path[SCRATCH_PATH];
  struct stat file;
  size_t count = life_list_files(false, SIZE_MAX, path);
  faults_end();
  if (count == 0)
    return;
  life_list_files(false, random_below(&life.dice, (unsigned)count), path);
  assert_int_equal(stat(path, &file), 0);
  long at = (long)random_below(&life.dice, (unsigned)file.st_size + 1);
  uint8_t byte;
  switch (random_below(&life.dice, 3)) {
  case 0: assert_int_equal(unlink(path), 0); break;
  case 1: assert_int_equal(truncate(path, at), 0); break;
  default: {
    int fd = open(path, O_RDWR);
    if (pread(fd, &byte, 1, at) == 1) {
      byte ^= 4;
      assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    close(fd);
  }
  }
}

void life_ask(void)
{
  for (int i = 0; i < 5; ++i) {
    bool has, is_there = false;
    unsigned key = random_below(&life.dice, KEYS);
    for (uint64_t number = life.now.settled; number < life.now.next; ++number)
      is_there |= life.rows[number].key == key;
    SURELY(doubts_has(life.d, life_hash_of(key), &has, life.message));
    assert_int_equal(has, is_there);
  }
}

static bool see_row(void *context, uint64_t number, const doubt_row *row)
{
  uint64_t *next = context;
  assert_true(number == *next);
  check_row(row, number);
  ++*next;
  return true;
}

static bool see_one(void *context, uint64_t number, const doubt_row *row)
{
  (void)number, (void)row;
  ++*(uint64_t *)context;
  return false;
}

void life_see_all(void)
{
  uint64_t next = life.now.settled, count = 0;
  SURELY((next = life.now.settled, doubts_each(life.d, life.s, see_row, &next)));
  assert_true(next == (life.durable.next > life.now.settled ? life.durable.next : life.now.settled));
  SURELY((count = 0, doubts_each(life.d, life.s, see_one, &count)));
  assert_true(count == (life.durable.next > life.now.settled));
}

/* The writer is gone; files may go away while it reads. */
void life_be_a_reader(bool is_disturbed)
{
  life_open(false);
  assert_false(doubts_can_step(life.d));
  life_ask();
  if (is_disturbed)
    life_damage_a_file();
  life_ask();
  life_see_all();
  life_close();
}

void life_settle_all(void)
{
  uint64_t first, next;
  char path[SCRATCH_PATH];
  if (life.pass_count == 0) {
    life_add(1);
    life_commit(CUT_NOT);
    life_commit(CUT_NOT);
    life_begin_pass();
  }
  while (life.pass_count)
    life_go_on(50);
  while (life.now.next > life.durable.next || doubts_on_disk(life.d)) {
    life_commit(CUT_NOT);
    life_begin_pass();
    while (life.pass_count)
      life_go_on(50);
  }
  for (int i = 0; doubts_is_dirty(life.d); ++i) {
    SURELY(life_seal());
    doubts_sealed(life.d);
    life.sealed = life.now;
    SURELY(store_make_ready(life.s));
    store_land(life.s);
    assert_int_equal(store_landed(life.s), FRONTIER_OK);
    life.durable = life.sealed;
    doubts_landed(life.d);
    assert_true(i < ROWS_MAX);
  }
  assert_true(doubts_waiting(life.d) == 0);
  assert_int_equal(store_row_span(life.s, STORE_UNCONFIRMED, ROWS_DOUBT, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0);
  assert_int_equal(life_list_files(true, 0, path), 0);
  for (uint64_t number = 1; number < life.now.next; ++number)
    assert_true(life.rows[number].key % 3 != 0 || life.now.key_is_late[life.rows[number].key]);
}
