/* See did_you_mean.h. The distance is that of Damerau and Levenshtein, without changes inside a swapped pair. */
#include "crawler/commands/did_you_mean.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WORD_MAX = 40, PART_MIN = 3 };

static size_t least(size_t a, size_t b, size_t c)
{
  size_t d = a < b ? a : b;
  return d < c ? d : c;
}

static size_t distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
  size_t rows[3][WORD_MAX + 1]; /* of beginnings of `a`: two shorter ones and this one */
  for (size_t j = 0; j <= b_size; j++)
    rows[0][j] = j;
  for (size_t i = 1; i <= a_size; i++) {
    size_t *row = rows[i % 3], *before = rows[(i + 2) % 3], *long_before = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= b_size; j++) {
      row[j] = least(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
      bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped && long_before[j - 2] + 1 < row[j])
        row[j] = long_before[j - 2] + 1;
    }
  }
  return rows[a_size % 3][b_size];
}

static bool is_part(const char *part, size_t size, const char *of, size_t of_size)
{
  return size >= PART_MIN && memmem(of, of_size, part, size);
}

void did_you_mean_offer(did_you_mean *d, const char *known)
{
  size_t size = strlen(known);
  if (!d->size || d->size > WORD_MAX || size > WORD_MAX)
    return;
  size_t far = distance(d->word, d->size, known, size), most = (d->size > size ? d->size : size) / 3;
  bool has_part = is_part(d->word, d->size, known, size) || is_part(known, size, d->word, d->size);
  if (far > most && !has_part)
    return;
  if (d->best && d->distance <= far)
    return;
  d->best = known;
  d->distance = far;
}
