/* mlbf/file/block_file.h: the one file of all structures that lie in memory as one body: filters, windows, counters,
 * key sets, rows and tables of a corpus. Internal to mlbf/; FORMAT.md has every byte.
 *
 *   kind, secret, profile, numbers ---+
 *   body, in memory or in parts ----+-+--> | header, 4096 | body | a checksum for each MiB of the body |
 *                                                 |  ^ covers the checksums                 ^
 *                                                 |  +--------------------------------------+
 *                                                 + ends with its own checksum
 *
 * Each kind gives the numbers their meaning. A header is not trusted: an attacker's may have a correct checksum, so a
 * file is accepted only after its kind has checked the numbers and computed the body's size from them.
 *
 * Written: whole, to a file that is replaced or to a callback; or block by block, the header last (block_writer).
 * Read: whole, from a file or a callback, every checksum compared; or mapped, and compared when the caller asks. */
#ifndef STRATA_MLBF_BLOCK_FILE_H
#define STRATA_MLBF_BLOCK_FILE_H

#include <limits.h>
#include <string.h>

#include "mlbf/hash/keying.h"
#include "mlbf/stream.h"

enum {
  MLBF_HEADER_BYTES = 4096,
  MLBF_BLOCK_BYTES = 1 << 20, /* the last may be shorter */
  MLBF_NUMBERS = 64,
  MLBF_PROFILE_SIZE = 256, /* with its NUL */
};

/* Numbers in files. */
typedef enum mlbf_structure {
  MLBF_FILE_FILTER = 1,  /* filter_file.c */
  MLBF_FILE_WINDOW = 2,  /* window.c */
  MLBF_FILE_COUNT = 3,   /* count_file.c */
  MLBF_FILE_KEY_SET = 5, /* key_set.c */
  MLBF_FILE_ROWS = 6,    /* corpus_volume.c */
  MLBF_FILE_NEAR = 7,    /* near_table.c */
} mlbf_structure;

/* What is given back: the body, or the whole file mapped around it. */
typedef struct mlbf_memory {
  void *begin;
  uint64_t bytes;
} mlbf_memory;

typedef struct mlbf_block_file {
  mlbf_structure kind;
  mlbf_keying keying;
  uint64_t numbers[MLBF_NUMBERS];
  char profile[MLBF_PROFILE_SIZE];
  unsigned char *body;
  uint64_t body_bytes;
  mlbf_memory memory;
  uint64_t *checksums; /* mapped, and not all blocks are known to be sound; else NULL */
  uint64_t verified;   /* of those, the first so many are */
} mlbf_block_file;

uint64_t mlbf_block_count(uint64_t body_bytes);
uint64_t mlbf_block_checksum(const void *body, uint64_t body_bytes, uint64_t block);

/* A cleared body of `body_bytes`. MLBF_BAD_ARGUMENT: none, more than 2^48, or a profile too long; MLBF_NO_MEMORY. */
mlbf_status mlbf_block_file_make(mlbf_structure kind, const mlbf_keying *keying, const char *profile,
                                 uint64_t body_bytes, mlbf_block_file *file);
void mlbf_block_file_drop(mlbf_block_file *file); /* fine if it was never made, then all zero */

/* ---- writing ---- */

/* The numbers and, as its body, the parts one behind the other; as mlbf_save. `directory` as of openat(). MLBF_DAMAGED:
 * a mapped body is, and a new checksum must not be put over old damage. */
mlbf_status mlbf_block_file_save(int directory, const char *path, const mlbf_block_file *file, const mlbf_span *parts,
                                 size_t count);

/* The same into a callback. Its memory is a checksum for each MiB. MLBF_IO: the callback failed. */
mlbf_status mlbf_block_file_write(mlbf_write *write, void *context, const mlbf_block_file *file, const mlbf_span *parts,
                                  size_t count);

/* A file that grows block by block. */
typedef struct mlbf_block_writer {
  int file; /* -1: none */
  bool is_done;
  uint64_t block, blocks;
  uint64_t *checksums;
  char path[PATH_MAX], temporary[PATH_MAX];
} mlbf_block_writer;

/* Into `path`.tmp, renamed at the end. The writer is all zero or fresh; end it whatever happens. */
mlbf_status mlbf_block_writer_begin(mlbf_block_writer *writer, const char *path, unsigned mode, uint64_t body_bytes);
bool mlbf_block_writer_put(mlbf_block_writer *writer, const void *block, uint64_t bytes);
/* All blocks are there: checksums, header, and the file is in place. */
mlbf_status mlbf_block_writer_finish(mlbf_block_writer *writer, const mlbf_block_file *file);
void mlbf_block_writer_end(mlbf_block_writer *writer); /* removes the temporary file if it is not done */

/* ---- reading ---- */

/* How long the body of these numbers is; 0: no such structure can be. MLBF_BODY_OF_ANOTHER: one can, but not here. */
#define MLBF_BODY_OF_ANOTHER UINT64_MAX
typedef uint64_t mlbf_body_sizer(const mlbf_block_file *file);

/* MLBF_IO, MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED, MLBF_SECRET, MLBF_NO_MEMORY; MLBF_MISMATCH: it has another
 * structure; who wants a filter gets MLBF_NOT_A_FILTER for it. A mapped body is as it is until it is verified. */
mlbf_status mlbf_block_file_load(const char *path, mlbf_structure kind, const uint8_t *secret, mlbf_body_sizer *sizer,
                                 mlbf_block_file *file);
mlbf_status mlbf_block_file_map(const char *path, mlbf_structure kind, const uint8_t *secret, mlbf_body_sizer *sizer,
                                mlbf_block_file *file);
/* Of an open file, which stays open. */
mlbf_status mlbf_block_file_map_open(int file_number, mlbf_structure kind, const uint8_t *secret,
                                     mlbf_body_sizer *sizer, mlbf_block_file *file);

/* From a callback, as many bytes as the file has; several files may follow each other. `bytes_left`, which is lowered,
 * is what can still come, UINT64_MAX if nobody knows: a body beyond it is refused before there is memory for it. */
mlbf_status mlbf_block_file_read(mlbf_read *read, void *context, uint64_t *bytes_left, mlbf_structure kind,
                                 const uint8_t *secret, mlbf_body_sizer *sizer, mlbf_block_file *file);

/* Reads an open file from its beginning; the context is a pointer to its number. */
int64_t mlbf_read_file(void *context, void *bytes, uint64_t size);

/* As mlbf_verify_some. */
mlbf_status mlbf_block_file_verify_some(mlbf_block_file *file, uint64_t bytes, bool *is_done);
mlbf_status mlbf_block_file_verify(mlbf_block_file *file);

/* Is this block as it was written? Of a body that is not mapped it is. */
bool mlbf_block_file_is_sound(const mlbf_block_file *file, uint64_t block);
bool mlbf_block_file_is_all_sound(const mlbf_block_file *file);

/* Of a mapped one: the system begins to read this block, if there is one. */
void mlbf_block_file_read_ahead(const mlbf_block_file *file, uint64_t block);

/* A rate among the numbers. */
static inline double mlbf_number_double(uint64_t number)
{
  double value;
  memcpy(&value, &number, sizeof value);
  return value;
}

static inline uint64_t mlbf_double_number(double value)
{
  uint64_t number;
  memcpy(&number, &value, sizeof number);
  return number;
}

#endif
