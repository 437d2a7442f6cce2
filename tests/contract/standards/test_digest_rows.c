/* Hashes and similarity digests: digest_rows.txt, which says where the expected values come from. */
#include "crawler/base/body_hash.h"
#include "mlbf/digest.h"
#include "mlbf/similar/digest_sha1.h"
#include "tests/support/row_file.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* In pieces of 63 bytes, so that none ends where a block of the hash does. */
static void hash_of(body_hash_kind kind, const char *bytes, size_t size, char text[BODY_HASH_TEXT])
{
  body_hash *h = body_hash_create(kind);
  assert_non_null(h);
  body_hash_begin(h);
  for (size_t at = 0; at < size; at += 63)
    body_hash_add(h, bytes + at, size - at < 63 ? size - at : 63);
  body_hash_end(h, text);
  body_hash_free(h);
}

static void check_hash(row_file *rows, body_hash_kind kind)
{
  char got[BODY_HASH_TEXT];
  const row_field *f = rows->field;
  hash_of(kind, f[1].at, f[1].size, got);
  row_file_check(rows, strcmp(got, f[2].at) == 0, got, f[2].at);
}

/* By each path; the message is the last of those that are hashed at once, all others are zeros. */
static void check_sha1_of_64(row_file *rows)
{
  static const uint8_t zeros[64];
  const row_field *f = rows->field;
  char got[2 * 20 + 1];
  bool is_right = true;
  assert_int_equal(f[1].size, 64);
  for (const digest_sha1_path *const *path = digest_sha1_paths; *path && is_right; path++) {
    const uint8_t *messages[DIGEST_SHA1_MANY];
    digest_sha1 hashes[DIGEST_SHA1_MANY];
    if (!(*path)->cpu.is_usable())
      continue;
    for (int i = 0; i < DIGEST_SHA1_MANY; i++)
      messages[i] = i < DIGEST_SHA1_MANY - 1 ? zeros : (const uint8_t *)f[1].at;
    (*path)->hash(messages, hashes);
    const uint32_t *h = hashes[DIGEST_SHA1_MANY - 1];
    snprintf(got, sizeof got, "%08x%08x%08x%08x%08x", h[0], h[1], h[2], h[3], h[4]);
    is_right = strcmp(got, f[2].at) == 0;
  }
  row_file_check(rows, is_right, got, f[2].at);
}

/* The window that ends with the last byte is not counted: one byte more. */
static void check_class(row_file *rows)
{
  const row_field *f = rows->field;
  uint64_t counts[MLBF_ENTROPY_CLASSES] = {0};
  char got[16];
  unsigned class = 0;
  assert_int_equal(f[1].size, 64);
  mlbf_digest_count(f[1].at, 64 + 1, counts);
  while (class < MLBF_ENTROPY_CLASSES && !counts[class])
    class ++;
  snprintf(got, sizeof got, "%u", class);
  row_file_check(rows, strcmp(got, f[2].at) == 0, got, f[2].at);
}

/* "rising" or "falling". */
static void make_ranks(const char *name, mlbf_digest_ranks *ranks)
{
  for (unsigned class = 0; class < MLBF_ENTROPY_CLASSES; ++class)
    ranks->rank[class] = (uint16_t)(class < 100 ? 0 : name[0] == 'r' ? class : 1101 - class);
}

static mlbf_digest *digest_of(const mlbf_digest_ranks *ranks, const char *kind, const row_field *bytes)
{
  mlbf_digest *digest = NULL;
  mlbf_digest_options options = {.size = sizeof(mlbf_digest_options), .ranks = ranks, .blocks = kind[0] == 'b'};
  assert_int_equal(mlbf_digest_create(&options, bytes->at, bytes->size, &digest), MLBF_OK);
  return digest;
}

static void check_digest(row_file *rows)
{
  const row_field *f = rows->field;
  mlbf_digest_ranks ranks;
  char hash[BODY_HASH_TEXT], got[BODY_HASH_TEXT + 64], expected[BODY_HASH_TEXT + 64];
  make_ranks(f[1].at, &ranks);
  mlbf_digest *digest = digest_of(&ranks, f[2].at, &f[3]);
  char *line = mlbf_digest_text(digest, "x");
  assert_non_null(line);
  hash_of(BODY_HASH_SHA256, line, strlen(line), hash);
  snprintf(got, sizeof got, "%zu %llu %s", mlbf_digest_filters(digest),
           (unsigned long long)mlbf_digest_features(digest), hash);
  snprintf(expected, sizeof expected, "%s %s %s", f[4].at, f[5].at, f[6].at);
  row_file_check(rows, strcmp(got, expected) == 0, got, expected);
  free(line);
  mlbf_digest_free(digest);
}

static void check_no_digest(row_file *rows)
{
  mlbf_digest *digest = NULL;
  mlbf_status status = mlbf_digest_create(NULL, rows->field[1].at, rows->field[1].size, &digest);
  row_file_check(rows, status == MLBF_BAD_ARGUMENT && !digest, "another status", "MLBF_BAD_ARGUMENT");
  mlbf_digest_free(digest);
}

static void check_score(row_file *rows)
{
  const row_field *f = rows->field;
  char got[16], expected[64];
  mlbf_digest *a = digest_of(NULL, f[1].at, &f[2]), *b = digest_of(NULL, f[1].at, &f[3]);
  int score = mlbf_digest_score(a, b, MLBF_DIGEST_RULE_CURRENT);
  snprintf(got, sizeof got, "%d", score);
  snprintf(expected, sizeof expected, "%s to %s", f[4].at, f[5].at);
  row_file_check(rows, score >= atoi(f[4].at) && score <= atoi(f[5].at), got, expected);
  mlbf_digest_free(a);
  mlbf_digest_free(b);
}

static void check_row(row_file *rows)
{
  const char *what = rows->field[0].at;
  if (strcmp(what, "sha256") == 0 && rows->fields == 3)
    check_hash(rows, BODY_HASH_SHA256);
  else if (strcmp(what, "sha1") == 0 && rows->fields == 3)
    check_hash(rows, BODY_HASH_SHA1);
  else if (strcmp(what, "sha1-of-64") == 0 && rows->fields == 3)
    check_sha1_of_64(rows);
  else if (strcmp(what, "class") == 0 && rows->fields == 3)
    check_class(rows);
  else if (strcmp(what, "digest") == 0 && rows->fields == 7)
    check_digest(rows);
  else if (strcmp(what, "no-digest") == 0 && rows->fields == 2)
    check_no_digest(rows);
  else if (strcmp(what, "score") == 0 && rows->fields == 6)
    check_score(rows);
  else
    fail_msg("%s:%u: no such row", rows->path, rows->line);
}

CASE(hashes_and_digests_are_those_of_the_standards)
{
  row_file rows;
  row_file_open(&rows, TESTS_DIR "/contract/standards/digest_rows.txt");
  while (row_file_next(&rows, 2))
    check_row(&rows);
  row_file_close(&rows);
}
