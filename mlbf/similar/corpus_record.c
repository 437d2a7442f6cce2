/* A document of a corpus as bytes. FORMAT.md, "A corpus". */
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "mlbf/similar/corpus_volume.h"

/* Byte for byte. */
typedef struct record_head {
  uint64_t checksum; /* of what follows, seeded by the record's offset, so that no other file's passes */
  uint32_t count, name_size;
  uint64_t text; /* not in version 1 */
} record_head;

_Static_assert(sizeof(record_head) == CORPUS_RECORD_HEAD, "the head has no padding");

static uint64_t head_bytes(uint32_t version)
{
  return version == 1 ? offsetof(record_head, text) : sizeof(record_head);
}

static uint64_t padded(uint64_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

static uint64_t checksum_of(const unsigned char *record, uint64_t bytes, uint64_t offset)
{
  return XXH3_64bits_withSeed(record + sizeof(uint64_t), bytes - sizeof(uint64_t), offset);
}

uint64_t corpus_record_bytes(uint32_t version, size_t name_size, size_t shingles)
{
  return head_bytes(version) + shingles * sizeof(uint64_t) + padded(name_size);
}

uint64_t corpus_record_claims(const unsigned char *at, uint64_t left, const corpus_volume *v)
{
  record_head head;
  if (left < sizeof head)
    return 0;
  memcpy(&head, at, sizeof head);
  bool can_be = head.count <= MLBF_CORPUS_SHINGLES_MAX && head.name_size <= MLBF_CORPUS_NAME_MAX;
  return can_be ? corpus_record_bytes(v->version, head.name_size, head.count) : 0;
}

bool corpus_record_read(const unsigned char *at, uint64_t left, const corpus_volume *v, uint64_t offset,
                        corpus_record *r)
{
  record_head head = {.text = 0};
  uint64_t head_size = head_bytes(v->version);
  if (left < head_size)
    return false;
  memcpy(&head, at, head_size);
  if (head.count == 0 || head.count > MLBF_CORPUS_SHINGLES_MAX || head.name_size == 0 ||
      head.name_size > MLBF_CORPUS_NAME_MAX)
    return false;
  uint64_t bytes = corpus_record_bytes(v->version, head.name_size, head.count);
  if (bytes > left || head.checksum != checksum_of(at, bytes, offset))
    return false;
  *r = (corpus_record){.shingles = (const void *)(at + head_size),
                       .count = head.count,
                       .text = head.text,
                       .bytes = bytes,
                       .name = {at + head_size + head.count * sizeof(uint64_t), head.name_size}};
  return true;
}

void corpus_record_write(unsigned char *to, const corpus_volume *v, uint64_t offset, mlbf_span name,
                         const mlbf_shingles *shingles, corpus_record *r)
{
  uint64_t head_size = head_bytes(v->version), shingle_bytes = shingles->count * sizeof *shingles->at;
  uint64_t bytes = corpus_record_bytes(v->version, name.size, shingles->count);
  record_head head = {.count = (uint32_t)shingles->count, .name_size = (uint32_t)name.size, .text = shingles->text};
  memset(to + bytes - 8, 0, 8);
  memcpy(to, &head, head_size);
  memcpy(to + head_size, shingles->at, shingle_bytes);
  memcpy(to + head_size + shingle_bytes, name.bytes, name.size);
  head.checksum = checksum_of(to, bytes, offset);
  memcpy(to, &head.checksum, sizeof head.checksum);
  *r = (corpus_record){.shingles = shingles->at,
                       .count = head.count,
                       .text = v->version == 1 ? 0 : head.text,
                       .name = name,
                       .bytes = bytes};
}

void corpus_name_marks(mlbf_span name, uint64_t marks[CORPUS_NAME_MARKS])
{
  XXH128_hash_t hash = XXH3_128bits(name.bytes, name.size);
  marks[0] = hash.low64;
  marks[1] = hash.high64;
}
