/* Bytes on disk: little-endian numbers at fixed offsets, and a checksum in front of every value, since
 * LMDB 0.9 has none. FORMAT.md lists the offsets. */
#ifndef STRATA_FRONTIER_RECORD_H
#define STRATA_FRONTIER_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

static inline void put_le(uint8_t *at, uint64_t value, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++)
    at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t get_le(const uint8_t *at, size_t bytes)
{
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; i++)
    value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static inline uint64_t double_bits(double value)
{
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double double_of(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* A value is its checksum (4 bytes: low half of XXH3_64, seeded with the key so that a value under a wrong
 * key is noticed too) and a body. */
enum { RECORD_HEAD = 4 };

static inline uint32_t record_checksum(uint64_t key, const uint8_t *value, size_t size)
{
  return (uint32_t)XXH3_64bits_withSeed(value + RECORD_HEAD, size - RECORD_HEAD, key);
}

static inline void record_seal(uint64_t key, uint8_t *value, size_t size)
{
  put_le(value, record_checksum(key, value, size), RECORD_HEAD);
}

static inline bool record_is_whole(uint64_t key, const uint8_t *value, size_t size)
{
  return size >= RECORD_HEAD && get_le(value, RECORD_HEAD) == record_checksum(key, value, size);
}

#endif
