/* Two partitions of a crawl and the parcels between them, one call at a time: exchange.h. What happens when messages
 * are lost and processes are killed is in test_exchange_model.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontier/admin.h"
#include "frontier/exchange.h"
#include "tests/support/must.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

enum { PARTITIONS = 2, HOSTS = 16 };

static const uint8_t key[FRONTIER_ROUTE_KEY_BYTES] = "the key of tests";
static char root[SCRATCH_PATH], directory[PARTITIONS][SCRATCH_PATH];
static frontier *two[PARTITIONS];
static char message[FRONTIER_MESSAGE_SIZE];

static frontier_options options_of(uint32_t partition)
{
  return (frontier_options){.filter = MLBF_KIND_BLOOM,
                            .expected_urls = 100,
                            .rate = 1e-9,
                            .per_host = 8,
                            .depth_cap = UINT16_MAX,
                            .partitions = PARTITIONS,
                            .partition = partition,
                            .route_key = key,
                            .linger_ms = 10};
}

static frontier *open_one(uint32_t partition)
{
  const frontier_options options = options_of(partition);
  if (frontier_open(directory[partition], &options, &two[partition], message) != FRONTIER_OK)
    fail_msg("%s", message);
  return two[partition];
}

static void close_one(uint32_t partition)
{
  assert_int_equal(frontier_close(two[partition]), FRONTIER_OK);
  two[partition] = NULL;
}

static int begin(void **state)
{
  (void)state;
  scratch_make_fast(root);
  scratch_join(root, "0", directory[0]);
  scratch_join(root, "1", directory[1]);
  open_one(0);
  open_one(1);
  return 0;
}

static int end(void **state)
{
  (void)state;
  frontier_close(two[0]);
  frontier_close(two[1]);
  scratch_remove(root);
  return 0;
}

/* A host of this partition. */
static const char *host_of(uint32_t partition)
{
  static char name[2][16];
  for (unsigned i = 0; i < HOSTS; i++) {
    snprintf(name[partition], sizeof name[0], "h%u.example", i);
    if (frontier_route(key, PARTITIONS, name[partition], strlen(name[partition])) == partition)
      return name[partition];
  }
  fail_msg("16 hosts, and none of partition %u", partition);
  return NULL;
}

static void parse(url *u, uint32_t partition, unsigned page)
{
  must_parse(u, "http://%s/%u", host_of(partition), page);
}

static frontier_outcome add(frontier *f, uint32_t partition, unsigned page)
{
  static url u;
  frontier_verdict verdict;
  parse(&u, partition, page);
  if (frontier_add(f, &u, (frontier_origin){.depth = 3, .hops = 2}, 1000, &verdict) != FRONTIER_OK)
    fail_msg("%s", frontier_message(f));
  return verdict.outcome;
}

static frontier_parcel next(uint32_t from, uint64_t after)
{
  frontier_parcel parcel;
  if (frontier_outbox_next(two[from], !from, after, 2000, &parcel, NULL) != FRONTIER_OK)
    fail_msg("no parcel after %u", (unsigned)after);
  return parcel;
}

static bool has_next(uint32_t from, uint64_t after)
{
  frontier_parcel parcel;
  return frontier_outbox_next(two[from], !from, after, 2000, &parcel, NULL) == FRONTIER_OK;
}

static frontier_taken take(uint32_t to, const frontier_parcel *p)
{
  frontier_taken taken;
  if (frontier_inbox_take(two[to], p->bytes, p->size, NULL, 2000, &taken) != FRONTIER_OK)
    fail_msg("%s", frontier_message(two[to]));
  return taken;
}

static frontier_ack tell(uint32_t from, bool is_news)
{
  frontier_ack ack;
  bool is_said;
  assert_int_equal(frontier_inbox_tell(two[from], !from, &ack, &is_said), FRONTIER_OK);
  assert_int_equal(is_said, is_news);
  return ack;
}

static void sync_one(uint32_t partition)
{
  assert_int_equal(frontier_sync(two[partition]), FRONTIER_OK);
}

static frontier_lane lane_of(uint32_t of)
{
  frontier_lane lane;
  assert_int_equal(frontier_lane_read(two[of], !of, &lane), FRONTIER_OK);
  return lane;
}

/* ---- one link -------------------------------------------------------------------------------------------- */

CASE(a_link_goes_where_its_host_is)
{
  frontier_lease lease;
  size_t count;
  int64_t wait_ms;
  (void)state;
  tell(1, true); /* of nothing */
  assert_int_equal(add(two[0], 0, 1), FRONTIER_NEW);
  assert_int_equal(add(two[0], 1, 1), FRONTIER_ELSEWHERE);
  assert_int_equal(add(two[0], 1, 1), FRONTIER_ELSEWHERE); /* sent lately */
  assert_false(has_next(0, 0));                            /* not committed */
  assert_true(frontier_committed(two[0]) < frontier_commit_number(two[0]));
  sync_one(0);
  assert_true(frontier_committed(two[0]) >= frontier_commit_number(two[0]));
  frontier_parcel p = next(0, 0);
  assert_int_equal(p.urls, 1);
  assert_int_equal(p.number, 1);
  assert_false(has_next(0, 1));
  frontier_taken taken = take(1, &p);
  assert_true(taken.fresh == 1 && !taken.is_repeat && !taken.lost);
  assert_int_equal(tell(1, false).have, 0); /* not committed */
  sync_one(1);
  frontier_ack ack = tell(1, true);
  assert_int_equal(ack.have, 1);
  assert_int_equal(ack.kept, 1);
  assert_true(take(1, &p).is_repeat);
  assert_int_equal(tell(1, true).have, 1); /* so the sender has not heard of it */
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  assert_false(has_next(0, 0));
  assert_int_equal(lane_of(0).base, 1);
  sync_one(0);
  assert_int_equal(lane_of(0).base, 2); /* dropped */
  assert_int_equal(frontier_next(two[1], 3000, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_non_null(strstr(lease.url, host_of(1)));
  assert_true(lease.origin.depth == 3 && lease.origin.hops == 2 && lease.origin.via == 0);
}

CASE(all_that_a_link_has_travels)
{
  static const char opaque[] = "\x01 anything";
  const mlbf_span parts[] = {{"an", 2}, {"/own", 4}, {"/key", 4}};
  char group[8] = "g0";
  frontier_lease lease;
  frontier_verdict verdict;
  size_t count;
  int64_t wait_ms;
  (void)state;
  while (frontier_route(key, PARTITIONS, (char[]){'/', 'g', group[1]}, 3) != 1)
    group[1]++;
  const frontier_link link = {.key = parts,
                              .key_count = 3,
                              .payload = "load",
                              .payload_size = 4,
                              .group = group,
                              .group_size = 2,
                              .priority = -7,
                              .opaque = opaque,
                              .opaque_size = sizeof opaque};
  assert_int_equal(frontier_add_batch(two[0], &link, 1, 1000, &verdict, &count), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_ELSEWHERE);
  sync_one(0);
  frontier_parcel p = next(0, 0);
  assert_int_equal(take(1, &p).fresh, 1);
  sync_one(1);
  assert_int_equal(frontier_next(two[1], 3000, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_true(lease.is_opaque && lease.url_size == sizeof opaque && !memcmp(lease.url, opaque, sizeof opaque));
  assert_true(lease.payload_size == 4 && !memcmp(lease.payload, "load", 4) && lease.priority == -7);
  assert_true(lease.group_size == 2 && !memcmp(lease.group, group, 2));
  assert_int_equal(frontier_add_batch(two[1], &link, 1, 1000, &verdict, &count), FRONTIER_OK);
  assert_int_equal(verdict.outcome, FRONTIER_SEEN); /* its key is the same there */
}

/* ---- hostile bytes --------------------------------------------------------------------------------------- */

CASE(bytes_from_outside_are_not_trusted)
{
  frontier_taken taken;
  frontier_parcel parcel;
  frontier_lane before;
  (void)state;
  for (unsigned page = 0; page < 20; page++)
    add(two[0], 1, page);
  sync_one(0);
  frontier_parcel p = next(0, 0);
  uint8_t *bytes = malloc(p.size + 1);
  before = lane_of(1);
  for (size_t size = 0; size < p.size; size++)
    assert_int_equal(frontier_inbox_take(two[1], p.bytes, size, NULL, 2000, &taken), FRONTIER_BAD_ARGUMENT);
  for (size_t i = 0; i < p.size; i++) {
    memcpy(bytes, p.bytes, p.size);
    bytes[i] ^= 0x11;
    assert_int_equal(frontier_inbox_take(two[1], bytes, p.size, NULL, 2000, &taken), FRONTIER_BAD_ARGUMENT);
  }
  memcpy(bytes, p.bytes, p.size);
  assert_false(frontier_parcel_read(bytes, p.size + 1, &parcel));
  assert_int_equal(frontier_inbox_take(two[0], p.bytes, p.size, NULL, 2000, &taken), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(lane_of(1).taken, before.taken);
  assert_int_equal(take(1, &p).fresh, 20);
  free(bytes);
}

static int refuse_odd(void *context, size_t index, const url *target)
{
  (void)context, (void)target;
  return index % 2;
}

CASE(a_receiver_may_refuse_urls)
{
  const frontier_inbox_rules rules = {.accept = refuse_odd};
  frontier_taken taken;
  (void)state;
  for (unsigned page = 0; page < 70; page++)
    add(two[0], 1, page);
  sync_one(0);
  frontier_parcel p = next(0, 0);
  assert_int_equal(frontier_inbox_take(two[1], p.bytes, p.size, &rules, 2000, &taken), FRONTIER_OK);
  assert_int_equal(taken.fresh, 35);
  assert_int_equal(taken.refused, 35);
}

static frontier_exchange_stats stats_of(uint32_t partition)
{
  frontier_exchange_stats stats;
  assert_int_equal(frontier_exchange_stats_read(two[partition], &stats), FRONTIER_OK);
  return stats;
}

CASE(numbers_say_what_travels)
{
  frontier_taken taken;
  (void)state;
  for (unsigned page = 0; page < 3; page++)
    add(two[0], 1, page);
  add(two[0], 1, 2);
  sync_one(0);
  frontier_exchange_stats s = stats_of(0);
  assert_true(s.sent_urls == 3 && s.lately == 1 && s.held == 1 && s.waiting == 1 && !s.taken && !s.refused);
  frontier_parcel p = next(0, 0);
  take(1, &p);
  take(1, &p); /* again */
  assert_int_equal(frontier_inbox_take(two[1], p.bytes, p.size - 1, NULL, 2000, &taken), FRONTIER_BAD_ARGUMENT);
  sync_one(1);
  s = stats_of(1);
  assert_true(s.taken == 1 && s.fresh == 3 && s.refused == 1 && !s.lost && !s.sent_urls && !s.held && !s.waiting);
  const frontier_ack ack = tell(1, true);
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  s = stats_of(0);
  assert_true(s.held == 1 && s.waiting == 0);
  sync_one(0);
  assert_int_equal(stats_of(0).held, 0);
}

CASE(acknowledgments_are_checked)
{
  add(two[0], 1, 1);
  sync_one(0);
  next(0, 0);
  frontier_ack good = tell(1, true), ack = good;
  ack.crawl++;
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_BAD_ARGUMENT);
  ack = good;
  ack.to = 1;
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_BAD_ARGUMENT);
  ack = good;
  ack.sender_incarnation = 1;
  ack.have = 2; /* there is no such parcel */
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_MISMATCH);
  ack.have = 1;
  ack.sender_incarnation = 2; /* this directory has not been restored */
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_MISMATCH);
  assert_int_equal(lane_of(0).have, 0);
}

/* ---- directories ----------------------------------------------------------------------------------------- */

static void count_sentence(void *context, const char *sentence)
{
  (void)sentence;
  ++*(unsigned *)context;
}

static void assert_sound(uint32_t partition)
{
  frontier_findings found;
  unsigned said = 0;
  assert_int_equal(frontier_check(directory[partition], NULL, count_sentence, &said, &found, message), FRONTIER_OK);
  assert_int_equal(found.faults, 0);
}

/* Parcels 1 to 3 for partition 1, of which it has taken the first. */
static void send_three(void)
{
  for (unsigned page = 1; page <= 3; page++) {
    add(two[0], 1, page);
    sync_one(0);
    assert_int_equal(next(0, page - 1).number, page);
  }
  frontier_parcel p = next(0, 0);
  take(1, &p);
  sync_one(1);
}

CASE(a_compaction_keeps_what_travels)
{
  frontier_sizes sizes;
  (void)state;
  send_three();
  close_one(0);
  close_one(1);
  for (uint32_t i = 0; i < PARTITIONS; i++) {
    assert_sound(i);
    assert_int_equal(frontier_compact(directory[i], &sizes, message), FRONTIER_OK);
    assert_sound(i);
    open_one(i);
  }
  assert_int_equal(lane_of(0).next, 4);
  for (unsigned number = 1; number <= 3; number++) {
    frontier_parcel p = next(0, number - 1);
    frontier_taken taken = take(1, &p);
    assert_int_equal(taken.is_repeat, number == 1);
  }
}

CASE(a_new_life_sends_all_again)
{
  uint64_t incarnation = 0;
  (void)state;
  send_three();
  frontier_ack ack = tell(1, true);
  ack.kept = 0;
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  assert_int_equal(next(0, 0).number, 2);
  assert_int_equal(frontier_incarnate(directory[0], 0, NULL, message), FRONTIER_BUSY);
  close_one(0);
  assert_int_equal(frontier_incarnate(directory[0], 77, &incarnation, message), FRONTIER_OK);
  assert_int_equal(incarnation, 77);
  assert_int_equal(frontier_incarnate(directory[0], 7, &incarnation, message), FRONTIER_OK);
  assert_int_equal(incarnation, 78);
  open_one(0);
  frontier_parcel p = next(0, 0);
  assert_true(p.number == 1 && p.incarnation == 78 && p.base == 1);
  assert_int_equal(take(1, &p).fresh, 0); /* its number is new, its URL is not */
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  assert_int_equal(lane_of(0).have, 0); /* that was said to an earlier life */
}

CASE(a_copy_elsewhere_lets_parcels_go)
{
  char copy[SCRATCH_PATH], lock[SCRATCH_PATH + 16];
  frontier_options options = options_of(1);
  (void)state;
  close_one(1);
  options.keeps_copies = true;
  assert_int_equal(frontier_open(directory[1], &options, &two[1], message), FRONTIER_OK);
  send_three();
  frontier_ack ack = tell(1, true);
  assert_true(ack.have == 1 && ack.kept == 0);
  scratch_join(root, "copy", copy);
  assert_int_equal(frontier_snapshot(two[1], copy, NULL, message), FRONTIER_OK);
  frontier_parcel p = next(0, 1);
  take(1, &p);
  sync_one(1);
  snprintf(lock, sizeof lock, "%s/lock.mdb", copy);
  unlink(lock);
  assert_int_equal(frontier_inbox_kept(two[1], copy, message), FRONTIER_OK);
  assert_int_not_equal(access(lock, F_OK), 0); /* nothing is written there */
  ack = tell(1, true);
  assert_true(ack.have == 2 && ack.kept == 1);
  assert_int_equal(frontier_inbox_kept(two[0], copy, message), FRONTIER_MISMATCH);
  assert_int_equal(frontier_inbox_kept(two[1], root, message), FRONTIER_NOT_FOUND);
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  sync_one(0);
  assert_int_equal(lane_of(0).base, 2);
}

/* A byte of a URL that travels, in the file. */
static void spoil_parcel(const char *text)
{
  char path[SCRATCH_PATH];
  size_t size;
  scratch_join(directory[0], "data.mdb", path);
  char *bytes = scratch_read(path, &size);
  for (char *at = bytes; (at = memmem(at, size - (size_t)(at - bytes), text, strlen(text)));)
    *at++ ^= 1;
  scratch_write(path, bytes, size);
  free(bytes);
}

CASE(a_repair_says_what_is_lost)
{
  char text[64];
  frontier_findings found;
  frontier_repairs done;
  unsigned said = 0;
  (void)state;
  send_three();
  close_one(0);
  snprintf(text, sizeof text, "http://%s/2", host_of(1));
  spoil_parcel(text);
  assert_int_equal(frontier_check(directory[0], NULL, count_sentence, &said, &found, message), FRONTIER_OK);
  assert_true(found.faults > 0);
  assert_int_equal(frontier_repair(directory[0], NULL, count_sentence, &said, &done, message), FRONTIER_OK);
  assert_true(done.was_rebuilt);
  assert_sound(0);
  open_one(0);
  frontier_parcel p = next(0, 0);
  assert_true(p.incarnation > 1700000000000);
  take(1, &p);
  p = next(0, p.number);
  assert_int_equal(take(1, &p).fresh, 1);
  assert_false(has_next(0, p.number));
  sync_one(1);
  frontier_ack ack = tell(1, true);
  assert_int_equal(frontier_outbox_heard(two[0], &ack), FRONTIER_OK);
  assert_int_equal(lane_of(0).have, lane_of(0).next - 1);
}

CASE(a_merge_is_of_all_hosts)
{
  char merged[SCRATCH_PATH];
  const char *both[] = {directory[0], directory[1]};
  frontier_merged result;
  (void)state;
  send_three();
  close_one(0);
  close_one(1);
  scratch_join(root, "merged", merged);
  assert_int_equal(frontier_merge(both, 2, merged, &result, message), FRONTIER_OK);
  frontier_options options = options_of(0);
  options.partitions = 0;
  options.route_key = NULL;
  frontier *f = must_open(merged, &options);
  assert_int_equal(add(f, 1, 1), FRONTIER_SEEN);
  assert_int_equal(add(f, 1, 2), FRONTIER_NEW); /* it was on its way */
  assert_int_equal(frontier_close(f), FRONTIER_OK);
}

CASE(a_directory_stays_the_partition_it_is)
{
  static const uint8_t other_key[FRONTIER_ROUTE_KEY_BYTES] = "another key";
  frontier_options options = options_of(0);
  frontier *f;
  frontier_life life;
  (void)state;
  close_one(0);
  options.partition = 1;
  assert_int_equal(frontier_open(directory[0], &options, &f, message), FRONTIER_MISMATCH);
  options = options_of(0);
  options.partitions = 4;
  assert_int_equal(frontier_open(directory[0], &options, &f, message), FRONTIER_MISMATCH);
  options = options_of(0);
  options.route_key = other_key;
  assert_int_equal(frontier_open(directory[0], &options, &f, message), FRONTIER_MISMATCH);
  options.partitions = 0;
  options.route_key = NULL;
  assert_int_equal(frontier_open(directory[0], &options, &f, message), FRONTIER_MISMATCH);
  options.keep_identity = true;
  f = must_open(directory[0], &options);
  frontier_life_read(f, &life);
  assert_true(life.partitions == 2 && life.partition == 0 && life.incarnation == 1 && life.boot);
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  options = options_of(0);
  options.partition = PARTITIONS;
  assert_int_equal(frontier_open(directory[0], &options, &f, message), FRONTIER_BAD_ARGUMENT);
  options = options_of(0);
  options.route_key = NULL;
  char fresh[SCRATCH_PATH];
  scratch_join(root, "fresh", fresh);
  assert_int_equal(frontier_open(fresh, &options, &f, message), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_open(NULL, &options, &f, message), FRONTIER_BAD_ARGUMENT);
}

CASE(a_lane_without_partitions_is_refused)
{
  frontier_options options = options_of(0);
  frontier_lane lane;
  frontier_ack ack;
  bool is_news;
  (void)state;
  options.partitions = 0;
  options.route_key = NULL;
  frontier *f = must_open(NULL, &options);
  assert_int_equal(frontier_lane_read(f, 0, &lane), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_inbox_tell(f, 0, &ack, &is_news), FRONTIER_BAD_ARGUMENT);
  assert_true(frontier_idle(f, NULL));
  assert_int_equal(add(f, 1, 1), FRONTIER_NEW);
  assert_false(frontier_idle(f, NULL));
  assert_int_equal(frontier_close(f), FRONTIER_OK);
  assert_int_equal(frontier_lane_read(two[0], 0, &lane), FRONTIER_BAD_ARGUMENT);
  assert_int_equal(frontier_lane_read(two[0], 2, &lane), FRONTIER_BAD_ARGUMENT);
}

/* ---- is it over? ------------------------------------------------------------------------------------------- */

/* The work is in one partition at a time, and each replies to a wave while the other has it. No message is lost. */
typedef struct story {
  frontier_wave wave;
  frontier_reply replies[PARTITIONS], before[PARTITIONS];
} story;

static void draw(story *s, uint64_t number)
{
  memcpy(s->before, s->replies, sizeof s->before);
  frontier_wave_next(s->wave.number ? &s->wave : NULL, s->replies, PARTITIONS, number, &s->wave);
}

static void reply_idle(story *s, uint32_t own)
{
  assert_int_equal(frontier_wave_reply(two[own], &s->wave, &s->replies[own]), FRONTIER_OK);
  assert_true(s->replies[own].is_idle);
}

static bool is_over(const story *s)
{
  return frontier_wave_is_over(&s->wave, s->replies, PARTITIONS);
}

/* Partition `own` fetches what it has, which links to a page of the other; that one has it then, and all is told. */
static void hand_over(uint32_t own, unsigned link, uint64_t now_ms)
{
  frontier_lease lease;
  frontier_parcel p;
  size_t count;
  int64_t wait_ms;
  assert_int_equal(frontier_next(two[own], now_ms, &lease, 1, &count, &wait_ms), FRONTIER_OK);
  assert_int_equal(count, 1);
  assert_int_equal(add(two[own], !own, link), FRONTIER_ELSEWHERE);
  assert_int_equal(frontier_done(two[own], lease.id, FRONTIER_DONE, 200, NULL, 0, now_ms), FRONTIER_OK);
  sync_one(own);
  assert_int_equal(frontier_outbox_next(two[own], !own, 0, now_ms + 100, &p, NULL), FRONTIER_OK);
  assert_int_equal(take(!own, &p).fresh, 1);
  sync_one(!own);
  frontier_ack ack = tell(!own, true);
  assert_int_equal(frontier_outbox_heard(two[own], &ack), FRONTIER_OK);
  sync_one(own);
  assert_false(frontier_idle(two[!own], NULL));
}

static void hear_of_each_other(void)
{
  for (uint32_t p = 0; p < PARTITIONS; p++) {
    frontier_ack ack = tell(p, true);
    assert_int_equal(frontier_outbox_heard(two[!p], &ack), FRONTIER_OK);
  }
  sync_one(0);
  sync_one(1);
}

static void open_again(uint32_t own)
{
  close_one(own);
  open_one(own);
}

/* Each replies idle to two waves, with as many events, while the other one has a page to fetch. */
CASE(a_restart_between_two_waves_is_seen)
{
  story s = {0};
  (void)state;
  hear_of_each_other();
  add(two[0], 0, 1);
  sync_one(0);
  open_again(1);
  draw(&s, 11);
  reply_idle(&s, 1);
  hand_over(0, 2, 5000);
  open_again(0);
  reply_idle(&s, 0);
  draw(&s, 12);
  assert_true(s.wave.digest != 0);
  reply_idle(&s, 0);
  hand_over(1, 3, 9000);
  open_again(1);
  reply_idle(&s, 1);
  assert_false(is_over(&s)); /* and partition 0 has a page */
  assert_true(s.replies[1].version == s.before[1].version && s.replies[1].incarnation == s.before[1].incarnation);
  s.replies[1].boot = s.before[1].boot; /* the boot alone says so */
  assert_true(is_over(&s));
}

/* A reply to a wave of an emptied carrier comes late. */
CASE(waves_have_random_numbers)
{
  story old = {0}, s = {0};
  frontier_reply late[2];
  (void)state;
  hear_of_each_other();
  add(two[0], 0, 1);
  sync_one(0);
  for (uint64_t number = 1; number <= 2; number++) {
    draw(&old, number);
    reply_idle(&old, 1);
    late[number - 1] = old.replies[1];
  }
  hand_over(0, 2, 5000);
  const uint64_t random[] = {11, 12};
  for (int is_counted = 0; is_counted < 2; is_counted++) {
    s = (story){0};
    for (uint64_t i = 0; i < 2; i++) {
      draw(&s, is_counted ? i + 1 : random[i]);
      reply_idle(&s, 0);
      s.replies[1] = late[i];
    }
    assert_int_equal(is_over(&s), is_counted); /* though partition 1 has a page */
  }
}

EACH_CASE(begin, end)
