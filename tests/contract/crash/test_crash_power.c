/* The power of a crawl's machine goes, again and again, with a disk that keeps only what it must (power_disk.h), and an
 * auditor outside (audit.h) who knows what was promised when it went.
 *
 *     life     the driver runs for some hundred steps; write_log.c writes down all that it tells its files, and its
 *              reports to the auditor among them
 *     cut      some place in that log: the auditor hears the reports before it, the disk keeps what it keeps
 *     look     the second reader goes over what is left; in a copy, the frontier is opened, which settles the journal
 *     again    the next life begins with what is left, and may lose power while it recovers
 *
 * Until the crawl is finished. STRATA_TIMES=100 cuts so often; default 20. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/contract/crash/audit.h"
#include "tests/contract/crash/power_disk.h"
#include "tests/support/test.h"

static unsigned cuts_wanted = 20;

/* ---- a life, and its log ---------------------------------------------------------------------------------- */

typedef struct recording {
  uint8_t *bytes;
  size_t *events; /* where each begins */
  size_t count;
} recording;

static event event_at(const recording *r, size_t number, const uint8_t **bytes)
{
  event e;
  memcpy(&e, r->bytes + r->events[number], sizeof e);
  *bytes = r->bytes + r->events[number] + sizeof e;
  return e;
}

static recording read_recording(const char *path)
{
  recording r = {0};
  size_t size = 0;
  r.bytes = (uint8_t *)scratch_read(path, &size);
  assert_non_null(r.bytes);
  r.events = calloc(size / sizeof(event) + 1, sizeof *r.events);
  assert_non_null(r.events);
  for (size_t at = 0; at < size;) {
    event e;
    assert_true(size - at >= sizeof e);
    memcpy(&e, r.bytes + at, sizeof e);
    assert_true(size - at - sizeof e >= e.size);
    r.events[r.count++] = at;
    at += sizeof e + (size_t)e.size;
  }
  return r;
}

static void free_recording(recording *r)
{
  free(r->bytes);
  free(r->events);
}

/* Every second crawl confirms its keys, and has files of them, and orders its pages, the first among them. */
static const char *mode_of(const audit *a)
{
  return a->crawls % 2 ? "both" : NULL;
}

/* Recorded if `log` is not NULL. Else nobody listens. */
static bool run_driver(const audit *a, const char *directory, const char *journal, uint64_t seed, unsigned steps,
                       const char *log)
{
  char seed_text[32], steps_text[32];
  int status;
  snprintf(seed_text, sizeof seed_text, "%llu", (unsigned long long)seed);
  snprintf(steps_text, sizeof steps_text, "%u", steps);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    if (log) {
      setenv("STRATA_RECORD", log, 1);
      setenv("LD_PRELOAD", RECORD_LIBRARY, 1);
    }
    execl(FRONTIER_DRIVER, FRONTIER_DRIVER, directory, journal, seed_text, steps_text, mode_of(a), (char *)NULL);
    _exit(127);
  }
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- the cut ---------------------------------------------------------------------------------------------- */

/* A third die young, while opening; half of all just before something is synced: then most is at stake. */
static size_t choose_cut(audit *a, const recording *r)
{
  size_t young = r->count < 40 ? r->count : 40;
  size_t cut = (size_t)audit_roll(a, audit_roll(a, 3) ? r->count : young);
  const uint8_t *bytes;
  if (audit_roll(a, 2))
    while (cut < r->count && event_at(r, cut, &bytes).kind != EVENT_SYNCED)
      cut++;
  return cut;
}

/* Before the cut, the auditor hears what is said; behind it, nobody does. */
static void play(audit *a, const recording *r, size_t from, size_t to, disk *d, bool is_heard)
{
  for (size_t i = from; i < to; i++) {
    const uint8_t *bytes;
    event e = event_at(r, i, &bytes);
    report said;
    if (disk_play(d, &e, bytes) || e.kind != EVENT_WRITE || e.fd != STDOUT_FILENO)
      continue;
    assert_int_equal(e.size, sizeof said);
    memcpy(&said, bytes, sizeof said);
    if (is_heard)
      audit_hear(a, said);
  }
}

static void replace_directory(const char *old, const char *new)
{
  scratch_remove(old);
  assert_int_equal(rename(new, old), 0);
}

enum { NOWHERE = -1, ANYWHERE = -2 }; /* or before the event with this number */

static void live(audit *a, unsigned steps, long where, const char *lie)
{
  bool is_cut = where != NOWHERE;
  char base[SCRATCH_PATH], log[SCRATCH_PATH], left[SCRATCH_PATH];
  scratch_make(base);
  scratch_join(base, "log", log);
  scratch_join(base, "left", left);
  assert_int_equal(mkdir(left, 0777), 0);
  disk *d = disk_open(a->root, lie);
  a->lives++;
  if (!run_driver(a, a->directory, a->journal, audit_roll(a, UINT32_MAX), steps, log))
    audit_break(a, "the driver failed", 0);
  recording r = read_recording(log);
  size_t cut = where == ANYWHERE ? choose_cut(a, &r) : where < 0 || (size_t)where > r.count ? r.count : (size_t)where;
  play(a, &r, 0, cut, d, true);
  if (is_cut)
    disk_lose_power(d, &a->dice, left);
  play(a, &r, cut, r.count, d, false);
  assert_true(disk_agrees(d)); /* else the record has gaps, and proves nothing */
  if (is_cut) {
    replace_directory(a->root, left);
    a->kills++;
  }
  audit_note_death(a);
  free_recording(&r);
  disk_free(d);
  scratch_remove(base);
}

/* ---- the look --------------------------------------------------------------------------------------------- */

/* A torn journal is set right when the frontier is opened; what it says then is final. Done in a copy, so that the next
 * life has the torn one. */
static void look_at_settled_journal(audit *a)
{
  char copy[SCRATCH_PATH], directory[SCRATCH_PATH], journal[SCRATCH_PATH], real[SCRATCH_PATH];
  scratch_make(copy);
  scratch_join(copy, "frontier", directory);
  scratch_join(copy, "journal", journal);
  if (access(a->directory, F_OK) == 0) {
    assert_int_equal(mkdir(directory, 0777), 0);
    scratch_copy(a->directory, directory);
  }
  scratch_copy(a->root, copy);
  if (!run_driver(a, directory, journal, 1, 1, NULL))
    audit_break(a, "what is left cannot be opened", 0);
  memcpy(real, a->journal, sizeof real);
  memcpy(a->journal, journal, sizeof journal);
  audit_look_at_journal(a);
  memcpy(a->journal, real, sizeof real);
  scratch_remove(copy);
}

static void next_life(audit *a, const char *lie)
{
  bool is_last = a->kills >= cuts_wanted;
  live(a, is_last ? 0 : 1 + (unsigned)audit_roll(a, 800), is_last ? NOWHERE : ANYWHERE, lie);
  look_at_settled_journal(a);
  audit_look_at_directory(a);
}

/* ---- many lives ------------------------------------------------------------------------------------------- */

CASE(promises_hold_through_power_cuts)
{
  audit *a = audit_begin();
  do {
    audit_begin_crawl(a);
    while (!a->is_finished && !a->broken)
      next_life(a, NULL);
    if (a->broken)
      fail_msg("%u promises broken; the directory is %s", a->broken, a->root);
    audit_end_crawl(a);
  } while (audit_goes_on(a, cuts_wanted));
  printf(
    "%u power cuts in %u lives of %u crawls: %u promises broken, %u of %u that might be were leased again, up to %u "
    "URLs came late in a crawl\n",
    a->kills, a->lives, a->crawls, a->broken, a->again, a->may_be_again, a->late);
  assert_int_equal(a->broken, 0);
  assert_true(a->again <= a->may_be_again);
  assert_true(a->again > 0); /* else no cut hit anything */
  assert_true(a->late > 0);  /* else the filter made no mistakes */
  free(a);
}

/* While a frontier is made, most of what it writes is not synced, and nothing promised yet: it can be begun again. */
CASE(a_frontier_may_be_cut_short_while_it_is_made)
{
  enum { EVENTS = 40 }; /* until the directory is synced */
  (void)state;
  audit *a = audit_begin();
  for (long i = 0; i < 4 * (long)cuts_wanted && !a->broken; i++) {
    long event_number = i / 2 % EVENTS; /* each in both modes */
    audit_begin_crawl(a);
    live(a, 1, event_number, NULL);
    look_at_settled_journal(a);
    audit_look_at_directory(a);
    if (a->broken)
      fail_msg("%u promises broken before event %ld; the directory is %s", a->broken, event_number, a->root);
    free(a->lines);
    scratch_remove(a->root);
  }
  free(a);
}

static void notice_lie(const char *lie)
{
  audit *a = audit_begin();
  a->is_lied_to = true;
  audit_begin_crawl(a);
  while (!a->is_finished && !a->broken && a->kills < cuts_wanted)
    next_life(a, lie);
  printf("noticed after %u power cuts\n", a->kills);
  assert_true(a->broken > 0);
  free(a->lines);
  scratch_remove(a->root);
  free(a);
}

/* The runner is worth something: syncs that a disk ignores do not get past it. */
CASE(a_disk_that_lies_about_the_frontier_is_noticed)
{
  notice_lie("data.mdb");
}

CASE(a_disk_that_lies_about_the_journal_is_noticed)
{
  notice_lie("journal");
}

static int prepare(void **state)
{
  (void)state;
  cuts_wanted = test_times(cuts_wanted);
  return 0;
}

EACH_CASE(prepare, NULL)
