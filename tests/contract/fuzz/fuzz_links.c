/* Any page, in any pieces, gives the same links; and no byte is read or written out of place. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawler/html/links.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All that a visitor is told, as one number. */
typedef struct digest {
  uint64_t sum;
  size_t links;
} digest;

static void mix(digest *seen, const void *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    seen->sum = (seen->sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211U;
}

static void note(void *context, const link_found *link)
{
  digest *seen = context;
  unsigned char facts[] = {(unsigned char)link->kind, link->nofollow, link->canonical};
  if (link->size > LINKS_VALUE_MAX)
    abort();
  mix(seen, facts, sizeof facts);
  mix(seen, link->attribute, strlen(link->attribute) + 1);
  mix(seen, &link->size, sizeof link->size);
  mix(seen, link->href, link->size);
  seen->links++;
}

/* The pieces are copies of their exact size, so that the sanitizer sees one byte too far. */
static void feed_copy(links_scanner *scanner, const uint8_t *bytes, size_t size)
{
  char *copy = malloc(size + !size);
  if (!copy)
    abort();
  memcpy(copy, bytes, size);
  links_feed(scanner, copy, size);
  free(copy);
}

/* Pieces of 1 to `largest` bytes; 0: all at once. */
static digest scan(const uint8_t *data, size_t size, size_t largest)
{
  digest seen = {.sum = 14695981039346656037U};
  links_scanner *scanner = links_create(note, &seen);
  if (!scanner)
    abort();
  uint32_t random = (uint32_t)size;
  for (size_t at = 0, piece; at < size; at += piece) {
    random = random * 1664525 + 1013904223;
    piece = largest == 0 ? size : 1 + (random >> 16) % largest;
    piece = piece < size - at ? piece : size - at;
    feed_copy(scanner, data + at, piece);
  }
  links_finish(scanner);
  mix(&seen, (bool[]){links_page_nofollow(scanner), links_page_noindex(scanner)}, 2);
  links_free(scanner);
  return seen;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  digest whole = scan(data, size, 0);
  static const size_t pieces[] = {1, 3, 17};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    digest cut = scan(data, size, pieces[i]);
    if (cut.sum != whole.sum || cut.links != whole.links) {
      fprintf(stderr, "%zu links whole, %zu in pieces of up to %zu\n", whole.links, cut.links, pieces[i]);
      abort();
    }
  }
  return 0;
}
