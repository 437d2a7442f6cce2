/* frontier/store.h: transactions, all or nothing, and what other processes do to them. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/store.h"
#include "tests/scratch.h"

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

static void all_or_nothing(void **state)
{
  (void)state;
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
  store_delete(s, STORE_HOSTS, 99);                /* none is fine */
  store_put_meta(s, "name", "second", 6);
  store_append(s, STORE_QUEUE, 5, "five", 4);
  store_append(s, STORE_QUEUE, 5, "again", 5);     /* not above all others */
  store_put(s, STORE_HISTORY, 1, "after it", 8);
  assert_int_not_equal(store_commit(s), FRONTIER_OK);
  assert_non_null(strstr(store_message(s), data));

  visited v = {.stop_after = 99};
  assert_int_equal(store_each(s, STORE_HOSTS, 0, note, &v), FRONTIER_OK);
  assert_true(v.count == 3 && v.keys[0] == 0 && v.keys[1] == 1 && v.keys[2] == 256);
  v = (visited){.stop_after = 1};
  assert_int_equal(store_each(s, STORE_HOSTS, 1, note, &v), FRONTIER_OK);
  assert_true(v.count == 1 && v.keys[0] == 1);
  assert_string_equal(v.last, "b");
  assert_int_equal(records_of(s, STORE_QUEUE) + records_of(s, STORE_HISTORY), 0);
  uint8_t *body;
  size_t size;
  assert_int_equal(store_get_meta(s, "name", &body, &size), FRONTIER_OK);
  assert_int_equal(size, 5);
  assert_memory_equal(body, "first", 5);
  free(body);
  assert_int_equal(store_get_meta(s, "none", &body, &size), FRONTIER_NOT_FOUND);
  store_close(s);
}

/* A transaction that is open at the end never was. */
static void closing_aborts(void **state)
{
  (void)state;
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

static void write_block(store *s, unsigned number)
{
  static char block[65536];
  memset(block, (int)number, sizeof block);
  assert_int_equal(store_begin(s), FRONTIER_OK);
  store_put(s, STORE_HOSTS, 0, block, sizeof block);
  assert_int_equal(store_commit(s), FRONTIER_OK);
}

/* A reader killed in the middle holds on to the pages of its time, for as long as nobody looks whether it lives. */
static void a_dead_reader_holds_no_pages(void **state)
{
  (void)state;
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

/* Exit code 0: under a limit of address space, the store opens with a smaller map, says when it is full, and keeps
 * what it has. */
static void fill_small_map(void)
{
  struct rlimit limit = {(rlim_t)400 << 20, (rlim_t)400 << 20};
  static char block[1 << 20];
  store *s = NULL;
  if (setrlimit(RLIMIT_AS, &limit) != 0 || store_open(directory, false, "us", 2, &s, message) != FRONTIER_OK) {
    fprintf(stderr, "%s\n", message);
    _exit(1);
  }
  frontier_status status = FRONTIER_OK;
  uint64_t blocks = 0;
  while (status == FRONTIER_OK && blocks < 1000) {
    if (store_begin(s) != FRONTIER_OK)
      _exit(2);
    store_put(s, STORE_HOSTS, blocks, block, sizeof block);
    status = store_commit(s);
    blocks += status == FRONTIER_OK;
  }
  uint64_t count = 0;
  if (status != FRONTIER_NO_SPACE || store_count(s, STORE_HOSTS, &count) != FRONTIER_OK || count != blocks)
    _exit(3);
  store_close(s);
  _exit(blocks > 10 ? 0 : 4);
}

static void a_small_map_is_full_and_says_so(void **state)
{
  (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  puts("skipped: sanitizers need more address space");
  skip();
#endif
  pid_t child = fork();
  if (child == 0)
    fill_small_map();
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  store *s = open_store(false); /* with a larger one */
  uint64_t count = records_of(s, STORE_HOSTS);
  write_block(s, 0);
  assert_int_equal(records_of(s, STORE_HOSTS), count);
  store_close(s);
}

/* The making of data.mdb, cut short anywhere, by another hand than LMDB's too. */
static void a_stillborn_file_is_made_anew(void **state)
{
  (void)state;
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
static void a_torn_birth_is_begun_again(void **state)
{
  (void)state;
  enum { SECTOR = 512, TRANSACTION = 144 };
  long page = sysconf(_SC_PAGESIZE);
  store_close(open_store(false));
  size_t size;
  char *bytes = scratch_read(data, &size);
  assert_non_null(bytes);
  assert_int_equal(size, 4 * page);
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
  assert_true(size > (size_t)(4 * page));
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(all_or_nothing, begin, end),
    cmocka_unit_test_setup_teardown(closing_aborts, begin, end),
    cmocka_unit_test_setup_teardown(a_dead_reader_holds_no_pages, begin, end),
    cmocka_unit_test_setup_teardown(a_small_map_is_full_and_says_so, begin, end),
    cmocka_unit_test_setup_teardown(a_stillborn_file_is_made_anew, begin, end),
    cmocka_unit_test_setup_teardown(a_torn_birth_is_begun_again, begin, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
