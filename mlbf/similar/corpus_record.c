/* A document of a corpus as bytes. FORMAT.md, "A corpus".
 *
 *     | checksum, counts, hash of the text | shingles | least of all shingles | name, zeros up to a multiple of 8 |
 *
 * Always: a record is read only if its numbers are possible, all of it is in the buffer and its checksum holds at this
 * offset of its file. What is written reads the same. Its shingles are pointed at, not copied: they live as long as the
 * buffer.
 *
 * Called by corpus.c, corpus_volume.c and corpus_near.c, which have the files. A record that a crash cut short has no
 * checksum that holds. */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "mlbf/similar/corpus_volume.h"

/* Byte for byte. */
typedef struct record_head {
  uint64_t checksum; /* of what follows, seeded by the record's offset, so that no other file's passes */
  uint32_t count, name_size;
  uint64_t text;
  uint32_t whole_count, zero;
} record_head;

_Static_assert(sizeof(record_head) == CORPUS_RECORD_HEAD, "the head has no padding");

static uint64_t padded(uint64_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

static uint64_t checksum_of(const unsigned char *record, uint64_t bytes, uint64_t offset)
{
  return XXH3_64bits_withSeed(record + sizeof(uint64_t), bytes - sizeof(uint64_t), offset);
}

uint64_t corpus_record_bytes(size_t name_size, size_t shingles, size_t whole)
{
  return sizeof(record_head) + (shingles + whole) * sizeof(uint64_t) + padded(name_size);
}

/* What the head at `at` says that its record has; 0: it is none. */
static uint64_t head_read(const unsigned char *at, uint64_t left, record_head *head)
{
  if (left < sizeof *head)
    return 0;
  memcpy(head, at, sizeof *head);
  bool can_be = head->count && head->count <= MLBF_CORPUS_SHINGLES_MAX && head->name_size &&
                head->name_size <= MLBF_CORPUS_NAME_MAX && head->whole_count <= MLBF_SHINGLES_WHOLE && !head->zero;
  return can_be ? corpus_record_bytes(head->name_size, head->count, head->whole_count) : 0;
}

uint64_t corpus_record_claims(const unsigned char *at, uint64_t left)
{
  record_head head;
  return head_read(at, left, &head);
}

bool corpus_record_read(const unsigned char *at, uint64_t left, uint64_t offset, corpus_record *r)
{
  record_head head;
  uint64_t bytes = head_read(at, left, &head);
  if (!bytes || bytes > left || head.checksum != checksum_of(at, bytes, offset))
    return false;
  assert(bytes <= CORPUS_RECORD_MAX && bytes % 8 == 0);
  const unsigned char *shingles = at + sizeof head, *whole = shingles + head.count * sizeof(uint64_t);
  *r = (corpus_record){.shingles = (const void *)shingles,
                       .count = head.count,
                       .whole = (const void *)whole,
                       .whole_count = head.whole_count,
                       .text = head.text,
                       .bytes = bytes,
                       .name = {whole + head.whole_count * sizeof(uint64_t), head.name_size}};
  return true;
}

/* Copies, and returns where it ends. */
static unsigned char *append(unsigned char *end, const void *bytes, size_t size)
{
  if (size)
    memcpy(end, bytes, size);
  return end + size;
}

void corpus_record_write(unsigned char *record, uint64_t offset, mlbf_span name, const mlbf_shingles *shingles,
                         corpus_record *r)
{
  size_t whole = shingles->whole ? shingles->whole_count : 0;
  uint64_t bytes = corpus_record_bytes(name.size, shingles->count, whole);
  record_head head = {.count = (uint32_t)shingles->count,
                      .name_size = (uint32_t)name.size,
                      .text = shingles->text,
                      .whole_count = (uint32_t)whole};
  assert(whole <= MLBF_SHINGLES_WHOLE && shingles->count <= MLBF_CORPUS_SHINGLES_MAX);
  assert(name.size > 0 && name.size <= MLBF_CORPUS_NAME_MAX);
  memset(record + bytes - 8, 0, 8);
  unsigned char *end = append(record, &head, sizeof head);
  end = append(end, shingles->at, shingles->count * sizeof *shingles->at);
  end = append(end, shingles->whole, whole * sizeof *shingles->whole);
  end = append(end, name.bytes, name.size);
  assert(end <= record + bytes && end + 8 > record + bytes);
  head.checksum = checksum_of(record, bytes, offset);
  memcpy(record, &head.checksum, sizeof head.checksum);
  *r = (corpus_record){.shingles = shingles->at,
                       .count = head.count,
                       .whole = shingles->whole,
                       .whole_count = head.whole_count,
                       .text = head.text,
                       .name = name,
                       .bytes = bytes};
}

void corpus_name_shingles(mlbf_span name, uint64_t shingles[CORPUS_NAME_SHINGLES])
{
  XXH128_hash_t hash = XXH3_128bits(name.bytes, name.size);
  shingles[0] = hash.low64;
  shingles[1] = hash.high64;
}
