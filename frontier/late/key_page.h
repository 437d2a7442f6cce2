/* A page of a file of keys, as key_writer.c makes it and key_file.c reads it: FORMAT.md, "Files of keys". Keys lie
 * there as in memory: low half, high half, and the number of a row where they are in doubt, each little-endian. */
#ifndef STRATA_FRONTIER_KEY_PAGE_H
#define STRATA_FRONTIER_KEY_PAGE_H

#include "frontier/base/record.h"
#include "frontier/late/key_file.h"

enum { KEY_PAGE = 4096, KEY_PAGE_HEAD = 16, KEY_FILE_VERSION = 1, KEY_WRITER_PAGES = 32 };

typedef struct key_page {
  uint64_t checksum, count;
  union {
    mlbf_hash128 keys[(KEY_PAGE - KEY_PAGE_HEAD) / sizeof(mlbf_hash128)];
    numbered_key numbered[(KEY_PAGE - KEY_PAGE_HEAD) / sizeof(numbered_key)];
  };
} key_page;
_Static_assert(sizeof(key_page) == KEY_PAGE, "no padding");

/* Page 0. */
typedef struct key_file_head {
  uint64_t checksum;
  char magic[16];
  uint32_t version, kind;
  uint64_t directory, number, count;
  uint8_t zeros[KEY_PAGE - 56];
} key_file_head;
_Static_assert(sizeof(key_file_head) == KEY_PAGE, "no padding");

static const char key_file_magic[16] = "STRATA keys";

static inline size_t keys_per_page(key_file_kind kind)
{
  return (KEY_PAGE - KEY_PAGE_HEAD) / (kind == KEY_FILE_RUN ? sizeof(mlbf_hash128) : sizeof(numbered_key));
}

/* A page that lies elsewhere, or in another directory's file, is damaged too. */
static inline uint64_t key_page_checksum(const void *page, uint64_t directory, uint64_t file, uint64_t number)
{
  uint64_t place[2] = {file, number};
  uint64_t seed = XXH3_64bits_withSeed(place, sizeof place, directory);
  return XXH3_64bits_withSeed((const uint8_t *)page + 8, KEY_PAGE - 8, seed);
}

#endif
