/* mlbf/filter/array.h: the bit arrays of a filter and the memory they share. Internal to mlbf/.
 *
 * All arrays of a filter follow each other in one body, each from the start of a cache line; a file holds
 * the body byte for byte:
 *
 *   body  | array 0, the deciding one | array 1 ... | array n |
 *           ^ words[0..]              ^ multiple of 64 bytes
 *
 * Bit b of an array is bit b % 64 of its word b / 64. */
#ifndef STRATA_MLBF_ARRAY_H
#define STRATA_MLBF_ARRAY_H

#include "mlbf/filter/hash.h"
#include "mlbf/plan.h"
#include "mlbf/filter/rate.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bodies are little-endian on disk and in memory; this machine would have to swap every word"
#endif

typedef struct mlbf_line_path mlbf_line_path; /* line.h: how a processor tests and sets keys */

typedef struct mlbf_array {
  uint64_t *words;
  uint64_t bits;
  uint64_t places;     /* CLASSIC: bits; LINE: lines; TWO_LINES: pages of */
  uint32_t page_lines; /* so many lines */
  uint32_t hashes;
  mlbf_layout layout;
  const mlbf_line_path *path; /* how keys are tested and set on this machine */
  bool is_mapped;             /* words are a file's: each page that is touched may be read from a disk */
} mlbf_array;

/* An array of this plan over `words`. */
mlbf_array mlbf_array_over(const mlbf_array_plan *plan, uint64_t *words, const mlbf_line_path *path);

/* Bytes of the body of this plan, and where its array `i` begins. */
uint64_t mlbf_body_bytes(const mlbf_plan *plan);
uint64_t mlbf_body_offset(const mlbf_plan *plan, uint32_t i);

/* Share of set bits: exact up to 4 Mbit, then of an even sample of that size (error below 0.001). A mapped
 * array's sample is some hundred runs of words. */
double mlbf_array_fill(const mlbf_array *array);

uint64_t mlbf_array_popcount(const mlbf_array *array);

/* Distinct keys in the array, from its fill. */
double mlbf_array_keys(const mlbf_array *array);

/* Brings a line near, to be written. The empty statement keeps gcc from taking functions that only prefetch for ones
 * without an effect, whose calls it drops. */
static inline void mlbf_fetch(const void *line)
{
  __builtin_prefetch(line, 1);
  __asm__ volatile("");
}

/* CLASSIC: k bits anywhere, each from one step of a generator started by the hash. */
bool mlbf_classic_test(const mlbf_array *array, mlbf_hash128 hash);
bool mlbf_classic_insert(mlbf_array *array, mlbf_hash128 hash); /* true: it was new */
/* Of its bits those from `first` on, `count` of the array's. */
void mlbf_classic_insert_within(mlbf_array *array, mlbf_hash128 hash, uint64_t first, uint64_t count);
void mlbf_classic_prefetch(const mlbf_array *array, mlbf_hash128 hash);

static inline bool mlbf_bit_test(const mlbf_array *array, uint64_t bit)
{
  return array->words[bit / 64] >> (bit % 64) & 1;
}

static inline bool mlbf_bit_set(mlbf_array *array, uint64_t bit) /* true: it was clear */
{
  uint64_t mask = UINT64_C(1) << (bit % 64), *word = &array->words[bit / 64];
  if (mlbf_bit_test(array, bit))
    return false;
  *word |= mask;
  return true;
}

#endif
