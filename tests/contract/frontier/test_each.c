/* frontier_each: every URL once, whatever the steps it reads in; and a visitor that waits holds no read transaction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontier/frontier.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { URLS = 10000, PAYLOAD = FRONTIER_PAYLOAD_MAX };

static const frontier_options plain = {
  .filter = MLBF_KIND_MLBF, .expected_urls = 100000, .rate = 1e-9, .per_host = 100, .depth_cap = UINT16_MAX};

static char directory[SCRATCH_PATH];

static frontier *open_or_fail(bool read_only)
{
  frontier_options options = plain;
  options.read_only = read_only;
  return must_open(directory, &options);
}

/* Its id is `number`, if all are added in order from 1. A host has 25 of them. */
static void add(frontier *f, unsigned number)
{
  static url u;
  static char payload[PAYLOAD];
  frontier_verdict verdict;
  size_t settled;
  must_parse(&u, "http://h%u.test/%u", number / 25, number);
  memset(payload, (int)(number % 251), PAYLOAD);
  frontier_link link = {.target = &u, .payload = payload, .payload_size = number % 100 == 0 ? PAYLOAD : number % 9};
  assert_int_equal(frontier_add_batch(f, &link, 1, 0, &verdict, &settled), FRONTIER_OK);
  assert_int_not_equal(verdict.outcome, FRONTIER_SEEN);
}

static frontier *fill(unsigned count)
{
  scratch_make_fast(directory);
  frontier *f = open_or_fail(false);
  for (unsigned i = 1; i <= count; i++)
    add(f, i);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  return f;
}

/* The first half of them, as they come, end. */
static void end_half(frontier *f, bool has_ended[URLS + 1])
{
  for (unsigned left = URLS / 2; left;) {
    frontier_lease leases[64];
    size_t count;
    int64_t wait_ms;
    assert_int_equal(frontier_next(f, 0, leases, left < 64 ? left : 64, &count, &wait_ms), FRONTIER_OK);
    assert_true(count > 0);
    left -= (unsigned)count;
    for (size_t i = 0; i < count; i++) {
      has_ended[leases[i].id] = true;
      assert_int_equal(frontier_done(f, leases[i].id, FRONTIER_DONE, 200, NULL, 0, 0), FRONTIER_OK);
    }
  }
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
}

typedef struct sight {
  const bool *has_ended;
  unsigned visits[URLS + 1];
  unsigned count, most;
} sight;

static bool see(void *context, const frontier_record *record)
{
  sight *s = context;
  char text[64];
  unsigned id = (unsigned)record->id;
  assert_in_range(id, 1, URLS);
  int size = snprintf(text, sizeof text, "http://h%u.test/%u", id / 25, id);
  assert_int_equal(record->url_size, size);
  assert_memory_equal(record->url, text, size);
  assert_int_equal(record->is_queued, !s->has_ended[id]);
  if (record->is_queued)
    assert_int_equal(record->payload_size, id % 100 == 0 ? PAYLOAD : id % 9);
  for (size_t i = 0; i < record->payload_size; i += 97)
    assert_int_equal(((const unsigned char *)record->payload)[i], id % 251);
  s->visits[id]++;
  return ++s->count < s->most;
}

CASE(every_url_once)
{
  static bool has_ended[URLS + 1];
  frontier *f = fill(URLS);
  end_half(f, has_ended);
  for (int read_only = 0; read_only < 2; read_only++) {
    sight s = {.has_ended = has_ended, .most = UINT32_MAX};
    assert_int_equal(frontier_each(f, see, &s), FRONTIER_OK);
    assert_int_equal(s.count, URLS);
    for (unsigned id = 1; id <= URLS; id++)
      assert_int_equal(s.visits[id], 1);
    for (unsigned most = 1; most < URLS; most += 1231) {
      s = (sight){.has_ended = has_ended, .most = most};
      assert_int_equal(frontier_each(f, see, &s), FRONTIER_OK);
      assert_int_equal(s.count, most);
    }
    assert_int_equal(frontier_close(f), FRONTIER_OK);
    f = read_only ? NULL : open_or_fail(true);
  }
  scratch_remove(directory);
}

/* ---- a visitor that waits ---------------------------------------------------------------------------------------- */

typedef struct waiting {
  int ready, go;
  unsigned count;
  uint64_t last;
} waiting;

static bool wait_once(void *context, const frontier_record *record)
{
  waiting *w = context;
  char byte = '.';
  w->last = record->id > w->last ? record->id : w->last;
  return w->count++ || (write(w->ready, &byte, 1) == 1 && read(w->go, &byte, 1) == 1);
}

/* A reader in a process of its own, which waits in its first visit; 0: it saw `expected` URLs, up to that id. */
static pid_t start_reader(int *ready, int *go, unsigned expected)
{
  int there[2], back[2];
  char byte;
  assert_int_equal(pipe(there), 0);
  assert_int_equal(pipe(back), 0);
  pid_t child = fork();
  if (child == 0) {
    waiting w = {.ready = back[1], .go = there[0]};
    frontier_options options = plain;
    char message[FRONTIER_MESSAGE_SIZE];
    frontier *f;
    options.read_only = true;
    bool is_read = frontier_open(directory, &options, &f, message) == FRONTIER_OK &&
                   frontier_each(f, wait_once, &w) == FRONTIER_OK;
    _exit(!(is_read && w.count == expected && w.last == expected));
  }
  close(there[0]);
  close(back[1]);
  assert_int_equal(read(back[0], &byte, 1), 1);
  *ready = back[0];
  *go = there[1];
  return child;
}

static void end_reader(pid_t child, int ready, int go)
{
  int how;
  close(ready);
  assert_int_equal(write(go, ".", 1), 1);
  close(go);
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(how, 0);
}

static uint64_t file_size(void)
{
  struct stat info;
  char path[SCRATCH_PATH];
  scratch_join(directory, "data.mdb", path);
  assert_int_equal(stat(path, &info), 0);
  return (uint64_t)info.st_size;
}

/* By how much 500 commits of settings grow the file. */
static uint64_t growth(frontier *f)
{
  static char value[3000];
  uint64_t before = file_size();
  for (unsigned i = 0; i < 500; i++) {
    memset(value, (int)i, sizeof value);
    assert_int_equal(frontier_setting_put(f, "value", value, sizeof value), FRONTIER_OK);
    assert_int_equal(frontier_sync(f), FRONTIER_OK);
  }
  return file_size() - before;
}

CASE(no_old_page_is_kept)
{
  int ready, go;
  frontier *f = fill(5000);
  pid_t reader = start_reader(&ready, &go, 5000);
  uint64_t grown = growth(f);
  print_message("%llu bytes\n", (unsigned long long)grown);
  assert_true(grown < 500 << 10);
  end_reader(reader, ready, go);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}

/* While it waits, URLs of new hosts come, which its table of hosts does not have. */
CASE(hosts_that_come_later)
{
  int ready, go;
  frontier *f = fill(3000);
  pid_t reader = start_reader(&ready, &go, URLS);
  for (unsigned i = 3001; i <= URLS; i++)
    add(f, i);
  assert_int_equal(frontier_sync(f), FRONTIER_OK);
  end_reader(reader, ready, go);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  scratch_remove(directory);
}
