/* Digests and scores are those that sdhash 4.0 made of the same files, where its output is at hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/digest.h"
#include "tests/support/test.h"

static char *shared_file(const char *name, size_t *size)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/sdhash/%s", SHARED_DATA, name);
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, (1 << 20) - 1, file);
  bytes[*size] = '\0';
  fclose(file);
  return bytes;
}

/* Each line of `expected`, made anew from the file it names. */
static unsigned lines_made_anew(const char *expected, const mlbf_digest_ranks *ranks, bool blocks)
{
  size_t size = 0, bytes_size = 0;
  char *lines = shared_file(expected, &size), *rest = NULL;
  unsigned count = 0;
  assert_non_null(lines);
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const char *why;
    mlbf_digest *theirs = NULL, *ours = NULL;
    assert_int_equal(mlbf_digest_parse(line, strlen(line), &theirs, &why), MLBF_OK);
    char *bytes = shared_file(mlbf_digest_name(theirs), &bytes_size);
    assert_non_null(bytes);
    mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .ranks = ranks, .blocks = blocks};
    assert_int_equal(mlbf_digest_create(&options, bytes, bytes_size, &ours), MLBF_OK);
    char *text = mlbf_digest_text(ours, mlbf_digest_name(theirs));
    assert_string_equal(text, line);
    free(text);
    free(bytes);
    mlbf_digest_free(ours);
    mlbf_digest_free(theirs);
    count++;
  }
  free(lines);
  return count;
}

CASE(digests_are_those_of_sdhash)
{
  size_t size = 0, line = 0;
  char *table = shared_file("entr64_ranks.csv", &size);
  mlbf_digest_ranks ranks;
  if (!table) {
    print_message("skipped: no %s\n", SHARED_DATA "/sdhash");
    skip();
  }
  assert_int_equal(mlbf_digest_ranks_parse(table, size, &ranks, &line), MLBF_OK);
  free(table);
  assert_int_equal(lines_made_anew("expected.sdbf", &ranks, false), 6);
  assert_int_equal(lines_made_anew("expected-dd.sdbf", &ranks, true), 5);
}

static mlbf_digest *named(const char *digests, const char *name)
{
  size_t size;
  char *lines = shared_file(digests, &size), *rest = NULL;
  mlbf_digest *found = NULL;
  for (char *line = strtok_r(lines, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest)) {
    const char *why;
    assert_int_equal(mlbf_digest_parse(line, strlen(line), &found, &why), MLBF_OK);
    if (strcmp(mlbf_digest_name(found), name) != 0) {
      mlbf_digest_free(found);
      found = NULL;
    }
  }
  free(lines);
  assert_non_null(found);
  return found;
}

static unsigned scores_agree(const char *digests, const char *scores)
{
  size_t size;
  char *lines = shared_file(scores, &size), *rest = NULL, a[64], b[64];
  unsigned count = 0;
  int wanted;
  for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), count++) {
    assert_int_equal(sscanf(line, "%63[^|]|%63[^|]|%d", a, b, &wanted), 3);
    mlbf_digest *x = named(digests, a), *y = named(digests, b);
    int score = mlbf_digest_score(x, y, MLBF_DIGEST_RULE_CURRENT);
    if (score != wanted)
      printf("%s: %d\n", line, score);
    assert_in_range(score, wanted > 3 ? wanted - 3 : 0, wanted + 3);
    mlbf_digest_free(x);
    mlbf_digest_free(y);
  }
  free(lines);
  return count;
}

CASE(scores_are_those_of_sdhash)
{
  size_t size;
  char *there = shared_file("expected-scores.txt", &size);
  if (!there) {
    print_message("skipped: no %s\n", SHARED_DATA "/sdhash");
    skip();
  }
  free(there);
  assert_int_equal(scores_agree("expected.sdbf", "expected-scores.txt"), 15);
  assert_int_equal(scores_agree("expected-dd.sdbf", "expected-dd-scores.txt"), 10);
}
