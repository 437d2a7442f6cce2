/* A document of a corpus as bytes. FORMAT.md, "A corpus". */
#include <string.h>
#include <xxhash.h>

#include "mlbf/similar/corpus_volume.h"

/* Byte for byte. */
typedef struct record_head {
  uint64_t checksum; /* of what follows, seeded by the record's offset, so that no other file's passes */
  uint32_t count, name_size;
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

bool corpus_record_read(const unsigned char *at, uint64_t left, uint64_t offset, corpus_record *r)
{
  record_head head;
  if (left < sizeof head)
    return false;
  memcpy(&head, at, sizeof head);
  if (head.count == 0 || head.count > MLBF_CORPUS_SHINGLES_MAX || head.name_size == 0 ||
      head.name_size > MLBF_CORPUS_NAME_MAX)
    return false;
  uint64_t shingle_bytes = head.count * sizeof(uint64_t);
  uint64_t bytes = sizeof head + shingle_bytes + padded(head.name_size);
  if (bytes > left || head.checksum != checksum_of(at, bytes, offset))
    return false;
  *r = (corpus_record){.shingles = (const void *)(at + sizeof head),
                       .count = head.count,
                       .bytes = bytes,
                       .name = {at + sizeof head + shingle_bytes, head.name_size}};
  return true;
}

uint64_t corpus_record_write(unsigned char *to, uint64_t offset, mlbf_span name, const mlbf_shingles *shingles)
{
  uint64_t shingle_bytes = shingles->count * sizeof *shingles->at;
  uint64_t bytes = sizeof(record_head) + shingle_bytes + padded(name.size);
  record_head head = {.count = (uint32_t)shingles->count, .name_size = (uint32_t)name.size};
  memset(to + bytes - 8, 0, 8);
  memcpy(to, &head, sizeof head);
  memcpy(to + sizeof head, shingles->at, shingle_bytes);
  memcpy(to + sizeof head + shingle_bytes, name.bytes, name.size);
  head.checksum = checksum_of(to, bytes, offset);
  memcpy(to, &head, sizeof head);
  return bytes;
}

void corpus_name_marks(mlbf_span name, uint64_t marks[CORPUS_NAME_MARKS])
{
  XXH128_hash_t hash = XXH3_128bits(name.bytes, name.size);
  marks[0] = hash.low64;
  marks[1] = hash.high64;
}
