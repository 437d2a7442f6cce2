/* See waiting_crawl.h. */
#include "tests/support/must.h"
#include "tests/support/waiting_crawl.h"

#include "tests/support/scratch.h"
#include "tests/support/second_reader.h"
#include "tests/support/test_hasher.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { NOTED = 11000 };

static char root[SCRATCH_PATH], base[SCRATCH_PATH];
char waiting_directory[SCRATCH_PATH], waiting_other[SCRATCH_PATH], waiting_made[SCRATCH_PATH];
url waiting_url;

frontier *waiting_open(const small_crawl *c, bool read_only)
{
  frontier_options options = small_crawl_options(c);
  options.filter = MLBF_KIND_BLOOM; /* no layers, which know too well what is new */
  options.rate = 0.3;
  options.expected_urls = 1;
  options.read_only = read_only;
  options.keep_identity = true;
  return must_open(c->directory, &options);
}

frontier_outcome waiting_ask(frontier *f, const small_crawl *c, unsigned number)
{
  frontier_verdict verdict;
  small_crawl_url(c, number, &waiting_url);
  assert_int_equal(frontier_lookup(f, &waiting_url, &verdict), FRONTIER_OK);
  return verdict.outcome;
}

bool waiting_is_new(frontier_outcome outcome)
{
  return outcome != FRONTIER_SEEN && outcome != FRONTIER_UNCONFIRMED;
}

void waiting_add(frontier *f, const small_crawl *c, unsigned from, unsigned to)
{
  frontier_verdict verdict;
  for (unsigned i = from; i < to; i++) {
    small_crawl_url(c, i, &waiting_url);
    assert_int_equal(frontier_add(f, &waiting_url, (frontier_origin){.depth = 1}, 0, &verdict), FRONTIER_OK);
  }
}

frontier_stats waiting_stats(frontier *f)
{
  frontier_stats stats;
  assert_int_equal(frontier_stats_read(f, &stats), FRONTIER_OK);
  return stats;
}

/* Fetches all that there is, and what comes late. */
void waiting_fetch_all(frontier *f)
{
  frontier_lease leases[16];
  size_t count;
  int64_t wait_ms;
  uint64_t now_ms = 0;
  for (int i = 0; i < 100000 && !frontier_is_finished(f); i++, now_ms += 100) {
    assert_int_equal(frontier_next(f, now_ms, leases, 16, &count, &wait_ms), FRONTIER_OK);
    for (size_t k = 0; k < count; k++)
      assert_int_equal(frontier_done(f, leases[k].id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
  }
  assert_true(frontier_is_finished(f));
}

void waiting_rest(frontier *f)
{
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  for (bool is_more = true; is_more;)
    assert_int_equal(frontier_maintain(f, 1000, &is_more), FRONTIER_OK);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
}

small_crawl waiting_crawl(const char *where, const char *path)
{
  return (small_crawl){.directory = where, .seed = 5, .urls = WAITING_ALL, .path = path, .exact = true, .secret = NULL};
}

/* So many that a filter of 4 KiB, and none is smaller, takes one link in four for seen. */
static void note_many(frontier *f, small_crawl c)
{
  frontier_verdict verdict;
  c.path = "/noted/";
  for (unsigned i = 0; i < NOTED; i++) {
    small_crawl_url(&c, i, &waiting_url);
    assert_int_equal(frontier_note(f, &(frontier_link){.target = &waiting_url}, 0, &verdict), FRONTIER_OK);
  }
}

void waiting_make(const char *where, const char *path, const uint8_t *secret)
{
  small_crawl c = waiting_crawl(where, path);
  c.secret = secret;
  frontier *f = waiting_open(&c, false);
  note_many(f, c);
  waiting_add(f, &c, 0, WAITING_KNOWN);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, WAITING_KNOWN);
  waiting_add(f, &c, WAITING_KNOWN - 200, WAITING_FOUND);
  waiting_add(f, &c, WAITING_KNOWN - 200, WAITING_FOUND);
  waiting_rest(f);
  assert_true(waiting_stats(f).unconfirmed > 150 && waiting_stats(f).late > 20);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

int waiting_end(void **state)
{
  (void)state;
  scratch_remove(waiting_directory);
  scratch_remove(waiting_other);
  scratch_remove(waiting_made);
  return 0;
}

int waiting_begin(void **state)
{
  waiting_end(state);
  assert_int_equal(mkdir(waiting_directory, 0777), 0);
  scratch_copy(base, waiting_directory);
  return 0;
}

int waiting_begin_all(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "base", base);
  scratch_join(root, "crawl", waiting_directory);
  scratch_join(root, "other", waiting_other);
  scratch_join(root, "made", waiting_made);
  waiting_make(base, "/", test_secret(0));
  return 0;
}

int waiting_end_all(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

/* ---- what is said of it -------------------------------------------------------------------------------------- */

void waiting_print(void *context, const char *sentence)
{
  (void)context;
  print_message("%s\n", sentence);
}

frontier_findings waiting_check(const char *where)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_findings found;
  if (frontier_check(where, NULL, waiting_print, NULL, &found, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return found;
}

unsigned waiting_second_faults(void)
{
  second_view v;
  second_read(waiting_directory, true, &v);
  unsigned faults = v.faults;
  second_free(&v);
  return faults;
}

void waiting_assert_sound(const char *where)
{
  second_view v;
  assert_int_equal(waiting_check(where).faults, 0);
  second_read(where, false, &v);
  assert_int_equal(v.faults, 0);
  second_free(&v);
}

/* What was accepted is not new; what was never found is, for certain. What waits is new if the filter says so, as one
 * that was made again may: found once more, it is queued at once. */
void waiting_assert_kept(const small_crawl *c)
{
  frontier *f = waiting_open(c, true);
  for (unsigned i = 0; i < WAITING_ALL; i++) {
    frontier_outcome outcome = waiting_ask(f, c, i);
    if (i < WAITING_KNOWN ? waiting_is_new(outcome) : i >= WAITING_FOUND && !waiting_is_new(outcome))
      fail_msg("%s is %s", waiting_url.key, frontier_outcome_name(outcome));
  }
  frontier_close(f);
}

/* And each is fetched once. */
void waiting_assert_once(const small_crawl *c)
{
  frontier *f = waiting_open(c, false);
  waiting_fetch_all(f);
  for (unsigned i = 0; i < WAITING_ALL; i++)
    (void)waiting_ask(f, c, i); /* finds what is damaged, */
  waiting_rest(f);              /* and is made again */
  for (unsigned i = 0; i < WAITING_ALL; i++) {
    frontier_outcome outcome = waiting_ask(f, c, i);
    if (i < WAITING_FOUND ? outcome != FRONTIER_SEEN : !waiting_is_new(outcome))
      fail_msg("%s is %s", waiting_url.key, frontier_outcome_name(outcome));
  }
  assert_int_equal(waiting_stats(f).done, WAITING_FOUND);
  waiting_add(f, c, 0, WAITING_FOUND);
  waiting_fetch_all(f);
  assert_int_equal(waiting_stats(f).done, WAITING_FOUND);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

void waiting_assert_goes_on(const char *where)
{
  small_crawl c = waiting_crawl(where, "/");
  waiting_assert_sound(where);
  waiting_assert_once(&c);
  waiting_assert_sound(where);
}

/* At once, too, for a reader that comes before the next crawl. */
void waiting_assert_well(const char *where)
{
  small_crawl c = waiting_crawl(where, "/");
  waiting_assert_kept(&c);
  waiting_assert_goes_on(where);
}

/* ---- files of keys --------------------------------------------------------------------------------------------- */

/* The largest file of this kind; how many there are. */
unsigned waiting_find_file(const char *where, const char *kind, char *path, size_t *size)
{
  char one[SCRATCH_PATH];
  unsigned count = 0;
  DIR *d = opendir(where);
  *size = 0;
  for (const struct dirent *found; (found = readdir(d)) != NULL;)
    if (strncmp(found->d_name, kind, strlen(kind)) == 0) {
      size_t bytes;
      scratch_join(where, found->d_name, one);
      free(scratch_read(one, &bytes));
      if (bytes > *size)
        memcpy(path, one, SCRATCH_PATH);
      *size = bytes > *size ? bytes : *size;
      count++;
    }
  closedir(d);
  return count;
}

void waiting_flip(const char *path, size_t at)
{
  size_t size;
  char *bytes = scratch_read(path, &size);
  assert_true(at < size);
  bytes[at] = (char)(bytes[at] ^ 4);
  scratch_write(path, bytes, size);
  free(bytes);
}

frontier_repairs waiting_repair(void)
{
  char message[FRONTIER_MESSAGE_SIZE] = "";
  frontier_repairs done;
  if (frontier_repair(waiting_directory, NULL, waiting_print, NULL, &done, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return done;
}

/* The older root, which nothing needs. */
void waiting_damage_root(void)
{
  enum { TRANSACTION = 144 };
  char path[SCRATCH_PATH];
  size_t size;
  uint64_t first, second;
  scratch_join(waiting_directory, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  memcpy(&first, bytes + TRANSACTION, 8);
  memcpy(&second, bytes + WAITING_PAGE + TRANSACTION, 8);
  free(bytes);
  waiting_flip(path, (first < second ? 0 : WAITING_PAGE) + 16);
}
