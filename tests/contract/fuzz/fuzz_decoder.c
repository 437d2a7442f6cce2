/* Any page in any charset, in any pieces: the same text, and no more of it than a page of that size can give. The
 * input's first byte chooses what the header says, its second where the page is cut. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/html/decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct digest {
  uint64_t sum;
  size_t size;
} digest;

static void note(void *context, const char *bytes, size_t size)
{
  digest *seen = context;
  for (size_t i = 0; i < size; i++)
    seen->sum = (seen->sum ^ (unsigned char)bytes[i]) * 1099511628211U;
  seen->size += size;
}

/* Exact-size copies, so that the sanitizer sees one byte too far. */
static void feed_copy(decoder *d, const uint8_t *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  if (!copy)
    abort();
  memcpy(copy, bytes, size);
  decoder_feed(d, copy, size);
  free(copy);
}

static digest decode(const charset *said, const uint8_t *page, size_t size, size_t piece)
{
  digest seen = {0};
  decoder *d = decoder_create(note, &seen);
  if (!d)
    abort();
  decoder_begin(d, said);
  for (size_t at = 0; at < size; at += piece)
    feed_copy(d, page + at, piece < size - at ? piece : size - at);
  decoder_finish(d);
  decoder_free(d);
  return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const labels[] = {"",         "utf-8",  "windows-1252", "shift_jis",   "gb18030",
                                       "euc-jp",   "big5",   "euc-kr",       "iso-2022-jp", "utf-16le",
                                       "utf-16be", "koi8-u", "windows-1258", "hz-gb-2312"};
  enum { LABELS = sizeof labels / sizeof *labels, GROWTH_MAX = 8 };
  if (size < 2)
    return 0;
  const char *label = labels[data[0] % LABELS];
  const charset *said = charset_of_label(label, strlen(label));
  digest whole = decode(said, data + 2, size - 2, size), cut = decode(said, data + 2, size - 2, data[1] % 40 + 1);
  if (whole.sum != cut.sum || whole.size != cut.size || whole.size > GROWTH_MAX * size)
    abort();
  char out[512];
  size_t escaped = said ? charset_escape_query(said, (const char *)data + 2, size - 2, out, sizeof out) : 0;
  if (escaped > sizeof out)
    abort();
  return 0;
}
