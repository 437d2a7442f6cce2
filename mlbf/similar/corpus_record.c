/* A document of a corpus as bytes. FORMAT.md, "A corpus". */
#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

#include "mlbf/similar/corpus_volume.h"

/* Byte for byte. */
typedef struct record_head {
  uint64_t checksum; /* of what follows, seeded by the record's offset, so that no other file's passes */
  uint32_t count, name_size;
  uint64_t text;              /* not in version 1 */
  uint32_t whole_count, zero; /* not in versions 1 and 2 */
} record_head;

_Static_assert(sizeof(record_head) == CORPUS_RECORD_HEAD, "the head has no padding");

static uint64_t head_bytes(uint32_t version)
{
  return version == 1   ? offsetof(record_head, text)
         : version == 2 ? offsetof(record_head, whole_count)
                        : sizeof(record_head);
}

static uint64_t padded(uint64_t bytes)
{
  return (bytes + 7) / 8 * 8;
}

static uint64_t checksum_of(const unsigned char *record, uint64_t bytes, uint64_t offset)
{
  return XXH3_64bits_withSeed(record + sizeof(uint64_t), bytes - sizeof(uint64_t), offset);
}

uint64_t corpus_record_bytes(uint32_t version, size_t name_size, size_t shingles, size_t whole)
{
  return head_bytes(version) + (shingles + (version < 3 ? 0 : whole)) * sizeof(uint64_t) + padded(name_size);
}

/* What the head at `at` says that its record has; 0: it is none. */
static uint64_t head_read(const unsigned char *at, uint64_t left, const corpus_volume *v, record_head *head)
{
  uint64_t size = head_bytes(v->version);
  *head = (record_head){.text = 0};
  if (left < size)
    return 0;
  memcpy(head, at, size);
  bool can_be = head->count && head->count <= MLBF_CORPUS_SHINGLES_MAX && head->name_size &&
                head->name_size <= MLBF_CORPUS_NAME_MAX && head->whole_count <= MLBF_SHINGLES_WHOLE && !head->zero;
  return can_be ? corpus_record_bytes(v->version, head->name_size, head->count, head->whole_count) : 0;
}

uint64_t corpus_record_claims(const unsigned char *at, uint64_t left, const corpus_volume *v)
{
  record_head head;
  return head_read(at, left, v, &head);
}

bool corpus_record_read(const unsigned char *at, uint64_t left, const corpus_volume *v, uint64_t offset,
                        corpus_record *r)
{
  record_head head;
  uint64_t bytes = head_read(at, left, v, &head);
  if (!bytes || bytes > left || head.checksum != checksum_of(at, bytes, offset))
    return false;
  const unsigned char *shingles = at + head_bytes(v->version), *whole = shingles + head.count * sizeof(uint64_t);
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
static unsigned char *put(unsigned char *to, const void *bytes, size_t size)
{
  if (size)
    memcpy(to, bytes, size);
  return to + size;
}

void corpus_record_write(unsigned char *to, const corpus_volume *v, uint64_t offset, mlbf_span name,
                         const mlbf_shingles *shingles, corpus_record *r)
{
  size_t whole = v->version < 3 || !shingles->whole ? 0 : shingles->whole_count;
  uint64_t bytes = corpus_record_bytes(v->version, name.size, shingles->count, whole);
  record_head head = {.count = (uint32_t)shingles->count,
                      .name_size = (uint32_t)name.size,
                      .text = shingles->text,
                      .whole_count = (uint32_t)whole};
  assert(whole <= MLBF_SHINGLES_WHOLE);
  memset(to + bytes - 8, 0, 8);
  unsigned char *at = put(to, &head, head_bytes(v->version));
  at = put(at, shingles->at, shingles->count * sizeof *shingles->at);
  at = put(at, shingles->whole, whole * sizeof *shingles->whole);
  put(at, name.bytes, name.size);
  head.checksum = checksum_of(to, bytes, offset);
  memcpy(to, &head.checksum, sizeof head.checksum);
  *r = (corpus_record){.shingles = shingles->at,
                       .count = head.count,
                       .whole = shingles->whole,
                       .whole_count = head.whole_count,
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
