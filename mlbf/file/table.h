/* mlbf/file/table.h: a body of memory with a name and some numbers, saved, loaded and mapped: what windows, counters
 * and generations have in common. Internal to mlbf/; FORMAT.md, "A table file", has every byte.
 *
 *   kind, secret, profile, numbers --+
 *   body, one or several parts ----+--> | header, 4096 | body | a checksum for each MiB |
 *
 * Each kind gives the numbers their meaning. A file is accepted only after its kind has checked them and computed the
 * body's size. */
#ifndef STRATA_MLBF_TABLE_H
#define STRATA_MLBF_TABLE_H

#include <string.h>

#include "mlbf/filter/inside.h"

typedef enum mlbf_table_kind {
  MLBF_TABLE_EPOCH = 2,   /* window.c */
  MLBF_TABLE_COUNT = 3,   /* count.c */
  MLBF_TABLE_KEY_SET = 5, /* key_set.c */
  MLBF_TABLE_ROWS = 6,    /* corpus_volume.c */
  MLBF_TABLE_NEAR = 7,    /* near_table.c */
} mlbf_table_kind;

enum { MLBF_TABLE_NUMBERS = 24 };

typedef struct mlbf_table {
  mlbf_table_kind kind;
  mlbf_keying keying;
  uint64_t numbers[MLBF_TABLE_NUMBERS];
  char profile[MLBF_PROFILE_SIZE];
  unsigned char *body;
  uint64_t body_bytes;
  mlbf_guard *guard; /* mapped, and not all blocks checked yet; else NULL */
  mlbf_memory memory;
} mlbf_table;

/* Cleared body of `body_bytes`. MLBF_BAD_ARGUMENT: none, more than 2^48, or a profile too long. */
mlbf_status mlbf_table_make(mlbf_table_kind kind, const mlbf_keying *keying, const char *profile, uint64_t body_bytes,
                            mlbf_table *table);
void mlbf_table_drop(mlbf_table *table); /* fine if it was never made, then all zero */

/* The numbers, and instead of table->body the parts, one behind the other; as mlbf_save. */
mlbf_status mlbf_table_save(const mlbf_table *table, const mlbf_span *parts, size_t count, const char *path);
mlbf_status mlbf_table_save_in(int directory, const mlbf_table *table, const mlbf_span *parts, size_t count,
                               const char *path); /* `directory` as of openat() */

/* How long the body of these numbers is; 0: no such structure can be. */
typedef uint64_t (*mlbf_table_sizer)(const mlbf_table *table);

/* As mlbf_load_with or, with `is_mapped`, mlbf_map_with. A table of another kind: MLBF_MISMATCH. */
mlbf_status mlbf_table_open(const char *path, mlbf_table_kind kind, const uint8_t *secret, bool is_mapped,
                            mlbf_table_sizer body_bytes, mlbf_table *table);

/* The same of an open file, which stays open. */
mlbf_status mlbf_table_read(int file, mlbf_table_kind kind, const uint8_t *secret, bool is_mapped,
                            mlbf_table_sizer body_bytes, mlbf_table *table);

/* As mlbf_verify. */
mlbf_status mlbf_table_verify(mlbf_table *table);

/* False: something of these bytes of the body is damaged. */
bool mlbf_table_touch(const mlbf_table *table, uint64_t begin, uint64_t size);

/* A rate among the numbers. */
static inline double mlbf_table_double(uint64_t number)
{
  double value;
  memcpy(&value, &number, sizeof value);
  return value;
}

static inline uint64_t mlbf_table_number(double value)
{
  uint64_t number;
  memcpy(&number, &value, sizeof number);
  return number;
}

#endif
