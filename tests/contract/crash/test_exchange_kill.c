/* Two partitions, each a process, and a socketpair between them. Processes are killed at random moments, and at every
 * call that changes a file; now and then the directory of one is lost as well, and restored from its last copy. When
 * one says that the crawl is over, every page has been fetched.      STRATA_TIMES=1000 kills so often */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/exchange.h"
#include "tests/support/dice.h"
#include "tests/support/scratch.h"
#include "tests/support/share.h"
#include "tests/support/test.h"

enum { PARTITIONS = 2, HOSTS = 12, PAGES_MAX = 800, LINKS = 3, ALIVE_MS = 60 };

static unsigned kills_wanted = 40, pages = PAGES_MAX, copy_every_ms = 25;
static char root[SCRATCH_PATH];
static int ends[2]; /* the parent keeps both, so that no message is lost with a process */

static uint64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void name_of(uint32_t partition, unsigned copy, char path[SCRATCH_PATH])
{
  char name[32];
  snprintf(name, sizeof name, copy ? "%u-copy-%u" : "%u", partition, copy);
  scratch_join(root, name, path);
}

/* ---- a process ------------------------------------------------------------------------------------------- */

static frontier *f;
static uint32_t own;
static uint8_t bytes[FRONTIER_PARCEL_MAX];
static frontier_wave wave;
static frontier_reply replies[PARTITIONS];

/* What must not happen ends it with another code than a kill does. */
static void must(bool is_so, const char *what)
{
  if (is_so)
    return;
  fprintf(stderr, "partition %u: %s: %s\n", own, what, f ? frontier_message(f) : "");
  _exit(2);
}

static frontier *open_partition(uint32_t partition, bool may_write)
{
  char directory[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  frontier_options options = {.filter = MLBF_KIND_BLOOM,
                              .expected_urls = 1000,
                              .rate = 1e-9,
                              .per_host = 4,
                              .depth_cap = UINT16_MAX,
                              .read_only = !may_write,
                              .commit_after_ms = 3,
                              .commit_thread = partition == 1,
                              .partitions = PARTITIONS,
                              .partition = partition,
                              .route_key = (const uint8_t *)"0123456789abcdef",
                              .linger_ms = 3,
                              .keeps_copies = true};
  frontier *opened = NULL;
  name_of(partition, 0, directory);
  if (frontier_open(directory, &options, &opened, message) != FRONTIER_OK)
    fprintf(stderr, "%s\n", message);
  return opened;
}

static void add_page(unsigned page)
{
  static url u;
  char text[64];
  frontier_verdict verdict;
  int size = snprintf(text, sizeof text, "http://h%u.example/%u", page % HOSTS, page);
  must(url_parse(text, (size_t)size, URL_STRICT, &u) == URL_OK, "a URL");
  must(frontier_add(f, &u, (frontier_origin){0}, now_ms(), &verdict) == FRONTIER_OK, "adding");
}

static void fetch(const frontier_lease *lease)
{
  unsigned page = (unsigned)strtoul(lease->url + lease->host_end + 1, NULL, 10);
  for (unsigned i = 1; i <= LINKS; i++)
    if (LINKS * page + i < pages)
      add_page(LINKS * page + i);
  must(frontier_done(f, lease->id, FRONTIER_DONE, 200, NULL, 0, now_ms()) == FRONTIER_OK, "done");
}

static void post(size_t size)
{
  (void)!send(ends[own], bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void take(size_t size)
{
  frontier_ack ack;
  frontier_taken taken = {0};
  if (frontier_ack_read(bytes, size, &ack)) {
    must(frontier_outbox_heard(f, &ack) == FRONTIER_OK, "hearing");
  } else if (frontier_wave_read(bytes, size, &wave)) {
    must(frontier_wave_reply(f, &wave, &replies[own]) == FRONTIER_OK, "a reply");
    frontier_reply_write(&replies[own], bytes);
    post(FRONTIER_REPLY_SIZE);
  } else if (!frontier_reply_read(bytes, size, &replies[!own])) {
    must(frontier_inbox_take(f, bytes, size, NULL, now_ms(), &taken) == FRONTIER_OK && !taken.lost, "taking");
  }
}

static void send_news(bool again)
{
  static uint64_t after, life;
  frontier_parcel parcel;
  frontier_lane lane;
  frontier_ack ack;
  bool is_news;
  must(frontier_lane_read(f, !own, &lane) == FRONTIER_OK, "a lane");
  after = again || lane.incarnation != life ? 0 : after;
  life = lane.incarnation;
  for (; frontier_outbox_next(f, !own, after, now_ms(), &parcel, NULL) == FRONTIER_OK; after = parcel.number)
    (void)!send(ends[own], parcel.bytes, parcel.size, MSG_DONTWAIT | MSG_NOSIGNAL);
  must(frontier_inbox_tell(f, !own, &ack, &is_news) == FRONTIER_OK, "telling");
  if (is_news || again) {
    frontier_ack_write(&ack, bytes);
    post(FRONTIER_ACK_SIZE);
  }
}

/* Complete, or not there; then it counts as kept, and the one before may go. */
static void take_copy(void)
{
  static unsigned number;
  char path[SCRATCH_PATH], message[FRONTIER_MESSAGE_SIZE];
  struct stat info;
  do
    name_of(own, ++number, path);
  while (stat(path, &info) == 0);
  must(frontier_snapshot(f, path, NULL, message) == FRONTIER_OK, "a copy");
  must(frontier_inbox_kept(f, path, message) == FRONTIER_OK, "kept");
}

static bool is_over(bool again)
{
  uint64_t number;
  if (own != 0 || (replies[1].wave != wave.number && !again))
    return false;
  if (frontier_wave_is_over(&wave, replies, PARTITIONS))
    return true;
  must(getrandom(&number, sizeof number, 0) == sizeof number, "a random number");
  frontier_wave_next(&wave, replies, PARTITIONS, number | 1, &wave);
  must(frontier_wave_reply(f, &wave, &replies[own]) == FRONTIER_OK, "a reply");
  frontier_wave_write(&wave, bytes);
  post(FRONTIER_WAVE_SIZE);
  return false;
}

/* Ends with 0 when it is over. */
static void live(uint32_t partition)
{
  frontier_lease lease;
  size_t leased = 0;
  int64_t wait_ms;
  uint64_t copy_ms = now_ms() + copy_every_ms;
  own = partition;
  f = open_partition(own, true);
  must(f, "opening");
  add_page(0);
  for (unsigned turn = 1;; turn++) {
    poll(&(struct pollfd){.fd = ends[own], .events = POLLIN}, 1, 1);
    ssize_t size = recv(ends[own], bytes, sizeof bytes, MSG_DONTWAIT);
    if (size > 0)
      take((size_t)size);
    must(frontier_next(f, now_ms(), &lease, 1, &leased, &wait_ms) == FRONTIER_OK, "next");
    if (leased)
      fetch(&lease);
    send_news(turn % 16 == 0);
    if (is_over(turn % 16 == 0))
      _exit(0);
    if (now_ms() >= copy_ms) {
      take_copy();
      copy_ms = now_ms() + copy_every_ms;
    }
  }
}

/* `rounds` times a parcel is made, and committed; and taken, and committed. Then it dies. */
static void hand_over(unsigned rounds)
{
  frontier *from = open_partition(0, true), *to = open_partition(1, true);
  frontier_lane lane;
  frontier_parcel parcel;
  frontier_taken taken;
  must(from && to && frontier_lane_read(from, 1, &lane) == FRONTIER_OK, "opening");
  for (uint64_t number = lane.next; number < lane.next + rounds; number++) {
    static url u;
    char text[64];
    frontier_verdict verdict;
    unsigned host = 0;
    do {
      int size = snprintf(text, sizeof text, "http://h%u.example/%u", host++, (unsigned)number);
      must(url_parse(text, (size_t)size, URL_STRICT, &u) == URL_OK, "a URL");
    } while (frontier_partition_of(from, &u) != 1);
    uint64_t hour_ms = number * 3600000;
    must(frontier_add(from, &u, (frontier_origin){0}, hour_ms, &verdict) == FRONTIER_OK, "adding");
    must(frontier_sync(from) == FRONTIER_OK, "a commit");
    must(frontier_outbox_next(from, 1, number - 1, hour_ms + 1000, &parcel, NULL) == FRONTIER_OK, "a parcel");
    must(frontier_inbox_take(to, parcel.bytes, parcel.size, NULL, hour_ms, &taken) == FRONTIER_OK, "taking");
    must(parcel.number == number && taken.fresh == 1, "what was not there before");
    must(frontier_sync(to) == FRONTIER_OK, "a commit");
  }
  _exit(0);
}

/* ---- the parent ------------------------------------------------------------------------------------------ */

/* It dies instead of making its `nth` call that changes a file (fault.c, preloaded); 0: it does not. */
static pid_t start(uint32_t partition, unsigned nth)
{
  pid_t child = fork();
  if (child == 0) {
    char fault[32];
    snprintf(fault, sizeof fault, "kill:%u", nth);
    if (nth)
      setenv("STRATA_FAULT", fault, 1);
    live(partition);
  }
  return child;
}

/* Its disk is gone; of all its copies the last one is restored. */
static bool restore(uint32_t partition)
{
  char directory[SCRATCH_PATH], path[SCRATCH_PATH], last[SCRATCH_PATH] = "", message[FRONTIER_MESSAGE_SIZE];
  struct stat info;
  for (unsigned number = 1; name_of(partition, number, path), stat(path, &info) == 0; number++)
    strcpy(last, path);
  if (!*last)
    return false;
  name_of(partition, 0, directory);
  scratch_remove(directory);
  mkdir(directory, 0700);
  scratch_copy(last, directory);
  if (frontier_incarnate(directory, now_ms(), NULL, message) != FRONTIER_OK)
    fail_msg("%s", message);
  return true;
}

static bool note_done(void *context, const frontier_record *r)
{
  bool *is_done = context;
  if (!r->is_queued && r->state == FRONTIER_DONE)
    is_done[strtoul(strrchr(r->url, '/') + 1, NULL, 10)] = true;
  return true;
}

static void assert_all_done(void)
{
  bool is_done[PAGES_MAX] = {false};
  for (uint32_t i = 0; i < PARTITIONS; i++) {
    frontier *of = open_partition(i, false);
    assert_non_null(of);
    assert_int_equal(frontier_each(of, note_done, is_done), FRONTIER_OK);
    assert_int_equal(frontier_close(of), FRONTIER_OK);
  }
  for (unsigned page = 0; page < pages; page++)
    if (!is_done[page])
      fail_msg("it was over, and page %u was not fetched", page);
}

static void end_one(pid_t child)
{
  int status;
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    fail_msg("one ended by itself, with %d", WEXITSTATUS(status));
}

/* The longest life of a process: short at first, and without bound in the end, so that a slow machine ends, too. */
static uint64_t life_ms(unsigned kills)
{
  if (kills < kills_wanted / 2)
    return ALIVE_MS;
  return (kills < kills_wanted ? 4 : 4 + kills - kills_wanted) * (uint64_t)ALIVE_MS;
}

static void begin_crawl(void)
{
  scratch_make_fast(root);
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
}

/* The one that says that it is over has ended, with `status`. */
static void end_crawl(int status, pid_t other)
{
  end_one(other);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_all_done();
  close(ends[0]);
  close(ends[1]);
  scratch_remove(root);
}

/* One crawl, from nothing to its end; how many kills it took. */
static unsigned crawl(unsigned *restored)
{
  unsigned kills = 0;
  int status;
  begin_crawl();
  pid_t children[PARTITIONS] = {start(0, 0), start(1, 0)};
  for (;;) {
    poll(NULL, 0, 1 + (int)dice_throw(life_ms(kills)));
    if (waitpid(children[0], &status, WNOHANG) == children[0])
      break;
    uint32_t one = (uint32_t)dice_throw(PARTITIONS);
    end_one(children[one]);
    if (dice_throw(4) == 0)
      *restored += restore(one);
    children[one] = start(one, 0);
    kills++;
  }
  end_crawl(status, children[1]);
  return kills;
}

CASE(killed_and_restored)
{
  unsigned kills = 0, restored = 0, crawls = 0;
  (void)state;
  dice_begin(random_commit_seed());
  /* a crawl may end before a kill that would restore a directory: with 40 kills none did in one run of twenty */
  for (; kills < kills_wanted || (!restored && kills < 10 * kills_wanted); crawls++)
    kills += crawl(&restored);
  printf("%u kills, %u directories restored, %u crawls\n", kills, restored, crawls);
  assert_true(restored > 0);
}

/* A small crawl, in which each partition dies once, at its `nth` write, unless it ends before. How many died. */
static unsigned crawl_with_deaths(unsigned nth, unsigned *restored)
{
  unsigned deaths = 0;
  int status;
  begin_crawl();
  pid_t children[PARTITIONS] = {start(0, nth), start(1, nth)};
  for (;; deaths++) {
    pid_t ended = waitpid(-1, &status, 0);
    if (WIFEXITED(status))
      break;
    uint32_t one = ended == children[1];
    if (nth % 2 == 0)
      *restored += restore(one);
    children[one] = start(one, 0);
  }
  end_crawl(status, children[1]);
  return deaths;
}

CASE(killed_at_every_write)
{
  unsigned deaths = 0, restored = 0, nth = share_first(3);
  (void)state;
  if (!getenv("LD_PRELOAD")) {
    printf("skipped: without the library fault, which ctest preloads\n");
    skip();
  }
  pages = 40;
  copy_every_ms = 4;
  for (unsigned died; (died = crawl_with_deaths(nth, &restored)) > 0; nth += share_step(3))
    deaths += died;
  printf("%u deaths, at writes up to %u, %u directories restored\n", deaths, nth, restored);
  assert_true(nth > 40 && restored > 0);
}

static frontier_lane lane_of(uint32_t partition)
{
  frontier_lane lane;
  frontier *of = open_partition(partition, false);
  assert_non_null(of);
  assert_int_equal(frontier_lane_read(of, !partition, &lane), FRONTIER_OK);
  assert_int_equal(frontier_close(of), FRONTIER_OK);
  return lane;
}

/* What was made, and what was taken, is on disk with each commit: nothing is written afterwards. */
CASE(killed_right_after_a_commit)
{
  enum { ROUNDS = 6 };
  (void)state;
  begin_crawl();
  for (unsigned rounds = 1, parcels = 0; rounds <= ROUNDS; rounds++) {
    int status;
    pid_t child = fork();
    if (child == 0)
      hand_over(rounds);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    parcels += rounds;
    assert_int_equal(lane_of(0).next, parcels + 1);
    assert_int_equal(lane_of(1).taken, parcels);
  }
  close(ends[0]);
  close(ends[1]);
  scratch_remove(root);
}

static int prepare(void **state)
{
  (void)state;
  kills_wanted = test_times(kills_wanted);
  return 0;
}

EACH_CASE(prepare, NULL)
