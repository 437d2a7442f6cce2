/* The secret of a frontier: a directory keeps it, in data.mdb and IDENTITY alone, which its owner alone may read;
 * and so do all copies of it; another one is refused. Chosen host names: test_hosts.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dirent.h>

#include "frontier/admin.h"
#include "tests/support/scratch.h"
#include "tests/support/small_crawl.h"
#include "tests/support/test.h"
#include "tests/support/test_hasher.h"

static char root[SCRATCH_PATH], directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];

static small_crawl crawl_with(const uint8_t *secret)
{
  return (small_crawl){.directory = directory, .seed = 3, .urls = 300, .fetched = 100, .secret = secret};
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "crawl", directory);
  umask(022);
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(root);
  return 0;
}

static frontier_status try_to_open(const char *where, const uint8_t *secret, bool read_only, frontier **f)
{
  small_crawl c = crawl_with(secret);
  frontier_options options = small_crawl_options(&c);
  options.read_only = read_only;
  *message = '\0';
  return frontier_open(where, &options, f, message);
}

static void assert_secret(const char *where, const uint8_t *secret)
{
  uint8_t found[MLBF_SECRET_BYTES];
  frontier *f;
  if (try_to_open(where, NULL, true, &f) != FRONTIER_OK)
    fail_msg("%s", message);
  frontier_secret(f, found);
  frontier_close(f);
  assert_memory_equal(found, secret, sizeof found);
}

/* In data.mdb and IDENTITY, and, after a repair, in the damaged data.mdb. */
static void assert_only_data_has(const char *where, const uint8_t *secret)
{
  DIR *d = opendir(where);
  unsigned holding = 0;
  assert_non_null(d);
  for (struct dirent *found; (found = readdir(d));) {
    char path[SCRATCH_PATH];
    struct stat info;
    size_t size;
    scratch_join(where, found->d_name, path);
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
      continue;
    char *bytes = scratch_read(path, &size);
    assert_non_null(bytes);
    if (memmem(bytes, size, secret, MLBF_SECRET_BYTES)) {
      holding++;
      if ((strncmp(found->d_name, "data.mdb", 8) != 0 && strcmp(found->d_name, "IDENTITY") != 0) ||
          (info.st_mode & 0777) != 0600)
        fail_msg("%s has the secret, and mode %o", path, (unsigned)info.st_mode & 0777);
    }
    free(bytes);
  }
  closedir(d);
  assert_true(holding >= 1);
}

CASE(a_directory_keeps_its_secret)
{
  uint8_t drawn[2][MLBF_SECRET_BYTES];
  frontier *f = NULL;
  for (int i = 0; i < 2; i++) { /* two directories, two secrets */
    small_crawl c = crawl_with(NULL);
    char name[16];
    snprintf(name, sizeof name, "crawl-%d", i);
    scratch_join(root, name, directory);
    small_crawl_make(&c);
    f = small_crawl_open(&c);
    frontier_secret(f, drawn[i]);
    frontier_close(f);
    assert_secret(directory, drawn[i]);
  }
  assert_memory_not_equal(drawn[0], drawn[1], sizeof drawn[0]);
  scratch_join(root, "given", directory);
  small_crawl c = crawl_with(test_secret(0));
  small_crawl_make(&c);
  assert_secret(directory, test_secret(0));
  for (int reading = 0; reading < 2; reading++) {
    assert_int_equal(try_to_open(directory, test_secret(1), reading, &f), FRONTIER_MISMATCH);
    assert_non_null(strstr(message, directory));
    assert_non_null(strstr(message, "another secret"));
    assert_int_equal(try_to_open(directory, test_secret(0), reading, &f), FRONTIER_OK);
    frontier_close(f);
  }
  assert_int_equal(try_to_open(NULL, test_secret(1), false, &f), FRONTIER_OK);
  frontier_secret(f, drawn[0]);
  assert_memory_equal(drawn[0], test_secret(1), sizeof drawn[0]);
  frontier_close(f);
}

static void say_nothing(void *context, const char *sentence)
{
  (void)context, (void)sentence;
}

static void damage(void)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(directory, "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  assert_non_null(bytes);
  bytes[16] ^= 1; /* the magic of a root */
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  free(bytes);
}

/* What was seen is seen by every copy. */
static void assert_seen(const char *where)
{
  static url u;
  frontier *f, *original;
  small_crawl c = crawl_with(NULL);
  frontier_verdict verdict, wanted;
  unsigned seen = 0;
  for (unsigned i = 0; i < 300; i++) {
    small_crawl_url(&c, i, &u);
    assert_int_equal(try_to_open(directory, NULL, true, &original), FRONTIER_OK);
    assert_int_equal(frontier_lookup(original, &u, &wanted), FRONTIER_OK);
    frontier_close(original);
    assert_int_equal(try_to_open(where, test_secret(0), true, &f), FRONTIER_OK);
    assert_int_equal(frontier_lookup(f, &u, &verdict), FRONTIER_OK);
    frontier_close(f);
    if (wanted.outcome == FRONTIER_SEEN)
      assert_int_equal(verdict.outcome, FRONTIER_SEEN);
    seen += wanted.outcome == FRONTIER_SEEN;
  }
  assert_true(seen > 100);
}

CASE(copies_keep_it_to_themselves)
{
  char copy[SCRATCH_PATH], merged[SCRATCH_PATH];
  small_crawl c = crawl_with(test_secret(0));
  frontier *f;
  frontier_sizes sizes;
  frontier_merged done;
  frontier_repairs repairs;
  scratch_join(root, "copy", copy);
  scratch_join(root, "merged", merged);
  small_crawl_make(&c);
  assert_only_data_has(directory, test_secret(0));
  assert_int_equal(try_to_open(directory, NULL, false, &f), FRONTIER_OK);
  assert_int_equal(frontier_snapshot(f, copy, NULL, message), FRONTIER_OK);
  frontier_close(f);
  assert_only_data_has(copy, test_secret(0));
  assert_secret(copy, test_secret(0));
  assert_seen(copy);
  assert_int_equal(frontier_merge((const char *const[]){directory, copy}, 2, merged, &done, message), FRONTIER_OK);
  assert_only_data_has(merged, test_secret(0));
  assert_seen(merged);
  assert_int_equal(frontier_compact(directory, &sizes, message), FRONTIER_OK);
  assert_only_data_has(directory, test_secret(0));
  assert_seen(copy);
  damage();
  assert_int_equal(frontier_repair(directory, NULL, say_nothing, NULL, &repairs, message), FRONTIER_OK);
  assert_true(repairs.was_rebuilt);
  assert_only_data_has(directory, test_secret(0));
  assert_secret(directory, test_secret(0));
  assert_seen(copy);
}

EACH_CASE(begin, end)
