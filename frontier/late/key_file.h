/* A sorted file of keys: written once, in order, then only read. Two kinds: the keys of a part of the hash log (a run,
 * runs.h), and keys in doubt, each with the number of its row (doubts.h).
 *
 *     page 0        what the file is: magic, kind, directory, number, how many keys
 *     pages 1..     4096 bytes each: checksum, count, keys in order; all pages but the last are full
 *
 * Keys are hashes, and so spread evenly: the page of a key is guessed from its first bits, and is one or two pages off
 * at most, for nearly all keys. Each page is checked as it is read, with pread: a file that was cut or changed is
 * DAMAGED, and no signal. FORMAT.md, "Files of keys".
 *
 * Files are made as NAME.tmp, synced if they are runs, and renamed. Nothing here knows which files are valid: LMDB says
 * so. */
#ifndef STRATA_FRONTIER_KEY_FILE_H
#define STRATA_FRONTIER_KEY_FILE_H

#include "frontier/frontier.h"

#include <sys/types.h>

/* A key, and the number of its row where it is in doubt (else 0). Order: key.high, then key.low, then number. */
typedef struct numbered_key {
  mlbf_hash128 key;
  uint64_t number;
} numbered_key;

static inline int key_compare(mlbf_hash128 a, mlbf_hash128 b)
{
  if (a.high != b.high)
    return a.high < b.high ? -1 : 1;
  return a.low < b.low ? -1 : a.low > b.low;
}

/* In place, some 15 ns an item where keys are hashes, so spread evenly; any others take longer, but no more than
 * in proportion to their number. */
void keys_sort(mlbf_hash128 *keys, size_t count);
void numbered_keys_sort(numbered_key *keys, size_t count);

typedef enum key_file_kind { KEY_FILE_RUN = 'R', KEY_FILE_DOUBTS = 'D' } key_file_kind;

/* Where such files are, and what they belong to. Strings are the caller's. */
typedef struct key_place {
  const char *directory;
  uint64_t id; /* the directory's: seeds the checksums */
  mode_t mode; /* of new files */
} key_place;

enum { KEY_FILE_NAME = 32 };
/* "keys.NUMBER" or "doubts.NUMBER" */
void key_file_name(key_file_kind kind, uint64_t number, char name[KEY_FILE_NAME]);

/* ---- writing ----------------------------------------------------------------------------------------------- */

typedef struct key_writer key_writer;

/* Of exactly `count` keys, which follow in order. */
frontier_status key_writer_begin(const key_place *place, key_file_kind kind, uint64_t number, uint64_t count,
                                 key_writer **out, char message[FRONTIER_MESSAGE_SIZE]);
/* `numbers` NULL in a run. Equal keys may follow each other. */
frontier_status key_writer_add(key_writer *w, const mlbf_hash128 *keys, const uint64_t *numbers, size_t count,
                               char message[FRONTIER_MESSAGE_SIZE]);
/* Under its name, and on disk if it is a run; then the writer is gone. On failure it stays, for key_writer_end. */
frontier_status key_writer_finish(key_writer *w, char message[FRONTIER_MESSAGE_SIZE]);
void key_writer_end(key_writer *w); /* without a file; NULL is fine */

/* ---- reading ----------------------------------------------------------------------------------------------- */

typedef struct key_file key_file;

/* NOT_FOUND, DAMAGED (page 0, its length; a link, or a place of the disk that cannot be read), NO_MEMORY, IO. */
frontier_status key_file_open(const key_place *place, key_file_kind kind, uint64_t number, key_file **out,
                              char message[FRONTIER_MESSAGE_SIZE]);
void key_file_close(key_file *file); /* NULL is fine */
uint64_t key_file_count(const key_file *file);
uint64_t key_file_bytes(const key_file *file);
uint64_t key_file_number(const key_file *file);
void key_file_unlink(const key_place *place, key_file_kind kind, uint64_t number); /* fine if it is not there */
/* Unlinks all files of this kind but those with these numbers, also what a crash left of one that was being written. */
void key_files_sweep(const key_place *place, key_file_kind kind, const uint64_t *kept, size_t count);

/* A place in a file, with a piece of it in memory: `pages` of 4 KiB are read at once where reading goes on in order. */
typedef struct key_cursor key_cursor;

key_cursor *key_cursor_open(const key_file *file, size_t pages); /* at the first key; NULL: no memory */
void key_cursor_close(key_cursor *cursor);
/* To the first key that is not below `key`, from wherever it is. */
frontier_status key_cursor_seek(key_cursor *cursor, mlbf_hash128 key, char message[FRONTIER_MESSAGE_SIZE]);
/* What is there: *item NULL at the end. Valid until the cursor moves. */
frontier_status key_cursor_get(key_cursor *cursor, const numbered_key **item, char message[FRONTIER_MESSAGE_SIZE]);
void key_cursor_step(key_cursor *cursor); /* past what key_cursor_get gave */
/* In a run, for many at once: the keys from there on that are in memory; *count 0 at the end. */
frontier_status key_cursor_some(key_cursor *cursor, const mlbf_hash128 **keys, size_t *count,
                                char message[FRONTIER_MESSAGE_SIZE]);
void key_cursor_skip(key_cursor *cursor); /* past all that key_cursor_some gave */

#endif
