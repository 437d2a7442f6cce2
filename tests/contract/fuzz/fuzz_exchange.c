/* Whatever bytes a carrier brings: no message, or one that is read back as it was written; and a parcel is taken whole,
 * or changes nothing. The first byte says what is put right before, or nothing would get past the checksum: 1 the head
 * and checksum, 2 crawl and partitions, 4 the life of the sender, so that it stays one of many. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "frontier/exchange.h"
#include "tests/support/scratch.h"

enum { PARCEL_HEAD = 48 }; /* bytes before its URLs */
enum { PROTO_RIGHT = 1, ADDRESS_RIGHT = 2, LIFE_RIGHT = 4, LIVES = 16, FIRST = 8, RUNS_A_DIRECTORY = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[SCRATCH_PATH];
static frontier *f;
static frontier_life life;

static void must(bool is_so)
{
  if (!is_so)
    abort();
}

static void remove_directory(void)
{
  if (f)
    must(frontier_close(f) == FRONTIER_OK);
  f = NULL;
  scratch_remove(directory);
}

static void open_directory(void)
{
  char why[FRONTIER_MESSAGE_SIZE];
  const frontier_options options = {.filter = MLBF_KIND_BLOOM,
                                    .expected_urls = 1000,
                                    .rate = 1e-6,
                                    .per_host = 1,
                                    .depth_cap = UINT16_MAX,
                                    .map_size = FRONTIER_MAP_MIN,
                                    .partitions = 2,
                                    .route_key = (const uint8_t *)"the key of tests"};
  scratch_make_fast(directory);
  must(frontier_open(directory, &options, &f, why) == FRONTIER_OK);
  frontier_life_read(f, &life);
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> 8 * i);
}

static void put_right(uint8_t *bytes, size_t size, uint8_t what)
{
  uint32_t seed;
  if (size < 24)
    return;
  if (what & PROTO_RIGHT)
    bytes[0] = FRONTIER_EXCHANGE_PROTO;
  if (what & ADDRESS_RIGHT) {
    put(bytes + 2, 1, 2); /* from */
    put(bytes + FIRST, 0, bytes[1] == 'P' ? 2 : 8);
    put(bytes + FIRST + 8, life.crawl, 8);
    if (bytes[1] == 'P' && size >= PARCEL_HEAD)
      put(bytes + FIRST + 4, size - PARCEL_HEAD, 4);
  }
  if (what & LIFE_RIGHT && size >= 32)
    put(bytes + FIRST + 16, 1 + bytes[FIRST + 16] % LIVES, 8);
  memcpy(&seed, bytes, 4);
  if (what & PROTO_RIGHT)
    put(bytes + 4, XXH3_64bits_withSeed(bytes + FIRST, size - FIRST, seed), 4);
}

static void read_small(const uint8_t *bytes, size_t size)
{
  frontier_ack ack, ack_again;
  frontier_wave wave, wave_again;
  frontier_reply reply, reply_again;
  uint8_t written[FRONTIER_REPLY_SIZE];
  memset(&ack_again, 0, sizeof ack_again);
  if (frontier_ack_read(bytes, size, &ack)) {
    frontier_ack_write(&ack, written);
    must(frontier_ack_read(written, FRONTIER_ACK_SIZE, &ack_again) && ack.have == ack_again.have &&
         ack.kept == ack_again.kept && ack.from == ack_again.from && ack.to == ack_again.to);
    frontier_status status = frontier_outbox_heard(f, &ack);
    must(status == FRONTIER_OK || status == FRONTIER_BAD_ARGUMENT || status == FRONTIER_MISMATCH);
  }
  if (frontier_wave_read(bytes, size, &wave)) {
    frontier_wave_write(&wave, written);
    must(frontier_wave_read(written, FRONTIER_WAVE_SIZE, &wave_again) && wave.number == wave_again.number &&
         wave.digest == wave_again.digest);
  }
  if (frontier_reply_read(bytes, size, &reply)) {
    frontier_reply_write(&reply, written);
    must(frontier_reply_read(written, FRONTIER_REPLY_SIZE, &reply_again) && reply.wave == reply_again.wave &&
         reply.version == reply_again.version && reply.is_idle == reply_again.is_idle);
    frontier_reply replies[2] = {reply, reply};
    wave = (frontier_wave){.number = reply.wave, .digest = reply.beliefs};
    (void)frontier_wave_is_over(&wave, replies, 2);
  }
}

static void take_parcel(const uint8_t *bytes, size_t size)
{
  frontier_parcel p;
  frontier_taken taken = {0};
  frontier_lane before, after;
  bool is_read = frontier_parcel_read(bytes, size, &p);
  must(frontier_lane_read(f, 1, &before) == FRONTIER_OK);
  frontier_status status = frontier_inbox_take(f, bytes, size, NULL, 1000, &taken);
  must(status == FRONTIER_OK || status == FRONTIER_BAD_ARGUMENT);
  must(frontier_sync(f) == FRONTIER_OK && frontier_lane_read(f, 1, &after) == FRONTIER_OK);
  if (status == FRONTIER_OK) {
    must(is_read && p.urls <= FRONTIER_PARCEL_URLS && taken.fresh + taken.refused <= p.urls);
    must(frontier_inbox_take(f, bytes, size, NULL, 1000, &taken) == FRONTIER_OK && taken.fresh == 0);
  } else {
    must(before.taken == after.taken && before.taken_incarnation == after.taken_incarnation);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static unsigned runs;
  static bool is_begun;
  if (size < 2 || size > FRONTIER_PARCEL_MAX + 1)
    return 0;
  if (!is_begun)
    atexit(remove_directory);
  is_begun = true;
  if (runs++ % RUNS_A_DIRECTORY == 0) {
    if (f)
      remove_directory();
    open_directory();
  }
  uint8_t *bytes = malloc(size - 1);
  must(bytes != NULL);
  memcpy(bytes, data + 1, size - 1);
  put_right(bytes, size - 1, data[0]);
  read_small(bytes, size - 1);
  take_parcel(bytes, size - 1);
  free(bytes);
  return 0;
}
