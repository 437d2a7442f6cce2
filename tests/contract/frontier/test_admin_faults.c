/* Compaction, with and without what was forgotten, repair, snapshot and merge, stopped at each of their calls that
 * change a file, by an error or by death: what was there is as sound as before, what was to be made is there whole or
 * not at all, and the next try works. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "tests/support/each_fault.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"

typedef enum work { COMPACT, ERASE, REPAIR, SNAPSHOT, MERGE } work;

enum { URLS = 400 };

static char root[SCRATCH_PATH], sound[SCRATCH_PATH], forgetful[SCRATCH_PATH];
static char directory[SCRATCH_PATH], made[SCRATCH_PATH];
static char *damaged; /* data.mdb as a repair finds it */
static size_t damaged_size;
static uint64_t urls_before, urls;                         /* in `sound`, and in `directory` now */
static uint64_t waiting_before;                            /* links to be confirmed, in `sound` */
static bool is_forgotten_before[URLS], is_forgotten[URLS]; /* the same of `forgetful` */

static small_crawl crawl_in(const char *where)
{
  return (small_crawl){.directory = where, .seed = 7, .urls = URLS, .fetched = 150, .exact = true};
}

static frontier *open_crawl(const char *where, bool read_only)
{
  small_crawl c = crawl_in(where);
  frontier_options options = small_crawl_options(&c);
  options.read_only = read_only;
  return must_open(where, &options);
}

static bool is_seen(frontier *f, unsigned number)
{
  static url u;
  frontier_verdict verdict;
  small_crawl c = crawl_in(directory);
  small_crawl_url(&c, number, &u);
  assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
  return verdict.outcome == FRONTIER_SEEN;
}

static uint64_t count_waiting(const char *where)
{
  frontier_stats stats;
  frontier *f = open_crawl(where, true);
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  return stats.unconfirmed;
}

/* What was seen once more, of which much waits to be confirmed. */
static void find_again(const char *where)
{
  static url u;
  frontier_verdict verdict;
  small_crawl c = crawl_in(where);
  frontier *f = open_crawl(where, false);
  for (unsigned i = 0; i < URLS; i++) {
    small_crawl_url(&c, i, &u);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    if (verdict.outcome != FRONTIER_SEEN && verdict.outcome != FRONTIER_UNCONFIRMED)
      continue;
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* The same crawl, whose largest host was forgotten. */
static void make_forgetful(void)
{
  uint64_t forgotten;
  small_crawl c = crawl_in(forgetful);
  small_crawl_make(&c);
  frontier *f = open_crawl(forgetful, false);
  for (unsigned i = 0; i < URLS; i++)
    is_forgotten_before[i] = is_seen(f, i);
  assert_int_equal(frontier_forget_host(f, "h0.test", 7, &forgotten), FRONTIER_OK);
  assert_true(forgotten > 20);
  for (unsigned i = 0; i < URLS; i++)
    is_forgotten_before[i] &= !is_seen(f, i);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "sound", sound);
  scratch_join(root, "forgetful", forgetful);
  scratch_join(root, "crawl", directory);
  scratch_join(root, "made", made);
  small_crawl c = crawl_in(sound);
  small_crawl_make(&c);
  find_again(sound);
  waiting_before = count_waiting(sound);
  assert_true(waiting_before > 100);
  second_view v;
  second_read(sound, false, &v);
  urls_before = v.url_room - 1;
  second_free(&v);
  make_forgetful();
  return 0;
}

static int end(void **state)
{
  (void)state;
  free(damaged);
  scratch_remove(root);
  return 0;
}

static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

/* For a repair the older root is damaged, which costs nothing but shows. */
static void make_directory(work what)
{
  scratch_remove(directory);
  scratch_remove(made);
  assert_int_equal(mkdir(directory, 0777), 0);
  scratch_copy(what == ERASE ? forgetful : sound, directory);
  urls = urls_before;
  memcpy(is_forgotten, is_forgotten_before, sizeof is_forgotten);
  if (what != REPAIR)
    return;
  char data[SCRATCH_PATH];
  uint64_t first, second;
  scratch_join(directory, "data.mdb", data);
  free(damaged);
  damaged = scratch_read(data, &damaged_size);
  memcpy(&first, damaged + 144, 8);
  memcpy(&second, damaged + 4096 + 144, 8);
  damaged[(first < second ? 0 : 4096) + 16] ^= 1;
  scratch_write(data, damaged, damaged_size);
}

static frontier_status do_work(work what, char message[FRONTIER_MESSAGE_SIZE])
{
  frontier_sizes sizes;
  frontier_repairs repairs;
  frontier_merged merged;
  small_crawl c = crawl_in(directory);
  frontier_options options = small_crawl_options(&c);
  frontier *f = NULL;
  switch (what) {
  case COMPACT:
  case ERASE: return frontier_compact(directory, &sizes, message);
  case REPAIR: return frontier_repair(directory, NULL, say_nothing, NULL, &repairs, message);
  case MERGE: return frontier_merge((const char *const[]){directory}, 1, made, &merged, message);
  default: break;
  }
  options.read_only = true;
  frontier_status status = frontier_open(directory, &options, &f, message);
  if (status == FRONTIER_OK)
    status = frontier_snapshot(f, made, NULL, message);
  frontier_close(f);
  return status;
}

static void assert_sound(const char *where)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  if (frontier_check(where, NULL, say_nothing, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  if (found.faults || (where == directory && found.urls != urls))
    fail_msg("%s: %llu faults, %llu URLs of %llu", where, (unsigned long long)found.faults,
             (unsigned long long)found.urls, (unsigned long long)urls);
}

/* What was forgotten is new, and nothing else is that was seen. */
static void assert_forgotten(void)
{
  uint64_t seen = 0;
  frontier *f = open_crawl(directory, true);
  for (unsigned i = 0; i < URLS; i++) {
    assert_false(is_forgotten[i] == is_seen(f, i) && is_forgotten_before[i]);
    seen += is_forgotten_before[i] || is_seen(f, i);
  }
  assert_int_equal(seen, urls_before);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

/* Some of what was forgotten is met again between a death and the next try. */
static void meet_again(void)
{
  static url u;
  frontier_verdict verdict;
  small_crawl c = crawl_in(directory);
  frontier *f = open_crawl(directory, false);
  for (unsigned i = 0; i < URLS; i += 3) {
    if (!is_forgotten[i])
      continue;
    small_crawl_url(&c, i, &u);
    assert_int_equal(frontier_add(f, &u, (frontier_origin){0}, 0, &verdict), FRONTIER_OK);
    assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
    is_forgotten[i] = false;
    urls++;
  }
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

static void assert_no_rows(void)
{
  second_view v;
  second_read(directory, false, &v);
  assert_int_equal(v.faults, 0);
  assert_int_equal(v.revoked, 0);
  second_free(&v);
}

static void assert_damaged_is_kept(void)
{
  char kept[SCRATCH_PATH];
  size_t size;
  scratch_join(directory, "data.mdb.damaged", kept);
  char *bytes = scratch_read(kept, &size);
  assert_int_equal(size, damaged_size);
  assert_memory_equal(bytes, damaged, size);
  free(bytes);
}

static void try_again(work what)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  if (access(made, F_OK) == 0) {
    assert_sound(made);
    scratch_remove(made);
  }
  frontier_status status = do_work(what, message);
  if (status != FRONTIER_OK)
    fail_msg("the next try: %s", message);
  assert_sound(directory);
  if (what == SNAPSHOT || what == MERGE)
    assert_sound(made);
  if (what != ERASE)
    assert_int_equal(count_waiting(what == SNAPSHOT || what == MERGE ? made : directory), waiting_before);
  if (what == REPAIR)
    assert_damaged_is_kept();
  if (what == ERASE) {
    assert_forgotten();
    assert_no_rows();
  }
}

/* 1: it fails and does not say why. */
static int stop_work(work what)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  return do_work(what, message) != FRONTIER_OK && strlen(message) < 10;
}

static void judge(work what, const fault_loop *l)
{
  if (l->outcome)
    fail_msg("work %d, call %u: no word of a failure", (int)what, l->number);
  if (what != REPAIR)
    assert_sound(directory);
  if (what == ERASE)
    assert_forgotten();
  if (what == ERASE && l->number % 2) {
    meet_again();
    assert_sound(directory);
  }
  try_again(what);
}

static void strike_each(fault_class class, int error, unsigned share)
{
  for (work what = COMPACT; what <= MERGE; what++) {
    fault_loop l = {.what = class, .error = error, .share = share, .forks = true};
    while (fault_next(&l)) {
      make_directory(what);
      if (fault_begin(&l))
        fault_end(&l, stop_work(what));
      judge(what, &l);
    }
    assert_true(l.number > 1);
  }
}

CASE(death_at_each_write)
{
  strike_each(FAULT_WRITE, FAULT_DEATH, 1);
}

CASE(death_at_each_sync)
{
  strike_each(FAULT_SYNC, FAULT_DEATH, 1);
}

CASE(no_room_at_each_write)
{
  strike_each(FAULT_WRITE, ENOSPC, 1);
}

CASE(a_bad_disk_at_each_sync)
{
  strike_each(FAULT_SYNC, EIO, 1);
}

CASE(no_memory)
{
  strike_each(FAULT_ALLOC, ENOMEM, 11);
}

EACH_CASE(begin, end)
