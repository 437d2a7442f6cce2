/* Whatever bytes a corpus's file of documents holds: it is refused, or it can be read through, asked, added to and
 * opened again. Checksums are put right first, of the header and of whatever can be taken for a record, or nothing
 * would get past them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "mlbf/corpus.h"
#include "tests/contract/fuzz/input_file.h"

enum { HEADER = 64, HEAD = 32 }; /* of the file, of a record */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64], path[96];

static void repair(uint8_t *file, size_t size)
{
  uint64_t sum;
  if (size < HEADER)
    return;
  sum = XXH3_64bits(file, HEADER - 8);
  memcpy(file + HEADER - 8, &sum, sizeof sum);
  for (size_t at = HEADER; at + HEAD <= size;) {
    uint32_t count, name, whole;
    memcpy(&count, file + at + 8, sizeof count);
    memcpy(&name, file + at + 12, sizeof name);
    memcpy(&whole, file + at + 24, sizeof whole);
    uint64_t bytes = HEAD + 8 * ((uint64_t)count + whole) + ((uint64_t)name + 7) / 8 * 8;
    if (bytes > size - at)
      return;
    sum = XXH3_64bits_withSeed(file + at + 8, bytes - 8, at);
    memcpy(file + at, &sum, sizeof sum);
    at += bytes;
  }
}

static bool count_one(void *context, mlbf_span name, const uint64_t *shingles, size_t count)
{
  ++*(uint64_t *)context;
  return name.size > 0 && shingles && count > 0;
}

static void ask(mlbf_corpus *c, const mlbf_shingles *query)
{
  mlbf_corpus_match matches[3];
  size_t count = 3;
  mlbf_shingles found = {0};
  const mlbf_corpus_question question = {.least = 0.1};
  if (mlbf_corpus_query(c, query, &question, matches, &count) != MLBF_OK ||
      mlbf_corpus_find(c, (mlbf_span){"a", 1}, &found) != MLBF_OK)
    abort(); /* what was read once can be read again */
  mlbf_corpus_matches_free(matches, count);
  mlbf_shingles_free(&found);
}

static void use(bool read_only)
{
  static char message[MLBF_CORPUS_MESSAGE_SIZE];
  uint64_t numbers[40], count = 0;
  mlbf_shingles document = {.at = numbers, .count = 40};
  mlbf_corpus_stats stats;
  mlbf_corpus *c = NULL;
  for (uint64_t i = 0; i < 40; i++)
    numbers[i] = i * UINT64_C(0x0123456789abcd);
  if (mlbf_corpus_open(directory, read_only, &c, message) != MLBF_OK) {
    if (!*message)
      abort();
    return;
  }
  mlbf_corpus_stats_read(c, &stats);
  if (mlbf_corpus_each(c, count_one, &count) != MLBF_OK || count != stats.documents)
    abort();
  ask(c, &document);
  if (!read_only && mlbf_corpus_add(c, (mlbf_span){"a", 1}, &document, NULL, NULL) != MLBF_OK)
    abort();
  mlbf_corpus_close(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!directory[0]) {
    snprintf(directory, sizeof directory, "/tmp/fuzz_corpus.XXXXXX");
    if (!mkdtemp(directory))
      abort();
    snprintf(path, sizeof path, "%s/00001.docs", directory);
  }
  fuzz_write_file(path, data, size, repair);
  use(true);
  use(false);
  use(true);
  unlink(path);
  rmdir(directory);
  directory[0] = '\0';
  return 0;
}
