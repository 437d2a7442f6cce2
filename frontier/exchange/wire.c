/* See wire.h. */
#include "frontier/exchange/wire.h"

#include "frontier/base/record.h"

enum { KIND = 1, PARTITION = 2, CHECKSUM = 4, FIRST = 8 };
enum { PARCEL = 'P', ACK = 'A', REPLY = 'R', WAVE = 'W' };

/* Of all but itself. */
static uint32_t checksum(const uint8_t *bytes, size_t size)
{
  return (uint32_t)XXH3_64bits_withSeed(bytes + FIRST, size - FIRST, get_le(bytes, CHECKSUM));
}

static void seal(uint8_t *bytes, size_t size, int kind, uint32_t partition)
{
  bytes[0] = FRONTIER_EXCHANGE_PROTO;
  bytes[KIND] = (uint8_t)kind;
  put_le(bytes + PARTITION, partition, 2);
  put_le(bytes + CHECKSUM, checksum(bytes, size), 4);
}

static bool is_whole(const uint8_t *bytes, size_t size, int kind)
{
  return bytes[0] == FRONTIER_EXCHANGE_PROTO && bytes[KIND] == kind &&
         get_le(bytes + CHECKSUM, 4) == checksum(bytes, size);
}

static uint64_t number_at(const uint8_t *bytes, size_t index)
{
  return get_le(bytes + FIRST + 8 * index, 8);
}

static void put_number(uint8_t *bytes, size_t index, uint64_t number)
{
  put_le(bytes + FIRST + 8 * index, number, 8);
}

/* ---- parcels ------------------------------------------------------------------------------------------------ */

void parcel_head_write(const frontier_parcel *p, uint8_t *bytes, size_t body_size)
{
  put_number(bytes, 0, (uint64_t)p->to | (uint64_t)p->urls << 16 | (uint64_t)body_size << 32);
  put_number(bytes, 1, p->crawl);
  put_number(bytes, 2, p->incarnation);
  put_number(bytes, 3, p->base);
  put_number(bytes, 4, p->number);
  seal(bytes, PARCEL_HEAD + body_size, PARCEL, p->from);
}

bool frontier_parcel_read(const void *given, size_t size, frontier_parcel *p)
{
  const uint8_t *bytes = given;
  if (size < PARCEL_HEAD || size > FRONTIER_PARCEL_MAX || !is_whole(bytes, size, PARCEL))
    return false;
  uint64_t first = number_at(bytes, 0);
  *p = (frontier_parcel){.crawl = number_at(bytes, 1),
                         .from = (uint32_t)get_le(bytes + PARTITION, 2),
                         .to = (uint16_t)first,
                         .urls = (uint16_t)(first >> 16),
                         .incarnation = number_at(bytes, 2),
                         .base = number_at(bytes, 3),
                         .number = number_at(bytes, 4),
                         .bytes = given,
                         .size = size};
  return first >> 32 == size - PARCEL_HEAD && p->urls && p->urls <= FRONTIER_PARCEL_URLS && p->incarnation && p->base &&
         p->base <= p->number && p->number <= PARCEL_NUMBER_MAX;
}

/* ---- acks --------------------------------------------------------------------------------------------------- */

void frontier_ack_write(const frontier_ack *a, uint8_t bytes[FRONTIER_ACK_SIZE])
{
  const uint64_t numbers[] = {a->to, a->crawl, a->incarnation, a->sender_incarnation, a->have, a->kept};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    put_number(bytes, i, numbers[i]);
  seal(bytes, FRONTIER_ACK_SIZE, ACK, a->from);
}

bool frontier_ack_read(const void *given, size_t size, frontier_ack *a)
{
  const uint8_t *bytes = given;
  if (size != FRONTIER_ACK_SIZE || !is_whole(bytes, size, ACK) || number_at(bytes, 0) >= FRONTIER_PARTITIONS_MAX)
    return false;
  *a = (frontier_ack){.crawl = number_at(bytes, 1),
                      .from = (uint32_t)get_le(bytes + PARTITION, 2),
                      .to = (uint32_t)number_at(bytes, 0),
                      .incarnation = number_at(bytes, 2),
                      .sender_incarnation = number_at(bytes, 3),
                      .have = number_at(bytes, 4),
                      .kept = number_at(bytes, 5)};
  return true;
}

/* ---- waves -------------------------------------------------------------------------------------------------- */

void frontier_wave_write(const frontier_wave *w, uint8_t bytes[FRONTIER_WAVE_SIZE])
{
  put_number(bytes, 0, w->number);
  put_number(bytes, 1, w->digest);
  seal(bytes, FRONTIER_WAVE_SIZE, WAVE, 0);
}

bool frontier_wave_read(const void *given, size_t size, frontier_wave *w)
{
  const uint8_t *bytes = given;
  if (size != FRONTIER_WAVE_SIZE || !is_whole(bytes, size, WAVE))
    return false;
  *w = (frontier_wave){number_at(bytes, 0), number_at(bytes, 1)};
  return true;
}

void frontier_reply_write(const frontier_reply *r, uint8_t bytes[FRONTIER_REPLY_SIZE])
{
  const uint64_t numbers[] = {r->wave, r->incarnation, r->boot, r->version, r->beliefs, r->is_idle};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    put_number(bytes, i, numbers[i]);
  seal(bytes, FRONTIER_REPLY_SIZE, REPLY, r->partition);
}

bool frontier_reply_read(const void *given, size_t size, frontier_reply *r)
{
  const uint8_t *bytes = given;
  if (size != FRONTIER_REPLY_SIZE || !is_whole(bytes, size, REPLY) || number_at(bytes, 5) > 1)
    return false;
  *r = (frontier_reply){.wave = number_at(bytes, 0),
                        .partition = (uint32_t)get_le(bytes + PARTITION, 2),
                        .is_idle = number_at(bytes, 5),
                        .incarnation = number_at(bytes, 1),
                        .boot = number_at(bytes, 2),
                        .version = number_at(bytes, 3),
                        .beliefs = number_at(bytes, 4)};
  return true;
}
