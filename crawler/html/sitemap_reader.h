/* crawler/html/sitemap_reader.h: the URLs in the text of a sitemap or feed, found as it arrives in UTF-8.
 *
 * Text that begins with '<' is XML (https://www.w3.org/TR/xml/), any other is a list of one URL a line. Of XML it knows
 * what URLs depend on: elements by their names without prefix, attributes, character references, CDATA, and what to
 * pass over: comments, processing instructions, document types. It declares no entity and looks nothing up: a reference
 * other than to a character or to one of XML's own five is left as it stands.
 *
 * It goes on after any fault. '<' begins markup wherever it stands, as XML has it nowhere else, so an open quote costs
 * one tag. An end tag closes the last element of its name, and those in it; without one it is passed over. An href is
 * not reported if its text is no UTF-8, holds a control character, or is longer than a URL may be.
 *
 * Text cut anywhere gives the same URLs. Fixed memory, and work in proportion to the text: one sitemap_reader, which
 * knows SITEMAP_READER_DEPTH open elements, the innermost. Threads: one at a time for each reader. */
#ifndef STRATA_CRAWLER_SITEMAP_READER_H
#define STRATA_CRAWLER_SITEMAP_READER_H

#include "frontier/url.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  SITEMAP_READER_DEPTH = 64,
  SITEMAP_READER_WORD = 15, /* longer names and words mean nothing to us */
};

/* `href` without white space around, not NUL-terminated, valid during the call; `is_map`: it names another sitemap. */
typedef void sitemap_visitor(void *context, bool is_map, const char *href, size_t size);

typedef struct sitemap_reader sitemap_reader;

/* Consumes at least one byte, or none and changes the state; returns where it stopped. */
typedef const char *sitemap_state(sitemap_reader *r, const char *at, const char *end);

struct sitemap_reader {
  sitemap_visitor *visit;
  void *context;
  sitemap_state *state;
  uint64_t steps; /* bytes looked at, elements compared: what a text costs, for tests */
  /* the open elements: a ring, so that in a deeper text the outermost are forgotten */
  unsigned depth, top;
  uint32_t names[SITEMAP_READER_DEPTH]; /* hashes of names with prefix */
  uint8_t kinds[SITEMAP_READER_DEPTH];
  /* the tag or declaration being read */
  bool is_end_tag, is_empty, is_word_over, in_doctype, in_subset;
  uint8_t kind;     /* of the element that begins */
  uint8_t wanted;   /* what becomes of the value being read */
  char quote;       /* around it, or '\0' */
  unsigned matched; /* bytes seen of what is expected */
  const char *expected;
  uint32_t name;
  size_t word_size;
  char word[SITEMAP_READER_WORD + 1];
  bool has_href, has_rel, is_page;
  /* the href being read */
  bool is_bad;      /* too long or broken, or reported already */
  bool is_long;     /* ... the first of these */
  bool has_lost;    /* one that was too long or broken */
  size_t reference; /* where in it a reference may have begun */
  size_t text_size;
  char text[URL_LENGTH_MAX + 1];
};

/* A new text; what was left of another is dropped. */
void sitemap_reader_begin(sitemap_reader *r, sitemap_visitor *visit, void *context);
void sitemap_reader_feed(sitemap_reader *r, const char *bytes, size_t size);
void sitemap_reader_finish(sitemap_reader *r); /* the last line may end without a line break */

#endif
