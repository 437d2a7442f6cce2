/* frontier/store/store.h: transactions, all or nothing, and what other processes do to them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/store/store.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

static char directory[SCRATCH_PATH], data[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(directory);
  scratch_join(directory, "data.mdb", data);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(directory);
  return 0;
}

static store *open_store(bool read_only)
{
  store *s = NULL;
  if (store_open(directory, read_only, "us", 2, &s, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return s;
}

static uint64_t records_of(store *s, store_table table)
{
  uint64_t count;
  assert_int_equal(store_count(s, table, &count), FRONTIER_OK);
  return count;
}

typedef struct visited {
  uint64_t keys[8];
  size_t count, stop_after;
  char last[32];
} visited;

static bool note(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  visited *v = context;
  v->keys[v->count++] = key;
  snprintf(v->last, sizeof v->last, "%.*s", (int)size, (const char *)body);
  return v->count != v->stop_after;
}

CASE(all_or_nothing)
{
  store *s = open_store(false);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_put(s, STORE_HOSTS, 256, "c", 1);
  store_put(s, STORE_HOSTS, 1, "b", 1);
  store_put(s, STORE_HOSTS, 0, "", 0);
  store_put_meta(s, "name", "first", 5);
  assert_int_equal(store_commit(s), FRONTIER_OK);

  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_put(s, STORE_HOSTS, 1, "changed", 7);
  store_delete(s, STORE_HOSTS, 0);
  store_delete(s, STORE_HOSTS, 99); /* none is fine */
  store_put_meta(s, "name", "second", 6);
  store_append(s, STORE_HASHES, 5, "five", 4);
  store_append(s, STORE_HASHES, 5, "again", 5); /* not above all others */
  store_put(s, STORE_VISITS, 1, "after it", 8);
  assert_int_not_equal(store_commit(s), FRONTIER_OK);
  assert_non_null(strstr(store_message(s), data));

  visited v = {.stop_after = 99};
  assert_int_equal(store_each(s, STORE_HOSTS, 0, note, &v), FRONTIER_OK);
  assert_true(v.count == 3 && v.keys[0] == 0 && v.keys[1] == 1 && v.keys[2] == 256);
  v = (visited){.stop_after = 1};
  assert_int_equal(store_each(s, STORE_HOSTS, 1, note, &v), FRONTIER_OK);
  assert_true(v.count == 1 && v.keys[0] == 1);
  assert_string_equal(v.last, "b");
  assert_int_equal(records_of(s, STORE_HASHES) + records_of(s, STORE_VISITS), 0);
  uint8_t *body;
  size_t size;
  assert_int_equal(store_get_meta(s, "name", &body, &size), FRONTIER_OK);
  assert_int_equal(size, 5);
  assert_memory_equal(body, "first", 5);
  free(body);
  assert_int_equal(store_get_meta(s, "none", &body, &size), FRONTIER_NOT_FOUND);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_delete_meta(s, "name");
  store_delete_meta(s, "none"); /* is fine */
  assert_int_equal(store_commit(s), FRONTIER_OK);
  assert_int_equal(store_get_meta(s, "name", &body, &size), FRONTIER_NOT_FOUND);
  store_close(s);
}

CASE(a_failed_put_stays_failed)
{
  store *s = open_store(false);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_append(s, STORE_HASHES, 8, "ahead", 5);
  assert_int_equal(store_commit(s), FRONTIER_OK);

  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_append(s, STORE_HASHES, 8, "again", 5); /* not above all others */
  store_put(s, STORE_REVOKED, 1, "a", 1);
  assert_int_not_equal(store_commit(s), FRONTIER_OK);
  visited v = {.stop_after = 99};
  assert_int_equal(store_each(s, STORE_HASHES, 0, note, &v), FRONTIER_OK);
  assert_int_equal(v.count, 1);
  assert_string_equal(v.last, "ahead");
  uint64_t records;
  assert_int_equal(store_count(s, STORE_REVOKED, &records), FRONTIER_OK);
  assert_int_equal(records, 0);
  store_close(s);
}

/* A transaction that is open at the end never was. */
CASE(closing_aborts)
{
  store *s = open_store(false);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_put(s, STORE_HOSTS, 1, "b", 1);
  store_close(s);
  s = open_store(false);
  assert_int_equal(records_of(s, STORE_HOSTS), 0);
  store_close(s);
}

static bool die(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)context, (void)key, (void)body, (void)size;
  raise(SIGKILL);
  return false;
}

/* Tells, by the pipe it is given, that it is there. */
static bool wait_for_ever(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  (void)key, (void)body, (void)size;
  if (write(*(const int *)context, "", 1) == 1)
    pause();
  return false;
}

static void write_block(store *s, unsigned number)
{
  static char block[65536];
  memset(block, (int)number, sizeof block);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_put(s, STORE_HOSTS, 0, block, sizeof block);
  assert_int_equal(store_commit(s), FRONTIER_OK);
}

/* A reader killed in the middle holds on to the pages of its time, for as long as nobody looks whether it lives. */
CASE(a_dead_reader_holds_no_pages)
{
  enum { BLOCKS = 200 };
  store *s = open_store(false);
  write_block(s, 0);
  pid_t reader = fork();
  if (reader == 0) {
    store *r = NULL;
    if (store_open(directory, true, "us", 2, &r, message) == FRONTIER_OK)
      store_each(r, STORE_HOSTS, 0, die, NULL);
    _exit(1);
  }
  int status;
  waitpid(reader, &status, 0);
  assert_true(WIFSIGNALED(status));
  for (unsigned i = 0; i < BLOCKS; i++)
    write_block(s, i);
  struct stat info;
  assert_int_equal(stat(data, &info), 0);
  assert_true(info.st_size < 20 * 65536);
  store_close(s);
}

/* ---- address space ---------------------------------------------------------------------------------------- */

enum { LIMIT_MIB = 400, BLOCKS_MAX = 1000, HEALED = 50 };
static char block[1 << 20];

static bool limit_address_space(rlim_t bytes)
{
  return setrlimit(RLIMIT_AS, &(struct rlimit){bytes, RLIM_INFINITY}) == 0;
}

static frontier_status put_block(store *s, uint64_t number)
{
  frontier_status status = store_begin(s);
  if (status != FRONTIER_OK)
    return status;
  store_put(s, STORE_HOSTS, number, block, sizeof block);
  return store_commit(s);
}

/* So many blocks are there; how many went in before one did not. */
static uint64_t fill(store *s, uint64_t from, uint64_t most, frontier_status *status)
{
  uint64_t blocks = from;
  while (blocks < most && (*status = put_block(s, blocks)) == FRONTIER_OK)
    blocks++;
  return blocks;
}

/* Exit code 0: under a limit of address space, the map grows while it may, says when it is full and why, keeps what it
 * has, and goes on when the limit is raised. */
static void fill_small_map(void)
{
  store *s = NULL;
  if (!limit_address_space((rlim_t)LIMIT_MIB << 20) ||
      store_open(directory, false, "us", 2, &s, message) != FRONTIER_OK) {
    fprintf(stderr, "%s\n", message);
    _exit(1);
  }
  frontier_status status = FRONTIER_OK;
  uint64_t blocks = fill(s, 0, BLOCKS_MAX, &status), count = 0;
  if (status != FRONTIER_NO_SPACE || !strstr(store_message(s), "is full, and address space is limited to 400 MiB"))
    _exit(2);
  if (put_block(s, blocks) != FRONTIER_NO_SPACE || store_count(s, STORE_HOSTS, &count) != FRONTIER_OK ||
      count != blocks)
    _exit(3);
  if (blocks < LIMIT_MIB / 2) /* it began with half of what there was, at most */
    _exit(4);
  if (!limit_address_space(RLIM_INFINITY) || fill(s, blocks, blocks + HEALED, &status) != blocks + HEALED)
    _exit(5);
  store_close(s);
  _exit(0);
}

/* In a child of its own. qemu-user ignores limits of address space, which would be its own, too. */
static bool limits_hold(void)
{
  int status;
  pid_t pid = fork();
  if (pid == 0)
    _exit(limit_address_space((rlim_t)LIMIT_MIB << 20) &&
          mmap(NULL, (size_t)LIMIT_MIB << 21, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static void assert_child_succeeds(void child(void))
{
  int status;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  puts("skipped: sanitizers need more address space");
  skip();
#endif
  if (!limits_hold()) {
    puts("skipped: limits of address space are ignored here");
    skip();
  }
  pid_t pid = fork();
  if (pid == 0)
    child();
  waitpid(pid, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
}

CASE(a_small_map_grows_is_full_and_says_so)
{
  assert_child_succeeds(fill_small_map);
  store *s = open_store(false); /* with a larger one */
  uint64_t count = records_of(s, STORE_HOSTS);
  assert_true(count > LIMIT_MIB / 2 + HEALED);
  write_block(s, 0);
  assert_int_equal(records_of(s, STORE_HOSTS), count);
  store_close(s);
}

/* Fills the map while it reads. */
static bool fill_inside(void *context, uint64_t key, const uint8_t *body, size_t size)
{
  store *s = context;
  frontier_status status = FRONTIER_OK;
  if (key == 0 && (fill(s, 1, BLOCKS_MAX, &status) == BLOCKS_MAX || status != FRONTIER_NO_SPACE))
    _exit(2);
  return size == sizeof block && memcmp(body, block, size) == 0;
}

/* Exit code 0: a map that somebody looks into stays where it is, though it is full; it grows once they have done. */
static void fill_while_reading(void)
{
  store *s = NULL;
  if (!limit_address_space((rlim_t)LIMIT_MIB << 20) ||
      store_open(directory, false, "us", 2, &s, message) != FRONTIER_OK || put_block(s, 0) != FRONTIER_OK)
    _exit(1);
  if (store_each(s, STORE_HOSTS, 0, fill_inside, s) != FRONTIER_OK)
    _exit(3);
  if (put_block(s, BLOCKS_MAX) != FRONTIER_OK)
    _exit(4);
  store_close(s);
  _exit(0);
}

CASE(a_map_in_use_stays)
{
  assert_child_succeeds(fill_while_reading);
}

/* Looks at one record until it is killed. */
static pid_t start_reader(void)
{
  int is_there[2];
  char byte;
  if (pipe(is_there) != 0)
    _exit(6);
  pid_t reader = fork();
  if (reader == 0) {
    store *r = NULL;
    if (store_open(directory, true, "us", 2, &r, message) == FRONTIER_OK)
      store_each(r, STORE_HOSTS, 0, wait_for_ever, &is_there[1]);
    _exit(1);
  }
  return read(is_there[0], &byte, 1) == 1 ? reader : 0;
}

/* Exit code 0: what a reader looks at is not written over, so the map can be full of what is gone; once the reader has
 * gone too, there is room. */
static void fill_beside_a_reader(void)
{
  store *s = NULL;
  frontier_status status = FRONTIER_OK;
  if (!limit_address_space((rlim_t)LIMIT_MIB << 20) ||
      store_open(directory, false, "us", 2, &s, message) != FRONTIER_OK || put_block(s, 0) != FRONTIER_OK)
    _exit(1);
  pid_t reader = start_reader();
  if (!reader)
    _exit(2);
  for (unsigned i = 0; i < BLOCKS_MAX && status == FRONTIER_OK; i++)
    status = put_block(s, 0);
  kill(reader, SIGKILL);
  waitpid(reader, NULL, 0);
  if (status != FRONTIER_NO_SPACE)
    _exit(3);
  if (put_block(s, 0) != FRONTIER_OK)
    _exit(4);
  store_close(s);
  _exit(0);
}

CASE(a_full_map_heals_when_a_reader_goes)
{
  assert_child_succeeds(fill_beside_a_reader);
}

/* Exit code 0: a reader reads on when the file has outgrown its map; where there is no address space for that either,
 * it says so, and reads on once there is. */
static void read_what_outgrew_the_map(void)
{
  enum { BLOCKS = LIMIT_MIB / 2 };
  store *r = NULL;
  uint64_t count = 0;
  if (!limit_address_space((rlim_t)LIMIT_MIB << 20) || store_open(directory, true, "us", 2, &r, message) != FRONTIER_OK)
    _exit(1);
  pid_t writer = fork();
  if (writer == 0) {
    store *s = NULL;
    frontier_status status = FRONTIER_OK;
    bool is_open = limit_address_space(RLIM_INFINITY) &&
                   store_open(directory, false, "us", 2, &s, message) == FRONTIER_OK;
    _exit(is_open && fill(s, 1, BLOCKS, &status) == BLOCKS ? 0 : 1);
  }
  int end;
  if (waitpid(writer, &end, 0) != writer || end != 0)
    _exit(2);
  if (!limit_address_space(64 << 20) || store_count(r, STORE_HOSTS, &count) != FRONTIER_NO_MEMORY ||
      !strstr(store_message(r), "address space is limited to 64 MiB"))
    _exit(3);
  if (!limit_address_space((rlim_t)LIMIT_MIB << 20) || store_count(r, STORE_HOSTS, &count) != FRONTIER_OK ||
      count != BLOCKS)
    _exit(4);
  store_close(r);
  _exit(0);
}

CASE(a_reader_follows_a_file_that_grows)
{
  store *s = open_store(false);
  assert_int_equal(put_block(s, 0), FRONTIER_OK);
  store_close(s);
  assert_child_succeeds(read_what_outgrew_the_map);
}

/* The making of data.mdb, cut short anywhere, by another hand than LMDB's too. */
CASE(a_stillborn_file_is_made_anew)
{
  store_close(open_store(false));
  size_t size;
  char *bytes = scratch_read(data, &size);
  assert_non_null(bytes);
  static const size_t cuts[] = {0, 1, 15, 16, 19, 20, 100, 4095, 4096, 5000, 8191};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    store *s = NULL;
    scratch_write(data, bytes, cuts[i]);
    assert_int_equal(store_open(directory, true, "us", 2, &s, message), FRONTIER_NOT_FOUND);
    assert_non_null(strstr(message, "cut short"));
    s = open_store(false);
    write_block(s, 1);
    store_close(s);
  }
  static const char notes[] = "my notes\n";
  store *s = NULL;
  scratch_write(data, notes, sizeof notes - 1);
  assert_int_equal(store_open(directory, false, "us", 2, &s, message), FRONTIER_NOT_OURS);
  char *kept = scratch_read(data, &size);
  assert_string_equal(kept, notes);
  free(kept);
  free(bytes);
}

/* So is one whose length came to the disk before a power cut, and not all of its first sectors; not one in which there
 * may have been more. */
CASE(a_torn_birth_is_begun_again)
{
  enum { SECTOR = 512, TRANSACTION = 144 };
  long page = sysconf(_SC_PAGESIZE);
  store_close(open_store(false));
  size_t size;
  char *bytes = scratch_read(data, &size);
  assert_non_null(bytes);
  assert_int_equal(size, 5 * page);
  memset(bytes + page + TRANSACTION, 0, 8); /* as before its first transaction */
  for (unsigned lost = 1; lost < 4; lost++) {
    char *torn = malloc(size);
    assert_non_null(torn);
    memcpy(torn, bytes, size);
    for (unsigned i = 0; i < 2; i++)
      if (lost >> i & 1)
        memset(torn + i * page, 0, SECTOR);
    scratch_write(data, torn, size);
    free(torn);
    store *s = open_store(false);
    write_block(s, 1);
    store_close(s);
  }
  free(bytes);
  bytes = scratch_read(data, &size);
  assert_true(size > (size_t)(5 * page));
  memset(bytes, 0, SECTOR);
  memset(bytes + page, 0, SECTOR);
  scratch_write(data, bytes, size);
  store *s = NULL;
  assert_int_equal(store_open(directory, false, "us", 2, &s, message), FRONTIER_NOT_OURS);
  size_t left;
  free(scratch_read(data, &left));
  assert_int_equal(left, size);
  free(bytes);
}

EACH_CASE(begin, end)
