/* Whatever line is read as a digest: it is refused, or it can be compared, and written as the same line again. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mlbf/digest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
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
