/* Tables of ranks: from counts, from text, and the one built in.
 *
 * Always: a table is set as a whole or not at all. Only the order of its ranks matters: packed, they are 1 to at most
 * DIGEST_RANK_MAX, equal where they were equal, and 0 stays 0, which no feature has.
 *
 * Called by digest.c for each digest (pack), and by `strata digest` for --ranks and --make-ranks. Memory alone. */
#include "mlbf/similar/digest_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/similar/digest_features.h"

enum {
  CLASS_MIN = 100,    /* windows of lower entropy are headers, tables, padding: alike in files that are not */
  COUNT_PIECE = 65536 /* windows at a time */
};

void mlbf_digest_count(const void *bytes, size_t size, uint64_t counts[MLBF_ENTROPY_CLASSES])
{
  uint16_t classes[COUNT_PIECE], itself[MLBF_ENTROPY_CLASSES];
  const uint8_t *at = bytes;
  for (size_t i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    itself[i] = (uint16_t)i;
  while (size > DIGEST_WINDOW) {
    size_t windows = size - DIGEST_WINDOW < COUNT_PIECE ? size - DIGEST_WINDOW : COUNT_PIECE;
    digest_classes(at, windows, itself, classes);
    for (size_t i = 0; i < windows; i++) {
      assert(classes[i] < MLBF_ENTROPY_CLASSES);
      counts[classes[i]]++;
    }
    at += windows;
    size -= windows;
  }
}

typedef struct entropy_class {
  uint64_t count;
  int number;
} entropy_class;

static int by_count(const void *a, const void *b)
{
  const entropy_class *x = a, *y = b;
  if (x->count != y->count)
    return x->count < y->count ? -1 : 1;
  return x->number - y->number;
}

/* Ranks 1, 2, ... in this order; classes of equal counts share one. */
static void rank_in_order(entropy_class *classes, size_t count, mlbf_digest_ranks *ranks)
{
  uint16_t rank = 0;
  memset(ranks, 0, sizeof *ranks);
  qsort(classes, count, sizeof *classes, by_count);
  for (size_t i = 0; i < count; i++) {
    rank += i == 0 || classes[i].count != classes[i - 1].count;
    assert(rank >= 1 && rank <= DIGEST_RANK_MAX && classes[i].number < MLBF_ENTROPY_CLASSES);
    ranks->rank[classes[i].number] = rank;
  }
}

void mlbf_digest_ranks_from_counts(const uint64_t counts[MLBF_ENTROPY_CLASSES], mlbf_digest_ranks *ranks)
{
  entropy_class classes[MLBF_ENTROPY_CLASSES];
  size_t count = 0;
  for (int i = CLASS_MIN; i < MLBF_ENTROPY_CLASSES; i++)
    classes[count++] = (entropy_class){counts[i], i};
  rank_in_order(classes, count, ranks);
}

void digest_ranks_pack(const mlbf_digest_ranks *ranks, mlbf_digest_ranks *packed)
{
  entropy_class classes[MLBF_ENTROPY_CLASSES];
  size_t count = 0;
  for (int i = 0; i < MLBF_ENTROPY_CLASSES; i++)
    if (ranks->rank[i])
      classes[count++] = (entropy_class){ranks->rank[i], i};
  rank_in_order(classes, count, packed);
}

/* One line: digits and nothing else. */
static bool decode_number(const char *text, size_t size, uint16_t *number)
{
  uint32_t value = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9' || value > UINT16_MAX)
      return false;
    value = 10 * value + (uint32_t)(text[i] - '0');
  }
  *number = (uint16_t)value;
  return size > 0 && value <= UINT16_MAX;
}

mlbf_status mlbf_digest_ranks_parse(const char *text, size_t size, mlbf_digest_ranks *ranks, size_t *line)
{
  mlbf_digest_ranks found;
  size_t count = 0, number = 0;
  for (const char *at = text, *end = text + size; at < end; number++) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((feed ? feed : end) - at);
    if (length && at[length - 1] == '\r')
      length--;
    bool is_comment = length && *at == '#';
    if (!is_comment && (count == MLBF_ENTROPY_CLASSES || !decode_number(at, length, &found.rank[count++]))) {
      *line = number + 1;
      return MLBF_BAD_ARGUMENT;
    }
    at = feed ? feed + 1 : end;
  }
  assert(count <= MLBF_ENTROPY_CLASSES);
  *line = number;
  if (count != MLBF_ENTROPY_CLASSES)
    return MLBF_BAD_ARGUMENT;
  *ranks = found;
  return MLBF_OK;
}

/* Made from text, markup, pictures, programs and compressed data: eight packages of Debian 12 and what is in them.
 *
 *     mkdir debs && cd debs && apt-get download python3.11-doc postgresql-doc-15 cmake-doc libboost1.74-doc \
 *         coreutils bash libc6 perl-base && cd ..
 *     find debs -name '*.deb' -exec dpkg-deb -x {} root ';'
 *     find debs root -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | strata digest --make-ranks - */
const mlbf_digest_ranks *digest_ranks_default(void)
{
  static const mlbf_digest_ranks built_in = {{
#include "mlbf/similar/digest_ranks_table.h"
  }};
  return &built_in;
}
