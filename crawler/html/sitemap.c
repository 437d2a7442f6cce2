/* See sitemap.h.
 *
 *     bytes -> [gunzip] -> decoder.h, to UTF-8 -> sitemap_reader.h -> URLs
 *
 * visit.c feeds it, on the thread that reads the sitemap, which sees between two steps whether the crawl is to end. */
#include "crawler/html/sitemap.h"

#include "crawler/base/content_stream.h"
#include "crawler/html/decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 2, PIECE = 16 << 10 };

struct sitemap {
  sitemap_visitor *visit;
  void *context;
  decoder *decoder;
  bool is_over;    /* no more is heard */
  bool is_pending; /* what was taken unpacks to more */
  const char *limit;
  size_t head_size;
  char head[MAGIC];     /* the first bytes: is it gzipped? */
  size_t read, urls;    /* so far, unpacked */
  content_stream *gzip; /* NULL: it is plain */
  sitemap_reader reader;
};

static void assert_sitemap(const sitemap *s)
{
  assert(s->head_size <= MAGIC);
  assert(s->urls <= SITEMAP_URLS_MAX && s->read <= SITEMAP_BYTES_MAX);
  assert(!s->is_pending || s->gzip);
  (void)s;
}

static void end_early(sitemap *s, const char *limit)
{
  s->is_over = true;
  s->limit = s->limit ? s->limit : limit;
}

static void give(void *context, bool is_map, const char *href, size_t size)
{
  sitemap *s = context;
  if (s->is_over)
    return;
  if (s->urls == SITEMAP_URLS_MAX) {
    end_early(s, "too many URLs");
    return;
  }
  s->urls++;
  s->visit(s->context, is_map, href, size);
}

static void read_text(void *context, const char *bytes, size_t size)
{
  sitemap *s = context;
  sitemap_reader_feed(&s->reader, bytes, size);
}

static void feed_plain(sitemap *s, const char *bytes, size_t size)
{
  assert_sitemap(s);
  size_t left = SITEMAP_BYTES_MAX - s->read;
  bool is_too_much = size > left;
  if (is_too_much)
    size = left;
  s->read += size;
  decoder_feed(s->decoder, bytes, size);
  if (is_too_much)
    end_early(s, "too many decoded bytes");
}

/* Of `bytes`, or, when it has none, of what is pending. How many it took. */
static size_t feed_gzip(sitemap *s, const char *bytes, size_t size)
{
  char out[PIECE];
  size_t before = s->read, left = size, made;
  do {
    made = content_stream_read(s->gzip, &bytes, &left, out, sizeof out);
    feed_plain(s, out, made);
    s->is_pending = made == sizeof out;
  } while (!s->is_over && s->is_pending && s->read - before < SITEMAP_STEP);
  return size - left;
}

static size_t feed(sitemap *s, const char *bytes, size_t size)
{
  size_t piece = size < SITEMAP_STEP ? size : SITEMAP_STEP;
  if (s->gzip)
    return feed_gzip(s, bytes, piece);
  feed_plain(s, bytes, piece);
  return piece;
}

static void feed_head(sitemap *s)
{
  bool is_gzip = s->head_size == MAGIC && memcmp(s->head, "\x1F\x8B", MAGIC) == 0;
  if (is_gzip && !(s->gzip = content_stream_create(CODING_GZIP)))
    s->is_over = true;
  else
    feed(s, s->head, s->head_size);
}

bool sitemap_feed(sitemap *s, const char **bytes, size_t *size)
{
  assert_sitemap(s);
  if (s->head_size < MAGIC) {
    while (*size && s->head_size < MAGIC)
      s->head[s->head_size++] = *(*bytes)++, --*size;
    if (s->head_size == MAGIC)
      feed_head(s);
  }
  bool is_deaf = s->is_over || s->head_size < MAGIC;
  size_t taken = is_deaf ? *size : feed(s, *bytes, *size);
  *bytes += taken;
  *size -= taken;
  s->is_pending &= !s->is_over;
  return *size || s->is_pending;
}

void sitemap_finish(sitemap *s)
{
  assert_sitemap(s);
  if (s->head_size < MAGIC)
    feed_head(s);
  decoder_finish(s->decoder); /* it held back what tells the charset; of what was cut, the last line is no URL */
  if (s->gzip && !content_stream_is_sound(s->gzip) && !s->is_over)
    end_early(s, "damaged");
  sitemap_reader_finish(&s->reader);
}

const char *sitemap_limit(const sitemap *s)
{
  return s->limit ? s->limit : s->reader.has_lost ? "unreadable URLs" : NULL;
}

uint64_t sitemap_steps(const sitemap *s)
{
  return s->reader.steps;
}

sitemap *sitemap_create(sitemap_visitor *visit, void *context)
{
  sitemap *s = calloc(1, sizeof *s);
  if (!s || !(s->decoder = decoder_create(read_text, s))) {
    free(s);
    return NULL;
  }
  s->visit = visit;
  s->context = context;
  sitemap_begin(s, NULL);
  return s;
}

void sitemap_begin(sitemap *s, const charset *said)
{
  content_stream_free(s->gzip);
  s->gzip = NULL;
  s->is_over = s->is_pending = false;
  s->limit = NULL;
  s->head_size = s->read = s->urls = 0;
  decoder_begin(s->decoder, said);
  decoder_expect_xml(s->decoder);
  sitemap_reader_begin(&s->reader, give, s);
}

void sitemap_free(sitemap *s)
{
  if (!s)
    return;
  content_stream_free(s->gzip);
  decoder_free(s->decoder);
  free(s);
}
