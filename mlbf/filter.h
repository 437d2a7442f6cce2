/* mlbf/filter.h: what every URL-seen filter of this library can do.
 *
 * A filter answers "was this key inserted before?" from a few bits per key. A key is a list of segments, spans of
 * bytes; the filter knows nothing of URLs. There is one way in: n keys, n verdicts, and one key is n = 1.
 *
 *     keys --------------------------------mlbf_test---------> verdicts      (changes nothing)
 *                                          mlbf_insert-------> verdicts      (tests and sets in one pass)
 *     keys --mlbf_hash--> hashes --mlbf_test_hashes,
 *                                  mlbf_insert_hashes--------> verdicts      (for who keeps a log of hashes)
 *
 * Every NEW_* outcome is certain: that key was not inserted before. SEEN is wrong with probability
 * at most mlbf_rate(filter). There are no false negatives.
 *
 * Kinds
 *   bloom        classic Bloom filter (1970), k exact; the reference.
 *   line         the bits of a key in one or two cache lines (Putze, Sanders, Singler, "Cache-, Hash- and
 *                Space-Efficient Bloom Filters", 2007); the fast one.
 *   mlbf         layers and an integrity layer, after Cen, Xu, Sun, "A Multi-Layer Bloom Filter for
 *                Duplicated URL Detection", made sound.
 *
 * Memory: calls that take keys or hashes take less than 5 kB of stack. Hashing may read up to 15 bytes behind a span,
 * within its page.
 *
 * Threads: one filter may be used by one writer at a time; any number of readers (mlbf_test and the
 * counters) may run while no thread writes. For several writers make a filter for each thread, and divide the keys by
 * their hash. */
#ifndef STRATA_MLBF_FILTER_H
#define STRATA_MLBF_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a secret; secret.h. */
enum { MLBF_SECRET_BYTES = 32 };

/* One layer per segment, up to this many; the last layer takes all further segments of a longer key. */
enum { MLBF_LAYERS_MAX = 16 };

/* The ABI number of these headers, and that of the running library. It is raised, together with the name of the shared
 * library, when anything existing changes its meaning or its layout. Within one number, functions and enumerators may
 * be added, and fields at the end of structs that begin with their `size`; no other struct changes. */
enum { MLBF_ABI = 1 };
int mlbf_abi(void); /* the library's */

typedef enum mlbf_status {
  MLBF_OK = 0,
  MLBF_FULL,         /* done, and the design load is now exceeded; returned once per filter */
  MLBF_BAD_ARGUMENT, /* zero keys, a rate outside (0,1), more than 2^48 bits, ... */
  MLBF_NO_MEMORY,
  MLBF_IO,           /* errno says which; the old file, if any, is untouched; or no random bytes for a secret */
  MLBF_NOT_A_FILTER, /* the file is something else */
  MLBF_VERSION,      /* the file's format is newer (or older) than this library reads */
  MLBF_DAMAGED,      /* checksum or size does not agree with the header */
  MLBF_MISMATCH,     /* two filters of different geometry, secret or profile */
  MLBF_SECRET,       /* the file needs its secret, and another or none was given */
} mlbf_status;

/* One English sentence without a full stop, never NULL. */
const char *mlbf_status_text(mlbf_status status);

typedef enum mlbf_kind {
  MLBF_KIND_BLOOM = 1,
  MLBF_KIND_MLBF = 2,
  MLBF_KIND_LINE = 5,
} mlbf_kind;

const char *mlbf_kind_name(mlbf_kind kind);                  /* "bloom", "mlbf", ...; NULL if unknown */
bool mlbf_kind_from_name(const char *name, mlbf_kind *kind); /* false, and *kind untouched, if there is no such name */

typedef struct mlbf_span {
  const void *bytes;
  size_t size;
} mlbf_span;

typedef struct mlbf_key { /* for the calls that take many */
  const mlbf_span *segments;
  size_t count; /* >= 1 */
} mlbf_key;

/* 128 bits, keyed with the filter's secret. `low` and `high` are independent. */
typedef struct mlbf_hash128 {
  uint64_t low, high;
} mlbf_hash128;

/* All that a filter needs of n keys, in arrays of the caller's: mlbf_hash fills them. It depends on the secret, not on
 * the filter's size, so the hashes in a log can rebuild a larger filter. */
typedef struct mlbf_hashes {
  mlbf_hash128 *keys;     /* n: from the XOR of the segments' hashes, and their number; without layers: of the bytes.
                           * NULL: there are only segments, of keys that a log has forgotten; to insert */
  uint32_t *ends;         /* n: the segments of key i, up to MLBF_LAYERS_MAX, are from ends[i - 1], or 0, to ends[i];
                           * NULL: none has any, and a verdict is from the key's own hash alone */
  mlbf_hash128 *segments; /* salted by their layers */
  uint8_t *layers;        /* of a segment, 1-based */
} mlbf_hashes;

typedef enum mlbf_outcome {
  MLBF_SEEN = 0,
  MLBF_NEW,             /* from kinds without layers: the key is new */
  MLBF_NEW_SEGMENT,     /* the segment of layer `layer` (1-based) was never inserted at that depth */
  MLBF_NEW_COMBINATION, /* every segment may be known at its depth; the whole is new */
} mlbf_outcome;

typedef struct mlbf_verdict {
  mlbf_outcome outcome;
  uint16_t layer;   /* of NEW_SEGMENT: the deciding layer, the first that is unknown, 1-based; else 0 */
  uint16_t unknown; /* bit l - 1: the segment of layer l was never inserted at that depth, which is certain */
} mlbf_verdict;

/* Begin with MLBF_OPTIONS_DEFAULT, and set what shall differ. Fields that a `size` of an earlier release does not reach
 * are zero; MLBF_BAD_ARGUMENT if one of a later release sets a field that this library does not have. */
typedef struct mlbf_options {
  size_t size; /* of this struct in the caller's build */
  mlbf_kind kind;
  uint64_t keys;         /* design load, > 0 */
  double rate;           /* promised false-positive rate at that load, in (0,1); or 0, and `bits` given */
  const uint8_t *secret; /* MLBF_SECRET_BYTES (secret.h), copied; NULL: from `seed`, or drawn */
  uint64_t seed;         /* without a secret: one that everybody can derive, for results that others repeat; 0: draw a
                          * secret from the system */
  bool signals;          /* mlbf: layers get enough bits to make NEW_COMBINATION reliable */
  const char *profile;   /* how the caller made its keys; kept in files, compared when merging; "" or NULL */
  /* 0 = computed from keys and rate; plan.h says more. */
  uint64_t bits;   /* line, mlbf: of all arrays together. bloom: m */
  uint32_t hashes; /* k; bloom only, up to 32 */
} mlbf_options;

/* An initializer, in C and in C++: kind mlbf, a million keys at a rate of 1e-6; all else is zero. */
#define MLBF_OPTIONS_DEFAULT                                                        \
  {                                                                                 \
    sizeof(mlbf_options), MLBF_KIND_MLBF, 1000000, 1e-6, NULL, 0, false, NULL, 0, 0 \
  }
mlbf_options mlbf_options_default(void); /* the same, for other languages and assignments */

typedef struct mlbf_filter mlbf_filter;

/* Allocates and clears. MLBF_BAD_ARGUMENT (mlbf_plan_make says why), MLBF_NO_MEMORY; `*filter` is set only on success.
 */
mlbf_status mlbf_create(const mlbf_options *options, mlbf_filter **filter);
void mlbf_free(mlbf_filter *filter); /* NULL is fine */

/* Hash `count` keys. Segments carry their own delimiters: for mlbf ("/a","/b") and ("/a/b") are different keys; kinds
 * without layers hash the bytes end to end, however they are cut. Reads the filter's secret and kind only: the hashes
 * fit any filter where these are equal. `segments` and `layers` have room for MLBF_LAYERS_MAX of each key. */
void mlbf_hash(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_hashes *hashes);

/* The verdicts that inserting would give, were the others not inserted. Changes nothing. */
void mlbf_test(const mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts);
void mlbf_test_hashes(const mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts);

/* Test and set, in order: a key twice in one call is first new, then seen. Memory of some keys is fetched while others
 * are hashed, so that many in one call take a fraction of the time of as many calls. `verdicts` may be NULL. MLBF_FULL:
 * one of them exceeded the design load; all are done. MLBF_DAMAGED: a mapped file is; nothing is done. */
mlbf_status mlbf_insert(mlbf_filter *filter, const mlbf_key *keys, size_t count, mlbf_verdict *verdicts);

/* The same from hashes, of this call or of a log. Repetitions and the order do not matter to a rebuild. To keep NEW_*
 * certain in a filter of *any* size built from a log, the log must hold each inserted key's hash, and the hashes of all
 * its segments that mlbf_hash gives, except those whose 128 bits the log already holds for that layer: a
 * key's segments may be incomplete here. To leave out those that the *filter* knows would be wrong: it may know one
 * wrongly, and a larger filter built from the log would then lack it and call an old key NEW. mlbf/recent.h is a small
 * exact cache of segments that a log holds. */
mlbf_status mlbf_insert_hashes(mlbf_filter *filter, const mlbf_hashes *hashes, size_t count, mlbf_verdict *verdicts);

typedef struct mlbf_promise {
  mlbf_kind kind;
  uint64_t keys;       /* design load */
  double rate;         /* promised at that load */
  uint64_t bits;       /* all arrays together */
  const char *profile; /* as in its options, or ""; valid until mlbf_free */
} mlbf_promise;

/* What the filter was made for, without a look at its bits. */
mlbf_promise mlbf_promise_of(const mlbf_filter *filter);

/* What the filter is and how full it is. */
typedef struct mlbf_stats {
  mlbf_kind kind;
  uint64_t bits; /* all arrays together */
  uint64_t memory_bytes;
  uint64_t design_keys;
  uint64_t keys;         /* insertions that were new */
  double estimated_keys; /* distinct keys, from fill, including those wrongly SEEN */
  double promised_rate;
  double fill;                            /* share of set bits in the deciding array, 0..1 */
  uint32_t hashes;                        /* k of the deciding array */
  uint32_t layers;                        /* how many have bits, the first ones; by kind and `signals` alone */
  double layer_distinct[MLBF_LAYERS_MAX]; /* distinct segments, estimated from fill; 0 if the layer has no bits */
  uint64_t reserved[8];                   /* zeros: room for later releases, as frontier_stats has this struct inside */
} mlbf_stats;

void mlbf_stats_read(const mlbf_filter *filter, mlbf_stats *stats); /* counts bits: some 100 us */
/* `stats`, read from this filter before, brought up to date without looking at bits: what is counted is exact, what is
 * estimated from fill is what is expected after so many more keys. */
void mlbf_stats_follow(const mlbf_filter *filter, mlbf_stats *stats);
double mlbf_rate(const mlbf_filter *filter); /* false-positive probability of SEEN now, from fill; some 100 us */
double mlbf_rate_at(const mlbf_filter *filter, double keys); /* the same at this many keys, calculated */

/* Save: to a temporary file, fsync, rename, fsync of the directory. A crash leaves the old file or the
 * new one, whole. FORMAT.md has every byte. */
mlbf_status mlbf_save(const mlbf_filter *filter, const char *path);

/* Load checks everything first: header, sizes, checksums of all blocks. A file has the filter's secret (and only its
 * owner may read it) if mlbf_create drew it, the seed if it came from that; a secret that was given must be given
 * again; else `secret` may be NULL. Given one that the file does not need, it must be the same.
 * MLBF_IO, MLBF_NOT_A_FILTER, MLBF_VERSION, MLBF_DAMAGED, MLBF_SECRET, MLBF_NO_MEMORY; MLBF_MISMATCH: a chain's. */
mlbf_status mlbf_load(const char *path, const uint8_t *secret, mlbf_filter **filter);

/* As mlbf_load, but maps the file without reading its body: under a millisecond for any size. Checks the header now.
 * The body is as it is until mlbf_verify has checked it: keys that lie in a damaged block may be called new, or others
 * seen. Insertions stay in memory (copy on write), the file is not changed. Truncating the file while it is mapped
 * raises SIGBUS, so replace it by rename, as mlbf_save does. */
mlbf_status mlbf_map(const char *path, const uint8_t *secret, mlbf_filter **filter);

/* Checks about `bytes` more of a mapped filter (at least a block of 1 MiB; UINT64_MAX: all), in the file's order;
 * before keys are inserted, as it compares with the file's checksums. `*is_done` (NULL: not asked): all is checked, and
 * sound, as a filter is that is not mapped. MLBF_DAMAGED. */
mlbf_status mlbf_verify(mlbf_filter *filter, uint64_t bytes, bool *is_done);

/* Merges `from` into `into`, which then has the keys of both. Geometry, secret and profile must be equal, else
 * MLBF_MISMATCH, and nothing is changed. Counts become estimates from fill. MLBF_FULL as mlbf_insert. */
mlbf_status mlbf_union(mlbf_filter *into, const mlbf_filter *from);

#ifdef __cplusplus
}
#endif
#endif
