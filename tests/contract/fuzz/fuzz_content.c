/* The content codings of a body: the first byte says how many there are, the next bytes which, one more into which
 * pieces the rest is cut. In one piece or in many, a body that is whole is the same, and no more is given than is
 * wanted. */
#include "crawler/base/content_decoder.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BODY_MAX = 1 << 18 };

typedef struct body {
  size_t size;
  char bytes[BODY_MAX];
} body;

static void check(bool holds)
{
  if (!holds)
    abort();
}

static bool take(void *context, const char *bytes, size_t size)
{
  body *b = context;
  size_t left = BODY_MAX - b->size, part = size < left ? size : left;
  check(size > 0);
  memcpy(b->bytes + b->size, bytes, part);
  b->size += part;
  return part == size;
}

static content_end read_in(const content_codings *codings, const uint8_t *data, size_t size, size_t piece, body *b)
{
  content_decoder *d = content_decoder_create(codings, BODY_MAX, take, b);
  b->size = 0;
  check(d != NULL);
  for (size_t at = 0; at < size; at += piece)
    if (!content_decoder_add(d, (const char *)data + at, size - at < piece ? size - at : piece))
      break;
  content_end end = content_decoder_end(d);
  check(end != CONTENT_NOT_CODED || !b->size);
  content_decoder_free(d);
  return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static body once, often;
  content_codings codings = {.count = size ? 1 + data[0] % CONTENT_CODINGS_MAX : 0};
  if (size < codings.count + 2)
    return 0;
  bool has_zstd = false;
  for (unsigned i = 0; i < codings.count; i++) {
    codings.named[i] = (content_coding)(data[1 + i] % (CODING_ZSTD + 1));
    has_zstd |= codings.named[i] == CODING_ZSTD;
  }
  size_t piece = 1 + data[codings.count + 1], head = codings.count + 2;
  content_end end = read_in(&codings, data + head, size - head, size, &once);
  content_end piecewise = read_in(&codings, data + head, size - head, piece, &often);
  bool is_whole = end == CONTENT_WHOLE && once.size < BODY_MAX;
  bool is_whole_piecewise = piecewise == CONTENT_WHOLE && often.size < BODY_MAX;
  /* libzstd (1.5.4) takes a frame that has an empty compressed block in pieces, but not as a whole */
  check(is_whole == is_whole_piecewise || has_zstd);
  check(!is_whole || !is_whole_piecewise ||
        (once.size == often.size && memcmp(once.bytes, often.bytes, once.size) == 0));

  char field[64];
  size_t field_size = size < sizeof field ? size : sizeof field;
  memcpy(field, data, field_size);
  content_codings said = {.count = 0};
  content_codings_add(&said, field, field_size);
  check(said.count <= sizeof field);
  return 0;
}
