/* From features to filters, as sdhash 4.0 fills them.
 *
 * Stream: features with a score above 16, in order, into one filter until it has 160, then into the next. A feature
 * already in a larger filter of all features is not counted: otherwise repeated text would fill the filters.
 * Blocks: for each 16 KiB one filter with the features of the best scores, at most 192.
 *
 * Always: a filter has at most as many features as its kind allows, and the one that a stream fills has fewer. A digest
 * does not depend on the number of threads, which write to filters of their own, nor on the processor. Once made it
 * never changes.
 *
 * Called by `strata digest`, by a crawl with --digests, and by the sdhash experiment (datasets/papers). Memory alone:
 * digest_text.c makes the line that goes to a file. */
#include "mlbf/similar/digest_inside.h"

#include "mlbf/filter/options_size.h"
#include "mlbf/similar/digest_features.h"
#include "mlbf/similar/digest_sha1.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  THRESHOLD = 16,                                 /* a stream's features score higher */
  CHUNK = 32 << 20,                               /* bytes of a stream at a time; neighbourhoods end there */
  KNOWN_BYTES = 16384,                            /* the filter of all features so far, */
  KNOWN_FEATURES = 8738,                          /* and how many it takes before it is cleared */
  LAST_FEATURES_MIN = DIGEST_STREAM_FEATURES / 8, /* a last filter of fewer is dropped: it would match by chance */
};

mlbf_digest *digest_make(bool is_blocks, uint64_t input_size, size_t filters)
{
  mlbf_digest *d = calloc(1, sizeof *d);
  if (!d)
    return NULL;
  d->is_blocks = is_blocks;
  d->input_size = input_size;
  d->filters = filters;
  d->features = calloc(filters, sizeof *d->features);
  d->bits = calloc(filters, MLBF_DIGEST_FILTER_BYTES);
  d->name = calloc(1, 1);
  if (d->features && d->bits && d->name)
    return d;
  mlbf_digest_free(d);
  return NULL;
}

void mlbf_digest_free(mlbf_digest *digest)
{
  if (!digest)
    return;
  free(digest->features);
  free(digest->bits);
  free(digest->name);
  free(digest);
}

/* Five bits by the five words of the hash, read as if they were little-endian. Was any of them clear? */
static bool set_bits(uint8_t *bits, size_t bytes, const digest_sha1 hash)
{
  bool was_new = false;
  for (int i = 0; i < DIGEST_HASHES; i++) {
    uint32_t bit = __builtin_bswap32(hash[i]) & (uint32_t)(8 * bytes - 1); /* `bytes` is a power of two */
    assert(bit < 8 * bytes);
    uint8_t mask = (uint8_t)(1 << (bit & 7));
    was_new |= !(bits[bit >> 3] & mask);
    bits[bit >> 3] |= mask;
  }
  return was_new;
}

/* Features come from a run of bytes (a chunk, a block) piece by piece: a piece's ranks and scores stay in the cache. */
enum { PIECE = MLBF_DIGEST_BLOCK };

/* What a digest is made by, chosen once: threads must not read the environment, which decides the path. */
typedef struct digest_method {
  mlbf_digest_ranks ranks; /* packed */
  const digest_sha1_path *sha1;
} digest_method;

typedef struct run {
  const digest_method *method;
  const uint8_t *bytes; /* of window 0 */
  size_t left;          /* windows from there on */
  size_t ready;         /* of them, those whose score is final */
  digest_scorer scorer;
  uint16_t ranks[PIECE + DIGEST_WINDOW];
  uint8_t scores[PIECE + DIGEST_WINDOW + 1];
} run;

/* Ranks of windows [first, PIECE + 64): 0 past the last window. */
static void rank_windows(run *r, size_t first)
{
  size_t end = PIECE + DIGEST_WINDOW, known = r->left < end ? r->left : end;
  assert(first <= end);
  if (first < known)
    digest_classes(r->bytes + first, known - first, r->method->ranks.rank, r->ranks + first);
  known = known > first ? known : first;
  memset(r->ranks + known, 0, (end - known) * sizeof *r->ranks);
}

static void score_piece(run *r)
{
  r->ready = r->left < PIECE ? r->left : PIECE;
  digest_score_windows(&r->scorer, r->ranks, r->ready, r->scores);
}

/* The first piece. The window that ends with the last byte counts as none, as in sdhash. */
static void run_begin(run *r, const digest_method *method, const uint8_t *bytes, size_t size)
{
  r->method = method;
  r->bytes = bytes;
  r->left = size > DIGEST_WINDOW ? size - DIGEST_WINDOW : 0;
  r->scorer = (digest_scorer){0};
  memset(r->scores, 0, sizeof r->scores);
  rank_windows(r, 0);
  score_piece(r);
}

/* The next piece; false if there is none. */
static bool run_next(run *r)
{
  if (r->left <= PIECE)
    return false;
  r->bytes += PIECE;
  r->left -= PIECE;
  memcpy(r->ranks, r->ranks + PIECE, DIGEST_WINDOW * sizeof *r->ranks);
  memcpy(r->scores, r->scores + PIECE, DIGEST_WINDOW + 1);
  memset(r->scores + DIGEST_WINDOW + 1, 0, PIECE);
  digest_scorer_shift(&r->scorer, PIECE);
  rank_windows(r, DIGEST_WINDOW);
  score_piece(r);
  return true;
}

/* Does one of eight scores reach `least`? They and the sum stay below 256, as 65 is the most. */
static inline bool reaches(const uint8_t *scores, uint8_t least)
{
  const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
  uint64_t eight;
  memcpy(&eight, scores, sizeof eight);
  return (eight + ones * (0x80u - least)) & tops;
}

/* The next windows of the piece from *at on that score at least `least`, and their hashes; how many. */
static int gather(const run *r, size_t *at, uint8_t least, size_t where[DIGEST_SHA1_MANY],
                  digest_sha1 hashes[DIGEST_SHA1_MANY])
{
  const uint8_t *messages[DIGEST_SHA1_MANY];
  int count = 0;
  while (*at < r->ready && count < DIGEST_SHA1_MANY) {
    if (*at + 8 <= r->ready && !reaches(r->scores + *at, least)) {
      *at += 8;
      continue;
    }
    if (r->scores[*at] >= least)
      where[count++] = *at;
    ++*at;
  }
  if (count == 0)
    return 0;
  for (int i = 0; i < DIGEST_SHA1_MANY; i++)
    messages[i] = r->bytes + where[i < count ? i : 0];
  r->method->sha1->hash(messages, hashes);
  return count;
}

/* ---- a stream ------------------------------------------------------------------------------------------- */

typedef struct stream {
  mlbf_digest *digest; /* its last filter is the one being filled */
  uint8_t known[KNOWN_BYTES];
  run run;
} stream;

static bool begin_filter(mlbf_digest *d)
{
  size_t count = d->filters + 1;
  if ((count & (count - 1)) == 0) { /* the room doubles at each power of two */
    uint16_t *features = realloc(d->features, 2 * count * sizeof *features);
    if (!features)
      return false;
    d->features = features;
    uint8_t *bits = realloc(d->bits, 2 * count * MLBF_DIGEST_FILTER_BYTES);
    if (!bits)
      return false;
    d->bits = bits;
  }
  memset(d->bits + d->filters * MLBF_DIGEST_FILTER_BYTES, 0, MLBF_DIGEST_FILTER_BYTES);
  d->features[d->filters++] = 0;
  assert(d->filters == count);
  return true;
}

/* The order matters: bits stay in the filter even when the feature turns out to be known and is not counted. */
static bool stream_add(stream *s, const digest_sha1 hash, unsigned *known_features)
{
  mlbf_digest *d = s->digest;
  assert(d->filters >= 1 && d->features[d->filters - 1] < DIGEST_STREAM_FEATURES && *known_features < KNOWN_FEATURES);
  size_t last = d->filters - 1;
  if (!set_bits(d->bits + last * MLBF_DIGEST_FILTER_BYTES, MLBF_DIGEST_FILTER_BYTES, hash) ||
      !set_bits(s->known, KNOWN_BYTES, hash))
    return true;
  if (++*known_features == KNOWN_FEATURES) {
    memset(s->known, 0, sizeof s->known);
    *known_features = 0;
  }
  return ++d->features[last] < DIGEST_STREAM_FEATURES || begin_filter(d);
}

static bool stream_add_piece(stream *s, unsigned *known_features)
{
  size_t where[DIGEST_SHA1_MANY], at = 0;
  digest_sha1 hashes[DIGEST_SHA1_MANY];
  for (int count; (count = gather(&s->run, &at, THRESHOLD + 1, where, hashes)) > 0;)
    for (int i = 0; i < count; i++)
      if (!stream_add(s, hashes[i], known_features))
        return false;
  return true;
}

static bool stream_add_chunk(stream *s, const digest_method *method, const uint8_t *bytes, size_t size)
{
  unsigned known_features = 0; /* of this chunk, though the filter of them goes on: so in sdhash */
  run_begin(&s->run, method, bytes, size);
  do {
    if (!stream_add_piece(s, &known_features))
      return false;
  } while (run_next(&s->run));
  return true;
}

static mlbf_status fill_stream(mlbf_digest *d, const digest_method *method, const uint8_t *bytes, size_t size)
{
  stream *s = calloc(1, sizeof *s);
  bool is_done = s != NULL;
  for (size_t at = 0; is_done && at < size; at += CHUNK) {
    s->digest = d;
    is_done = stream_add_chunk(s, method, bytes + at, size - at < CHUNK ? size - at : CHUNK);
  }
  if (d->filters > 1 && d->features[d->filters - 1] < LAST_FEATURES_MIN)
    d->filters--;
  free(s);
  return is_done ? MLBF_OK : MLBF_NO_MEMORY;
}

/* ---- blocks --------------------------------------------------------------------------------------------- */

/* The least score from which on all windows fit, and how many of one less still do. */
static uint8_t least_score(const run *r, unsigned *still_fit)
{
  unsigned windows[DIGEST_SCORE_MAX + 1] = {0}, sum = 0;
  uint8_t least = DIGEST_SCORE_MAX + 1;
  for (size_t i = 0; i < r->ready; i++)
    windows[r->scores[i]]++;
  while (least > THRESHOLD && sum + windows[least - 1] <= DIGEST_BLOCK_FEATURES)
    sum += windows[--least];
  assert(sum <= DIGEST_BLOCK_FEATURES);
  *still_fit = DIGEST_BLOCK_FEATURES - sum;
  return least;
}

/* Windows of a score below `least`, which is `least` - 1, only as long as `still_fit`. */
static void fill_block(const run *r, uint8_t least, unsigned still_fit, uint8_t *bits, uint16_t *features)
{
  size_t where[DIGEST_SHA1_MANY], at = 0;
  digest_sha1 hashes[DIGEST_SHA1_MANY];
  for (int count; (count = gather(r, &at, least - 1, where, hashes)) > 0;)
    for (int i = 0; i < count && *features < DIGEST_BLOCK_FEATURES; i++) {
      bool is_extra = r->scores[where[i]] < least;
      if ((is_extra && still_fit == 0) || !set_bits(bits, MLBF_DIGEST_FILTER_BYTES, hashes[i]))
        continue;
      ++*features;
      assert(*features <= DIGEST_BLOCK_FEATURES && (!is_extra || still_fit));
      still_fit -= is_extra;
    }
}

/* One thread's share: every step-th block from the first on. */
typedef struct share {
  mlbf_digest *digest;
  const digest_method *method;
  const uint8_t *bytes;
  size_t first, step;
  bool has_failed;
} share;

static void *fill_share(void *context)
{
  share *w = context;
  mlbf_digest *d = w->digest;
  run *r = malloc(sizeof *r);
  w->has_failed = !r;
  for (size_t i = w->first; r && i < d->filters; i += w->step) {
    uint64_t begin = (uint64_t)i * MLBF_DIGEST_BLOCK, left = d->input_size - begin;
    bool is_whole = left >= MLBF_DIGEST_BLOCK;
    unsigned still_fit = DIGEST_BLOCK_FEATURES; /* a last, shorter block takes what scores as in a stream, and 16 too */
    run_begin(r, w->method, w->bytes + begin, is_whole ? MLBF_DIGEST_BLOCK : (size_t)left);
    uint8_t least = is_whole ? least_score(r, &still_fit) : THRESHOLD + 1;
    fill_block(r, least, still_fit, d->bits + i * MLBF_DIGEST_FILTER_BYTES, &d->features[i]);
  }
  free(r);
  return NULL;
}

enum { THREADS_MAX = 64 };

/* A thread that cannot be had is no failure: its share is done by the caller. */
static mlbf_status fill_blocks(mlbf_digest *d, const digest_method *method, const uint8_t *bytes, unsigned threads)
{
  share shares[THREADS_MAX];
  pthread_t ids[THREADS_MAX];
  bool is_running[THREADS_MAX] = {false}, has_failed = false;
  size_t count = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
  for (size_t i = 0; i < count; i++)
    shares[i] = (share){d, method, bytes, i, count, false};
  for (size_t i = 1; i < count; i++)
    is_running[i] = pthread_create(&ids[i], NULL, fill_share, &shares[i]) == 0;
  for (size_t i = 0; i < count; i++)
    if (!is_running[i])
      fill_share(&shares[i]);
  for (size_t i = 0; i < count; i++) {
    if (is_running[i])
      pthread_join(ids[i], NULL);
    has_failed |= shares[i].has_failed;
  }
  return has_failed ? MLBF_NO_MEMORY : MLBF_OK;
}

/* ---- either --------------------------------------------------------------------------------------------- */

mlbf_status mlbf_digest_create(const mlbf_digest_options *given, const void *bytes, size_t size, mlbf_digest **digest)
{
  mlbf_digest_options known = MLBF_DIGEST_OPTIONS_DEFAULT;
  const mlbf_digest_options *options = &known;
  if (given && !mlbf_sized_read(&known, sizeof known, given))
    return MLBF_BAD_ARGUMENT;
  if (size < MLBF_DIGEST_SIZE_MIN)
    return MLBF_BAD_ARGUMENT;
  digest_method method = {.sha1 = digest_sha1_path_best()};
  digest_ranks_pack(options->ranks ? options->ranks : digest_ranks_default(), &method.ranks);
  size_t blocks = size / MLBF_DIGEST_BLOCK + (size % MLBF_DIGEST_BLOCK >= MLBF_DIGEST_SIZE_MIN);
  mlbf_digest *d = digest_make(options->blocks, size, options->blocks ? blocks : 1);
  if (!d)
    return MLBF_NO_MEMORY;
  mlbf_status status = options->blocks ? fill_blocks(d, &method, bytes, options->threads)
                                       : fill_stream(d, &method, bytes, size);
  if (status != MLBF_OK)
    mlbf_digest_free(d);
  else
    *digest = d;
  return status;
}

size_t mlbf_digest_filters(const mlbf_digest *digest)
{
  return digest->filters;
}

uint64_t mlbf_digest_features(const mlbf_digest *digest)
{
  uint64_t sum = 0;
  for (size_t i = 0; i < digest->filters; i++)
    sum += digest->features[i];
  return sum;
}

const char *mlbf_digest_name(const mlbf_digest *digest)
{
  return digest->name;
}
