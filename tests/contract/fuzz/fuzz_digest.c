/* Whatever line is read as a digest: it is refused, or it can be compared, and written as the same line again. Whatever
 * text is read as a table of ranks: it is refused at a line of it, or digests can be made with it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/digest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_ranks(const uint8_t *data, size_t size)
{
  mlbf_digest_ranks ranks;
  mlbf_digest *d = NULL;
  uint8_t bytes[1024];
  size_t line = 0;
  if (mlbf_digest_ranks_parse((const char *)data, size, &ranks, &line) != MLBF_OK) {
    if (line > size)
      abort();
    return;
  }
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = data[i * 7 % size];
  if (mlbf_digest_create(&(mlbf_digest_options){.size = sizeof(mlbf_digest_options), .ranks = &ranks}, bytes,
                         sizeof bytes, &d) != MLBF_OK)
    abort();
  mlbf_digest_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  try_ranks(data, size);
  mlbf_digest *d = NULL, *again = NULL;
  const char *why = NULL;
  if (mlbf_digest_parse((const char *)data, size, &d, &why) != MLBF_OK) {
    if (!why)
      abort();
    return 0;
  }
  mlbf_digest_score(d, d, MLBF_DIGEST_RULE_CURRENT);
  mlbf_digest_score(d, d, MLBF_DIGEST_RULE_PAPER);
  char *text = mlbf_digest_text(d, mlbf_digest_name(d));
  if (!text || mlbf_digest_parse(text, strlen(text), &again, &why) != MLBF_OK ||
      mlbf_digest_features(again) != mlbf_digest_features(d))
    abort();
  free(text);
  mlbf_digest_free(d);
  mlbf_digest_free(again);
  return 0;
}
