/* tests/support/second_reader.h: a frontier's directory as FORMAT.md describes it, read with the LMDB API alone. Shares
 * no line with frontier/, so that both must have understood the same bytes.
 *
 * Not while this process has the directory open: LMDB's locks belong to the process. */
#ifndef STRATA_TESTS_SECOND_READER_H
#define STRATA_TESTS_SECOND_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum second_table {
  SECOND_TEXT,
  SECOND_ENDED,
  SECOND_STATES,
  SECOND_AGAIN,
  SECOND_HOSTS,
  SECOND_HOST_CHANGES,
  SECOND_HASHES,
  SECOND_REVOKED,
  SECOND_VISITS,
  SECOND_DUE,
  SECOND_UNCONFIRMED,
  SECOND_META,
  SECOND_IDENTITY,
  SECOND_TABLES
} second_table;
extern const char *const second_table_names[SECOND_TABLES];

typedef struct second_record {
  second_table table;
  size_t key_size, value_size;
  uint8_t *key, *value; /* value with its checksum */
} second_record;

typedef struct second_url {
  unsigned found;           /* rows of `text` with this sequence: 1 unless damaged */
  unsigned state;           /* 0 it waits, 1 done, 2 failed, 3 skipped, 4 noted */
  bool is_again, has_again; /* it waits again, and has its row in `again` */
  bool was_trap;            /* as it ended */
  bool was_noted;           /* as it was accepted */
  unsigned code, depth, hops;
  unsigned outcome, layer; /* the verdict that let it in */
  unsigned class;          /* 0 normal, 1 high, 2 low, 3 trap: of one that ended, as it was when it was accepted */
  uint64_t via, host;
  char *text;              /* the fetch URL, NUL-terminated; NULL: damaged */
  const uint8_t *key_hash; /* of the caller's own key, 16 bytes; NULL */
  const uint8_t *payload;  /* NULL: none */
  size_t payload_size;
} second_url;

typedef struct second_host {
  const char *name;
  uint64_t queued[4]; /* by class */
  uint64_t done, failed, skipped, trap_ended;
  bool has_url;
} second_host;

typedef struct second_doubt {
  uint64_t row;
  const uint8_t *hash; /* of its key, 16 bytes */
  const char *text;    /* the fetch URL; no NUL follows */
  size_t text_size;
} second_doubt;

typedef struct second_view {
  second_record *records; /* of all tables, in their order */
  size_t record_count;
  uint64_t id; /* of the directory: seeds the checksums of rows */

  char identity_magic[17], profile[256];
  uint8_t secret[32];
  uint32_t version, filter;
  bool is_exact;
  double rate;
  uint64_t expected_urls;

  uint64_t progress[12]; /* next sequence, log keys, checkpoint keys, slot, done, failed, skipped, verdicts */
  double expected_lost;

  second_url *urls;  /* by sequence; urls[0] is unused */
  uint64_t url_room; /* sequences below this are in `urls` */
  second_host *hosts;
  size_t host_count;
  uint8_t **changed_hosts; /* records that stand in `host-changes` */
  size_t changed_count;
  uint64_t first_change, next_change; /* keys of `host-changes`, the second behind those read; 0: none was */
  uint64_t host_records;              /* of `hosts` alone */
  bool changes_agree;                 /* the last of them, with both tables */
  uint64_t noted, forced, known_before;
  uint64_t revoked, visits, dues;
  second_doubt *doubts; /* rows of `unconfirmed` */
  size_t doubt_count;
  uint64_t next_unconfirmed;      /* behind those; 0: there are none */
  uint64_t next_text, next_ended; /* behind the rows that were read */
  const uint8_t **log_hashes;     /* 16 bytes each, log_keys of them */
  uint64_t log_keys, log_segments;
  bool log_has_gap, checkpoint_is_at_chunk;

  bool has_journal;
  uint64_t journal_offset;
  const char *owed;
  size_t owed_size;
  const char *counters; /* the text */

  unsigned faults; /* each was printed to stderr, unless `is_quiet` */
  bool is_quiet;
} second_view;

/* Reads all, checks checksums, fields and what FORMAT.md says agrees with what; `faults` says how often it does not. */
void second_read(const char *directory, bool is_quiet, second_view *view);
void second_free(second_view *view);

/* The making of the environment was cut short: no table is there yet. */
bool second_is_unborn(const char *directory);

/* The meta record of that name, or NULL. */
const second_record *second_meta(const second_view *view, const char *name);

/* The first URL with this text, or NULL. */
const second_url *second_find(const second_view *view, const char *text);

#endif
