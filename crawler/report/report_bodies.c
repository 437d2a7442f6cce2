/* See report_bodies.h. Lines that are no digest are passed over: the file may be anybody's. */
#include "crawler/report/report_bodies.h"

#include "crawler/loop/body_digests.h"
#include "frontier/base/vector.h"
#include "mlbf/digest.h"
#include "frontier/base/own_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 64 };

typedef struct digested {
  mlbf_digest *digest;
  char *page;
  uint64_t features, number; /* number: of its line */
} digested;

typedef struct digests {
  digested *all;
  size_t count, room;
} digests;

static bool add(digests *d, mlbf_digest *digest, uint64_t number)
{
  if (!HAS_ROOM(d->all, d->room, d->count + 1))
    return false;
  char *page = strdup(mlbf_digest_name(digest));
  if (!page)
    return false;
  body_digests_url_of_name(page);
  d->all[d->count++] = (digested){digest, page, mlbf_digest_features(digest), number};
  return true;
}

static bool read_lines(FILE *file, digests *d)
{
  char *line = NULL;
  const char *why;
  size_t room = 0;
  bool has_memory = true;
  ssize_t size;
  for (uint64_t number = 0; has_memory && (size = getline(&line, &room, file)) > 0; number++) {
    mlbf_digest *digest = NULL;
    size -= line[size - 1] == '\n';
    if (mlbf_digest_parse(line, (size_t)size, &digest, &why) != MLBF_OK)
      continue;
    has_memory = add(d, digest, number);
    if (!has_memory)
      mlbf_digest_free(digest);
  }
  free(line);
  if (!has_memory)
    errno = ENOMEM;
  return has_memory && !ferror(file);
}

static int by_page(const void *a, const void *b)
{
  const digested *x = a, *y = b;
  int order = strcmp(x->page, y->page);
  return order ? order : x->number < y->number ? 1 : -1; /* the last line of a URL first */
}

static int by_features(const void *a, const void *b)
{
  const digested *x = a, *y = b;
  if (x->features != y->features)
    return x->features < y->features ? -1 : 1;
  return strcmp(x->page, y->page);
}

static void drop(digested *one)
{
  mlbf_digest_free(one->digest);
  free(one->page);
}

/* Of each URL the last line alone. */
static void keep_last(digests *d)
{
  size_t kept = 0;
  for (size_t i = 0; i < d->count; i++)
    if (kept > 0 && strcmp(d->all[kept - 1].page, d->all[i].page) == 0)
      drop(&d->all[i]);
    else
      d->all[kept++] = d->all[i];
  d->count = kept;
}

/* Equal digests are those of equal bodies, which the report lists elsewhere. */
static bool is_equal(const digested *a, const digested *b)
{
  char *x = mlbf_digest_text(a->digest, "-"), *y = mlbf_digest_text(b->digest, "-");
  bool is_same = x && y && strcmp(x, y) == 0;
  free(x);
  free(y);
  return is_same;
}

static bool compare(const digested *a, const digested *b, report_pairs *pairs)
{
  int score = mlbf_digest_score(a->digest, b->digest, MLBF_DIGEST_RULE_CURRENT);
  if (score < REPORT_BODIES_SCORE || (score == 100 && is_equal(a, b)))
    return score != MLBF_DIGEST_NO_MEMORY;
  return report_pairs_add(pairs, a->page, b->page, score / 100.0);
}

static bool compare_neighbours(const digests *d, report_pairs *pairs)
{
  for (size_t i = 0; i < d->count; i++)
    for (size_t k = i + 1; k < d->count && k <= i + NEIGHBOURS; k++) {
      if (2 * d->all[k].features > 3 * d->all[i].features)
        break;
      if (!compare(&d->all[i], &d->all[k], pairs)) {
        errno = ENOMEM;
        return false;
      }
    }
  return true;
}

bool report_bodies_read(const char *path, report_pairs *pairs)
{
  digests d = {0};
  FILE *file = own_file_stream(path, "r", 0);
  if (!file)
    return errno == ENOENT;
  bool is_done = read_lines(file, &d);
  if (is_done && d.count) {
    qsort(d.all, d.count, sizeof *d.all, by_page);
    keep_last(&d);
    qsort(d.all, d.count, sizeof *d.all, by_features);
    is_done = compare_neighbours(&d, pairs);
  }
  int why = errno;
  fclose(file);
  for (size_t i = 0; i < d.count; i++)
    drop(&d.all[i]);
  free(d.all);
  errno = why;
  return is_done;
}
