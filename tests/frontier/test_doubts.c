/* frontier/late/doubts.h, in real directories and with tiny limits: against a plain model, through commits, crashes,
 * passes that are cut short, damage to the files, and calls that fail. */
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/base/record.h"
#include "frontier/late/doubt_parts.h"
#include "frontier/late/doubts.h"
#include "frontier/store/store_rows.h"
#include "tests/site/random.h"
#include "tests/support/faults.h"
#include "tests/support/scratch.h"
#include "tests/support/spoil.h"

enum { KEYS = 700, ROWS_MAX = 30000 };

static char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
static uint64_t dice;
static store *s;
static doubts *d;

/* ---- the model ---------------------------------------------------------------------------------------------- */

/* As it is now, as it was sealed, as it is on disk. */
typedef struct moment {
  uint64_t next, settled, late;
  bool key_is_late[KEYS];
  bool row_is_late[ROWS_MAX];
} moment;
static moment now, sealed, durable;

static struct {
  unsigned key;
  bool has_own_key, has_payload;
} rows[ROWS_MAX];

static numbered_key pass[ROWS_MAX];
static size_t pass_count, pass_at;
static uint64_t pass_end;

/* Some that differ in one half alone. */
static mlbf_hash128 hash_of(unsigned key)
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
    if (key_compare(hash_of(key), hash) == 0)
      return key;
  fail();
  return 0;
}

static bool is_known(unsigned key)
{
  return key % 3 != 0 || now.key_is_late[key];
}

typedef struct texts {
  char url[200], payload[3000];
} texts;

static doubt_row row_of(uint64_t number, texts *t)
{
  doubt_row row = {.has_own_key = rows[number].has_own_key,
                   .was_known_before = number % 4 == 0,
                   .purpose = number % 5 ? DOUBT_TO_QUEUE : DOUBT_TO_NOTE,
                   .origin = {.via = number / 2, .depth = (uint16_t)(number % 9), .hops = (uint16_t)(number % 3)},
                   .url = t->url};
  row.hashes.whole = hash_of(rows[number].key);
  row.url_size = (size_t)snprintf(t->url, sizeof t->url, "http://h%u.example/%llu/%.*s", rows[number].key,
                                  (unsigned long long)number, (int)(number % 90),
                                  "------------------------------------------------------------------------------------"
                                  "------");
  if (row.has_own_key) {
    row.hashes.depth = 2;
    row.hashes.layer[0] = row.hashes.layer[1] = (mlbf_hash128){number, number * 3};
  }
  if (rows[number].has_payload) {
    memset(t->payload, (int)(number % 251), sizeof t->payload);
    row.payload = t->payload;
    row.payload_size = 1 + (size_t)(number * 7 % sizeof t->payload);
  }
  return row;
}

static void check_row(const doubt_row *got, uint64_t number)
{
  texts t;
  doubt_row wanted = row_of(number, &t);
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

static bool may_fail;

/* The call failed: it may be repeated if that was our doing. */
static void forgive(void)
{
  if (!may_fail || !faults_have_struck())
    fail_msg("%s", message);
  faults_set(FAULT_NONE, 0, 0, false); /* once */
}

static void arm(void)
{
  static const int errors[] = {EIO, ENOSPC, FAULT_SHORT};
  if (!may_fail)
    return;
  fault_class what = (fault_class)(FAULT_WRITE + random_below(&dice, 3));
  faults_set(what, 1 + random_below(&dice, 12), what == FAULT_ALLOC ? ENOMEM : errors[random_below(&dice, 3)], false);
}

#define SURELY(call)            \
  while ((call) != FRONTIER_OK) \
  forgive()

/* ---- a life ------------------------------------------------------------------------------------------------- */

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  memset(&now, 0, sizeof now);
  now.next = now.settled = 1;
  sealed = durable = now;
  pass_count = 0;
  may_fail = false;
  return 0;
}

static int end(void **state)
{
  (void)state;
  faults_end();
  scratch_remove(directory);
  return 0;
}

/* Of "doubts.*", the `which`-th; returns how many there are, with those that are being written or not. */
static size_t list_files(bool is_any, size_t which, char path[SCRATCH_PATH])
{
  size_t count = 0;
  DIR *dir = opendir(directory);
  assert_non_null(dir);
  for (const struct dirent *e; (e = readdir(dir)) != NULL;)
    if (strncmp(e->d_name, "doubts.", 7) == 0 && (is_any || !strstr(e->d_name, ".tmp")) && count++ == which)
      scratch_join(directory, e->d_name, path);
  closedir(dir);
  return count;
}

static void check_numbers(void)
{
  uint64_t waiting = now.next - now.settled - late_rows(&now, now.settled, now.next);
  assert_true(doubts_waiting(d) == waiting);
  assert_true(doubts_on_disk(d) == durable.next - now.settled);
  assert_true(doubts_late(d) == now.late);
  assert_int_equal(doubts_is_passing(d), pass_count > 0);
}

static void open_the_store(bool is_writer)
{
  if (store_open(directory, !is_writer, "us", 2, &s, message) != FRONTIER_OK)
    fail_msg("%s", message);
}

static frontier_status try_open(const uint8_t *body, size_t size, bool is_writer)
{
  d = doubts_create(&(key_place){.directory = directory, .id = store_id(s), .mode = 0600});
  frontier_status status = d ? doubts_open(d, s, body, size, is_writer, message) : FRONTIER_NO_MEMORY;
  if (status == FRONTIER_OK)
    return status;
  doubts_free(d);
  d = NULL;
  return status;
}

static void open_it(bool is_writer)
{
  uint8_t *body = NULL;
  size_t size = 0;
  open_the_store(is_writer);
  frontier_status status = store_get_meta(s, "late", &body, &size);
  assert_true(status == FRONTIER_OK || status == FRONTIER_NOT_FOUND);
  arm();
  while (try_open(body, size, is_writer) != FRONTIER_OK) {
    forgive();
    store_close(s);
    open_the_store(is_writer);
  }
  free(body);
  check_numbers();
}

static void close_it(void)
{
  faults_end();
  doubts_free(d);
  store_close(s);
  d = NULL;
  s = NULL;
}

/* All that is not on disk is lost. */
static void crash(void)
{
  close_it();
  now = sealed = durable;
  pass_count = 0;
}

static void add_some(size_t count)
{
  for (; count && now.next < ROWS_MAX; --count) {
    texts t;
    rows[now.next].key = random_below(&dice, KEYS);
    rows[now.next].has_own_key = random_one_in(&dice, 5);
    rows[now.next].has_payload = random_one_in(&dice, 9);
    doubt_row row = row_of(now.next, &t);
    size_t bytes = doubts_batch_bytes(d);
    while (!doubts_add(d, &row))
      forgive();
    assert_true(doubts_batch_bytes(d) > bytes + row.url_size + row.payload_size);
    assert_true(doubts_is_dirty(d));
    now.row_is_late[now.next++] = false;
  }
}

static frontier_status seal(void)
{
  store_begin(s);
  doubts_put(d, s);
  return store_seal(s);
}

typedef enum cut { CUT_NOT, CUT_SEALED, CUT_WRITTEN } cut;

/* With more added meanwhile; or cut short, as a crash would. */
static void commit(cut at)
{
  SURELY(seal());
  doubts_sealed(d);
  sealed = now;
  if (random_one_in(&dice, 3))
    add_some(random_below(&dice, 9));
  if (at == CUT_SEALED)
    return;
  do {
    SURELY(store_make_ready(s));
    store_land(s);
  } while (store_landed(s) != FRONTIER_OK && (forgive(), true));
  durable = sealed;
  if (at == CUT_WRITTEN)
    return;
  doubts_landed(d);
}

static int compare(const void *a, const void *b)
{
  const numbered_key *x = a, *y = b;
  int by_key = key_compare(x->key, y->key);
  return by_key ? by_key : x->number < y->number ? -1 : 1;
}

static void begin_pass(void)
{
  SURELY(doubts_begin(d, message));
  pass_end = durable.next;
  pass_at = pass_count = 0;
  for (uint64_t number = now.settled; number < pass_end; ++number)
    pass[pass_count++] = (numbered_key){hash_of(rows[number].key), number};
  qsort(pass, pass_count, sizeof *pass, compare);
  if (pass_count == 0) {
    assert_true(doubts_end(d) == 0);
    assert_false(doubts_is_passing(d));
  }
}

static void look_at(const numbered_key *item)
{
  unsigned key = key_of(item->key);
  doubt_row row;
  if (is_known(key) && !random_one_in(&dice, 10))
    return;
  SURELY(doubts_row(d, s, item->number, &row, message));
  check_row(&row, item->number);
  if (is_known(key))
    return;
  doubts_accepted(d);
  assert_true(doubts_is_dirty(d));
  now.key_is_late[key] = now.row_is_late[item->number] = true;
  now.late++;
}

static void end_pass(void)
{
  uint64_t late = late_rows(&now, now.settled, pass_end);
  assert_true(doubts_end(d) == pass_end - now.settled - late);
  now.settled = pass_end;
  pass_count = 0;
}

/* Some of it; then it ends if that was all. */
static void go_on(size_t most)
{
  numbered_key items[50];
  size_t count, wanted = pass_count - pass_at;
  most = most < 50 ? most : 50;
  wanted = wanted < most ? wanted : most;
  SURELY(doubts_next(d, items, most, &count, message));
  assert_true(count == wanted || (may_fail && count > 0 && count < wanted));
  for (size_t i = 0; i < count; ++i, ++pass_at) {
    assert_int_equal(key_compare(items[i].key, pass[pass_at].key), 0);
    assert_true(items[i].number == pass[pass_at].number);
    look_at(&items[i]);
  }
  if (count == 0)
    end_pass();
}

static void steps(size_t most)
{
  for (; most && doubts_can_step(d); --most)
    SURELY(doubts_step(d, message));
}

static void damage_a_file(void)
{
  char path[SCRATCH_PATH];
  struct stat file;
  size_t count = list_files(false, SIZE_MAX, path);
  faults_end();
  if (count == 0)
    return;
  list_files(false, random_below(&dice, (unsigned)count), path);
  assert_int_equal(stat(path, &file), 0);
  long at = (long)random_below(&dice, (unsigned)file.st_size + 1);
  uint8_t byte;
  switch (random_below(&dice, 3)) {
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

static void ask_for_some(void)
{
  for (int i = 0; i < 5; ++i) {
    bool has, is_there = false;
    unsigned key = random_below(&dice, KEYS);
    for (uint64_t number = now.settled; number < now.next; ++number)
      is_there |= rows[number].key == key;
    SURELY(doubts_has(d, hash_of(key), &has, message));
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

static void see_all(void)
{
  uint64_t next = now.settled, count = 0;
  SURELY((next = now.settled, doubts_each(d, s, see_row, &next)));
  assert_true(next == (durable.next > now.settled ? durable.next : now.settled));
  SURELY((count = 0, doubts_each(d, s, see_one, &count)));
  assert_true(count == (durable.next > now.settled));
}

/* The writer is gone; files may go away while it reads. */
static void be_a_reader(bool is_disturbed)
{
  open_it(false);
  assert_false(doubts_can_step(d));
  ask_for_some();
  if (is_disturbed)
    damage_a_file();
  ask_for_some();
  see_all();
  close_it();
}

static void all_gets_settled(void)
{
  uint64_t first, next;
  char path[SCRATCH_PATH];
  if (pass_count == 0) {
    add_some(1);
    commit(CUT_NOT);
    commit(CUT_NOT);
    begin_pass();
  }
  while (pass_count)
    go_on(50);
  while (now.next > durable.next || doubts_on_disk(d)) {
    commit(CUT_NOT);
    begin_pass();
    while (pass_count)
      go_on(50);
  }
  for (int i = 0; doubts_is_dirty(d); ++i) {
    SURELY(seal());
    doubts_sealed(d);
    sealed = now;
    SURELY(store_make_ready(s));
    store_land(s);
    assert_int_equal(store_landed(s), FRONTIER_OK);
    durable = sealed;
    doubts_landed(d);
    assert_true(i < ROWS_MAX);
  }
  assert_true(doubts_waiting(d) == 0);
  assert_int_equal(store_row_span(s, STORE_UNCONFIRMED, ROWS_DOUBT, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0);
  assert_int_equal(list_files(true, 0, path), 0);
  for (uint64_t number = 1; number < now.next; ++number)
    assert_true(rows[number].key % 3 != 0 || now.key_is_late[rows[number].key]);
}

/* ---- any life ----------------------------------------------------------------------------------------------- */

static void something(void)
{
  switch (random_below(&dice, 12)) {
  case 0:
  case 1: add_some(random_below(&dice, random_one_in(&dice, 4) ? 150 : 20)); break;
  case 2:
  case 3: commit(CUT_NOT); break;
  case 4:
  case 5: steps(1 + random_below(&dice, 20)); break;
  case 6:
    if (!pass_count)
      begin_pass();
    break;
  case 7:
  case 8:
    if (pass_count)
      go_on(1 + random_below(&dice, 60));
    break;
  case 9:
    if (random_one_in(&dice, 3))
      damage_a_file();
    break;
  case 10:
    if (pass_count && random_one_in(&dice, 5)) {
      doubts_abandon(d);
      pass_count = 0;
    }
    break;
  default: ask_for_some(); break;
  }
}

static void live(unsigned lives)
{
  for (unsigned life = 0; life < lives; ++life) {
    open_it(true);
    see_all();
    for (int i = 0, count = 20 + (int)random_below(&dice, 200); i < count; ++i) {
      if (random_one_in(&dice, 4))
        arm();
      something();
      check_numbers();
    }
    faults_end();
    if (random_one_in(&dice, 3))
      see_all();
    if (random_one_in(&dice, 2))
      commit((cut)random_below(&dice, 3));
    crash();
    if (random_one_in(&dice, 3))
      damage_a_file();
    if (random_one_in(&dice, 3))
      be_a_reader(random_one_in(&dice, 2));
  }
  may_fail = false;
  open_it(true);
  all_gets_settled();
  close_it();
}

static void any_life(void **state)
{
  (void)state;
  live(40);
}

static void any_life_where_calls_fail(void **state)
{
  (void)state;
  may_fail = true;
  live(40);
}

/* ---- killed at each call that changes a file ---------------------------------------------------------------- */

enum { ACCEPTED = STORE_DUE }; /* number of a row -> nothing: what the caller accepts, in the same transaction */

/* What the one who is killed knows to be on disk. */
typedef struct witness {
  uint64_t next;
  bool is_over;
} witness;

static unsigned scripted_key(uint64_t number)
{
  return (unsigned)(random_stream(9, number) % 90);
}

static bool note_key(void *context, uint64_t number, const uint8_t *body, size_t size)
{
  (void)body, (void)size;
  bool *is_late = context;
  assert_false(is_late[scripted_key(number)]); /* accepted once */
  is_late[scripted_key(number)] = true;
  return true;
}

static void commit_with(uint64_t *accepted, size_t *count)
{
  store_begin(s);
  doubts_put(d, s);
  for (size_t i = 0; accepted && i < *count; ++i)
    store_put(s, (store_table)ACCEPTED, accepted[i], "", 0);
  *count = 0;
  assert_int_equal(store_seal(s), FRONTIER_OK);
  doubts_sealed(d);
  assert_int_equal(store_make_ready(s), FRONTIER_OK);
  store_land(s);
  assert_int_equal(store_landed(s), FRONTIER_OK);
  doubts_landed(d);
}

/* A pass as the frontier does it, with a commit in the middle. */
static void scripted_pass(bool *is_late)
{
  numbered_key items[16];
  uint64_t accepted[100];
  size_t count, accepted_count = 0;
  assert_int_equal(doubts_begin(d, message), FRONTIER_OK);
  for (int i = 0; doubts_next(d, items, 16, &count, message) == FRONTIER_OK && count; ++i) {
    for (size_t k = 0; k < count; ++k) {
      unsigned key = scripted_key(items[k].number);
      assert_int_equal(key_compare(items[k].key, hash_of(key)), 0);
      if (key % 3 || is_late[key])
        continue;
      is_late[key] = true;
      accepted[accepted_count++] = items[k].number;
      doubts_accepted(d);
    }
    if (i % 2)
      commit_with(accepted, &accepted_count);
  }
  doubts_end(d);
  commit_with(accepted, &accepted_count);
}

static void scripted_life(witness *w)
{
  bool is_late[KEYS] = {false};
  open_it(true);
  for (int round = 0; round < 9; ++round) {
    for (int i = 0; i < 35; ++i) {
      texts t;
      uint64_t number = w->next + (uint64_t)i;
      rows[number].key = scripted_key(number);
      doubt_row row = row_of(number, &t);
      assert_true(doubts_add(d, &row));
    }
    commit_with(NULL, &(size_t){0});
    w->next += 35;
    while (doubts_can_step(d))
      assert_int_equal(doubts_step(d, message), FRONTIER_OK);
    if (round % 4 == 3)
      scripted_pass(is_late);
  }
  close_it();
  w->is_over = true;
}

static void killed_after(unsigned calls, fault_class what, witness *w)
{
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    faults_set(what, calls, FAULT_DEATH, false);
    scripted_life(w);
    _exit(0);
  }
  int how;
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how) ? WTERMSIG(how) == SIGKILL : WIFEXITED(how) && WEXITSTATUS(how) == 0);
}

/* Each new key has been accepted once in the end. */
static void check_what_is_left(const witness *w)
{
  bool is_late[KEYS] = {false};
  uint8_t *body = NULL;
  size_t size = 0;
  uint64_t first, next;
  open_the_store(true);
  store_get_meta(s, "late", &body, &size);
  assert_int_equal(try_open(body, size, true), FRONTIER_OK);
  free(body);
  assert_int_equal(store_each(s, (store_table)ACCEPTED, 0, note_key, is_late), FRONTIER_OK);
  scripted_pass(is_late);
  for (uint64_t number = 1; number < w->next; ++number)
    assert_true(scripted_key(number) % 3 || is_late[scripted_key(number)]);
  while (doubts_is_dirty(d))
    commit_with(NULL, &(size_t){0});
  assert_int_equal(store_row_span(s, STORE_UNCONFIRMED, ROWS_DOUBT, &first, &next), FRONTIER_OK);
  assert_true(first == 0 && next == 0 && doubts_waiting(d) == 0);
  char path[SCRATCH_PATH];
  assert_int_equal(list_files(true, 0, path), 0);
  memset(is_late, 0, sizeof is_late);
  assert_int_equal(store_each(s, (store_table)ACCEPTED, 0, note_key, is_late), FRONTIER_OK);
  close_it();
}

static void killed_at_each_call(void **state)
{
  witness *w = mmap(NULL, sizeof *w, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(w != MAP_FAILED);
  unsigned lives = 0;
  for (int what = FAULT_WRITE; what <= FAULT_SYNC; ++what) {
    w->is_over = false;
    for (unsigned calls = 1; !w->is_over; ++calls, ++lives) {
      *w = (witness){.next = 1};
      killed_after(calls, (fault_class)what, w);
      check_what_is_left(w);
      end(state);
      begin(state);
    }
  }
  assert_true(lives > 40);
  munmap(w, sizeof *w);
}

/* ---- damage in LMDB ----------------------------------------------------------------------------------------- */

static void any_record(void **state)
{
  (void)state;
  uint8_t *body, bytes[200];
  size_t size, refused = 0;
  open_it(true);
  for (int i = 0; i < 4; ++i) {
    add_some(50);
    commit(CUT_NOT);
    steps(SIZE_MAX);
  }
  while (doubts_is_dirty(d))
    commit(CUT_NOT);
  assert_int_equal(store_get_meta(s, "late", &body, &size), FRONTIER_OK);
  assert_true(size > 48 && size < sizeof bytes);
  doubts_free(d);
  for (int i = 0; i < 3000; ++i) {
    size_t given = random_one_in(&dice, 4) ? random_below(&dice, (unsigned)size + 1) : size;
    memcpy(bytes, body, size);
    for (unsigned k = random_below(&dice, 4); k; --k)
      bytes[random_below(&dice, (unsigned)size)] = (uint8_t)(random_next(&dice) >> random_below(&dice, 8));
    uint8_t *copy = malloc(given + 1);
    memcpy(copy, bytes, given);
    frontier_status status = try_open(copy, given, false);
    if (status == FRONTIER_OK) {
      bool has;
      assert_int_equal(doubts_has(d, hash_of(0), &has, message), FRONTIER_OK);
    } else {
      assert_int_equal(status, FRONTIER_DAMAGED);
      ++refused;
    }
    doubts_free(status == FRONTIER_OK ? d : NULL);
    free(copy);
  }
  assert_true(refused > 100);
  /* without the record every row is a doubt again */
  assert_int_equal(try_open(NULL, 0, true), FRONTIER_OK);
  see_all();
  assert_true(doubts_waiting(d) == now.next - 1);
  doubts_free(d);
  free(body);
  store_close(s);
}

static spoil_value first_value;

static void flip(size_t at)
{
  close_it();
  assert_int_not_equal(spoil_flip(directory, &first_value, at), 0);
  first_value.bytes[at] ^= 1;
  open_it(true);
}

/* Its file has the keys, but the row of a late URL is lost; without its file, the keys, too. */
static void a_damaged_row(void **state)
{
  (void)state;
  doubt_row row;
  bool has;
  char path[SCRATCH_PATH];
  open_it(true);
  add_some(100);
  commit(CUT_NOT);
  steps(SIZE_MAX);
  while (doubts_is_dirty(d))
    commit(CUT_NOT);
  uint64_t settled = now.next;
  close_it();
  first_value = spoil_read(directory, "unconfirmed", 0);
  open_it(true);
  flip(spoil_block(&first_value, 1) + 30);
  assert_int_equal(doubts_row(d, s, 64, &row, message), FRONTIER_OK);
  assert_int_equal(doubts_row(d, s, 65, &row, message), FRONTIER_DAMAGED);
  assert_non_null(strstr(message, "table unconfirmed is damaged"));
  assert_int_equal(doubts_row(d, s, settled, &row, message), FRONTIER_DAMAGED);
  assert_non_null(strstr(message, "missing"));
  begin_pass();
  while (pass_count && !now.late) { /* all keys are there */
    numbered_key item;
    size_t count;
    assert_int_equal(doubts_next(d, &item, 1, &count, message), FRONTIER_OK);
    assert_int_equal(count, pass_at < pass_count);
    if (count == 0)
      break;
    assert_true(item.number == pass[pass_at++].number);
  }
  doubts_abandon(d);
  pass_count = 0;
  assert_int_equal(list_files(true, 0, path), 1);
  close_it();
  assert_int_equal(unlink(path), 0);
  open_it(true);
  assert_true(doubts_can_step(d));
  assert_int_equal(doubts_step(d, message), FRONTIER_DAMAGED);
  assert_int_equal(doubts_begin(d, message), FRONTIER_DAMAGED);
  assert_false(doubts_is_passing(d));
  assert_int_equal(doubts_has(d, hash_of(0), &has, message), FRONTIER_DAMAGED);
  flip(spoil_block(&first_value, 1) + 30); /* it is mended */
  all_gets_settled();
  close_it();
  spoil_free(&first_value);
}

int main(void)
{
  dice = random_seed();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(any_life, begin, end),
    cmocka_unit_test_setup_teardown(any_life_where_calls_fail, begin, end),
    cmocka_unit_test_setup_teardown(killed_at_each_call, begin, end),
    cmocka_unit_test_setup_teardown(any_record, begin, end),
    cmocka_unit_test_setup_teardown(a_damaged_row, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
