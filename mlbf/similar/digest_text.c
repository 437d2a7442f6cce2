/* Digests as lines of text, in the format of sdhash 4.0.
 *
 *     sdbf:03:<name length>:<name>:<size>:sha1:256:5:7ff:160:<filters>:<features of the last>:<all filters in base64>
 *     sdbf-dd:03:<name length>:<name>:<size>:sha1:256:5:7ff:192:<blocks>:16384 and for each block
 *       :<features, two hex digits or more>:<its filter in base64>
 *
 * Always: a line that this file wrote reads as the digest that it was written from. Of any other line every field is
 * checked before it is believed, nothing beyond its end is read, and memory is asked for only if the line has bytes to
 * fill it. A digest is made whole or not at all.
 *
 * Called by `strata digest`, a crawl with --digests and its report; lines come from anybody. */
#include "mlbf/similar/digest_inside.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum {
  LINE_HEAD_MAX = 128, /* all of a line but its name and filters */
  FILTER_TEXT = (MLBF_DIGEST_FILTER_BYTES + 2) / 3 * 4,
};

static size_t base64_size(size_t bytes)
{
  return (bytes + 2) / 3 * 4;
}

/* ---- writing -------------------------------------------------------------------------------------------- */

static char *base64_encode(const uint8_t *bytes, size_t size, char *end)
{
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                     (left > 2 ? bytes[i + 2] : 0);
    *end++ = letters[three >> 18];
    *end++ = letters[three >> 12 & 63];
    *end++ = left > 1 ? letters[three >> 6 & 63] : '=';
    *end++ = left > 2 ? letters[three & 63] : '=';
  }
  return end;
}

static char *encode_name(const char *name, char *end)
{
  for (; *name; name++)
    *end++ = (unsigned char)*name < 0x20 || *name == 0x7f || *name == ':' ? '?' : *name;
  return end;
}

char *mlbf_digest_text(const mlbf_digest *d, const char *name)
{
  size_t filters = d->is_blocks ? d->filters * (FILTER_TEXT + 8) : base64_size(d->filters * MLBF_DIGEST_FILTER_BYTES);
  size_t room = LINE_HEAD_MAX + strlen(name) + filters;
  char *text = malloc(room), *end = text;
  if (!text)
    return NULL;
  end += sprintf(end, "%s:03:%zu:", d->is_blocks ? "sdbf-dd" : "sdbf", strlen(name));
  end = encode_name(name, end);
  end += sprintf(end, ":%" PRIu64 ":sha1:%d:%d:%x:%d:%zu:", d->input_size, MLBF_DIGEST_FILTER_BYTES, DIGEST_HASHES,
                 (unsigned)(DIGEST_BITS - 1), d->is_blocks ? DIGEST_BLOCK_FEATURES : DIGEST_STREAM_FEATURES,
                 d->filters);
  if (d->is_blocks) {
    end += sprintf(end, "%d", MLBF_DIGEST_BLOCK);
    for (size_t i = 0; i < d->filters; i++) {
      end += sprintf(end, ":%02x:", (unsigned)d->features[i]);
      end = base64_encode(d->bits + i * MLBF_DIGEST_FILTER_BYTES, MLBF_DIGEST_FILTER_BYTES, end);
    }
  } else {
    end += sprintf(end, "%u:", (unsigned)d->features[d->filters - 1]);
    end = base64_encode(d->bits, d->filters * MLBF_DIGEST_FILTER_BYTES, end);
  }
  *end = '\0';
  return text;
}

/* ---- reading -------------------------------------------------------------------------------------------- */

static const char no_memory[] = "out of memory";

/* What is left of a line, and the first thing that was wrong with it. */
typedef struct line {
  const char *at, *end;
  const char *why;
} line;

static bool wrong(line *l, const char *why)
{
  if (!l->why)
    l->why = why;
  return false;
}

/* The next field, up to ':' or the end of the line. */
static size_t field(line *l, const char **begin)
{
  const char *colon = l->at < l->end ? memchr(l->at, ':', (size_t)(l->end - l->at)) : NULL;
  const char *end = colon ? colon : l->end;
  *begin = l->at;
  l->at = colon ? colon + 1 : l->end;
  assert(*begin <= end && end <= l->end && l->at <= l->end);
  return (size_t)(end - *begin);
}

static bool read_number(line *l, unsigned base, uint64_t most, uint64_t *number, const char *why)
{
  const char *digits;
  size_t size = field(l, &digits);
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) {
    const char *all = "0123456789abcdef", *found = memchr(all, digits[i], base);
    if (!found || value > most)
      return wrong(l, why);
    value = base * value + (uint64_t)(found - all);
  }
  *number = value;
  return size > 0 && value <= most ? true : wrong(l, why);
}

static bool read_word(line *l, const char *word, const char *why)
{
  const char *found;
  size_t size = field(l, &found);
  return size == strlen(word) && memcmp(found, word, size) == 0 ? true : wrong(l, why);
}

static int letter_value(char letter)
{
  const char *found = letter ? strchr(letters, letter) : NULL;
  return found ? (int)(found - letters) : -1;
}

static bool base64_decode(line *l, uint8_t *bytes, size_t size)
{
  const char *text;
  size_t length = field(l, &text), filled = 0;
  if (length != base64_size(size))
    return wrong(l, "a filter is cut short or too long");
  for (size_t i = 0; i < length; i += 4) {
    uint32_t three = 0;
    for (size_t j = 0; j < 4; j++) {
      bool is_padding = j > 1 && filled + j - 1 >= size; /* letter j is the last with bits of byte j - 1 of the three */
      int value = is_padding ? 0 : letter_value(text[i + j]);
      if (value < 0 || (is_padding && text[i + j] != '='))
        return wrong(l, "a filter is not base64");
      three = three << 6 | (uint32_t)value;
    }
    for (int shift = 16; shift >= 0 && filled < size; shift -= 8)
      bytes[filled++] = (uint8_t)(three >> shift);
  }
  assert(filled == size);
  return true;
}

/* The name may hold anything but a line end; its length says where it stops. */
static bool read_name(line *l, char **name)
{
  uint64_t length;
  if (!read_number(l, 10, 65535, &length, "the length of the name is no number"))
    return false;
  if ((uint64_t)(l->end - l->at) <= length || l->at[length] != ':' || memchr(l->at, '\0', length))
    return wrong(l, "the name is not as long as it says");
  *name = malloc(length + 1);
  if (!*name)
    return wrong(l, no_memory);
  memcpy(*name, l->at, length);
  (*name)[length] = '\0';
  l->at += length + 1;
  return true;
}

static bool read_stream(line *l, mlbf_digest *d)
{
  uint64_t last;
  if (!read_number(l, 10, DIGEST_STREAM_FEATURES, &last, "the last filter has an impossible number of features"))
    return false;
  for (size_t i = 0; i < d->filters; i++)
    d->features[i] = i + 1 < d->filters ? DIGEST_STREAM_FEATURES : (uint16_t)last;
  return base64_decode(l, d->bits, d->filters * MLBF_DIGEST_FILTER_BYTES);
}

static bool read_blocks(line *l, mlbf_digest *d)
{
  uint64_t block, features;
  if (!read_number(l, 10, MLBF_DIGEST_BLOCK, &block, "blocks of another size") || block != MLBF_DIGEST_BLOCK)
    return wrong(l, "blocks of another size");
  for (size_t i = 0; i < d->filters; i++) {
    if (!read_number(l, 16, DIGEST_BLOCK_FEATURES, &features, "a filter has an impossible number of features") ||
        !base64_decode(l, d->bits + i * MLBF_DIGEST_FILTER_BYTES, MLBF_DIGEST_FILTER_BYTES))
      return false;
    d->features[i] = (uint16_t)features;
  }
  return true;
}

/* As many filters as the line has room for: a number from outside must not decide how much memory we ask for. */
static mlbf_digest *make_for(line *l, bool is_blocks, uint64_t input_size, uint64_t filters)
{
  if (filters == 0 || filters > (uint64_t)(l->end - l->at) / (FILTER_TEXT - 3)) {
    wrong(l, "it has not as many filters as it says");
    return NULL;
  }
  mlbf_digest *d = digest_make(is_blocks, input_size, (size_t)filters);
  if (!d)
    wrong(l, no_memory);
  return d;
}

static mlbf_digest *read_digest(line *l)
{
  const char *kind;
  char *name = NULL;
  uint64_t input_size, filters;
  size_t size = field(l, &kind);
  bool is_blocks = size == 7 && memcmp(kind, "sdbf-dd", 7) == 0;
  mlbf_digest *d = NULL;
  if (!is_blocks && (size != 4 || memcmp(kind, "sdbf", 4) != 0))
    wrong(l, "it begins with neither sdbf: nor sdbf-dd:");
  else if (read_word(l, "03", "a digest of another version than 03") && read_name(l, &name) &&
           read_number(l, 10, UINT64_MAX / 16, &input_size, "the size is no number") &&
           read_word(l, "sha1", "not made with sha1") && read_word(l, "256", "filters of another size than 256") &&
           read_word(l, "5", "not five hashes") && read_word(l, "7ff", "another mask than 7ff") &&
           read_word(l, is_blocks ? "192" : "160", "filters of another capacity") &&
           read_number(l, 10, UINT32_MAX, &filters, "the number of filters is no number"))
    d = make_for(l, is_blocks, input_size, filters);
  if (d && (is_blocks ? read_blocks(l, d) : read_stream(l, d)) && l->at == l->end) {
    free(d->name);
    d->name = name;
    return d;
  }
  wrong(l, "there is more behind it");
  free(name);
  mlbf_digest_free(d);
  return NULL;
}

mlbf_status mlbf_digest_parse(const char *text, size_t size, mlbf_digest **digest, const char **why)
{
  line l = {text, text + size, NULL};
  mlbf_digest *d = read_digest(&l);
  assert(!d == (l.why != NULL));
  if (!d) {
    *why = l.why;
    return l.why == no_memory ? MLBF_NO_MEMORY : MLBF_BAD_ARGUMENT;
  }
  *digest = d;
  return MLBF_OK;
}
