/* Is a path allowed by the rules that robots.c read? They are sorted longest first, and the first that matches decides.
 *
 * Where the RFC and Google's matcher, which shows what is usual, disagree on percent-encoding, the more restrictive
 * wins: a Disallow matches byte for byte or with %62 read as b (section 2.2.2); an Allow matches only byte for byte,
 * case of hex digits aside. So there are two spellings of each pattern and each path. */
#include "crawler/robots/robots_inside.h"

#include <string.h>

enum {
  PATH_MAX_BYTES = 32768,   /* no URL is longer; a longer path is compared byte for byte only */
  WORK_MAX_BYTES = 9 << 20, /* of path searched for one answer, some 10 ms; 5,000 wildcards on a path of 200 need
                               1 << 20 */
  SEARCH_BYTES = 16,        /* to begin a search takes as long as so many bytes of path */
  WORD_BITS = 64,
};

/* Spellings. */

static char upper(char c)
{
  return c >= 'a' && c <= 'z' ? (char)(c & ~32) : c;
}

static bool is_unreserved(int byte)
{
  return is_letter((char)byte) || is_digit((char)byte) || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

size_t robots_spell_exact(text pattern, char *out)
{
  char *to = out;
  for (const char *at = pattern.at, *end = at + pattern.size; at < end; at++) {
    unsigned byte = (unsigned char)*at;
    *to++ = byte >= 0x80 ? '%' : *at;
    if (byte >= 0x80) {
      *to++ = "0123456789ABCDEF"[byte >> 4];
      *to++ = "0123456789ABCDEF"[byte & 15];
    } else if (escaped_byte(at, end) >= 0) {
      *to++ = upper(*++at);
      *to++ = upper(*++at);
    }
  }
  return (size_t)(to - out);
}

size_t robots_spell_decoded(text exact, char *out)
{
  size_t written = 0;
  for (const char *at = exact.at, *end = at + exact.size; at < end; at++) {
    int byte = escaped_byte(at, end);
    bool may_decode = byte >= 0x80 || (byte >= 0 && is_unreserved(byte));
    out[written++] = may_decode ? (char)byte : *at;
    at += may_decode ? 2 : 0;
  }
  return written;
}

/* A path in the two spellings that rules have. */
typedef struct spellings {
  text exact, decoded;
} spellings;

static bool is_plain(text sent)
{
  for (size_t i = 0; i < sent.size; i++)
    if (sent.at[i] == '%' || (unsigned char)sent.at[i] >= 0x80)
      return false;
  return true;
}

static spellings path_prepare(text sent, char exact[PATH_MAX_BYTES], char decoded[PATH_MAX_BYTES])
{
  if (is_plain(sent) || sent.size > PATH_MAX_BYTES)
    return (spellings){sent, sent};
  const char *end = sent.at + sent.size;
  memcpy(exact, sent.at, sent.size);
  for (size_t i = 0; i < sent.size; i++)
    if (escaped_byte(sent.at + i, end) >= 0) {
      exact[i + 1] = upper(exact[i + 1]);
      exact[i + 2] = upper(exact[i + 2]);
    }
  text same = {exact, sent.size};
  return (spellings){same, {decoded, robots_spell_decoded(same, decoded)}};
}

/* Matching. */

static text literal_before_star(text pattern)
{
  const char *star = memchr(pattern.at, '*', pattern.size);
  return (text){pattern.at, star ? (size_t)(star - pattern.at) : pattern.size};
}

static text skip(text all, size_t size)
{
  return (text){all.at + size, all.size - size};
}

/* Shift-And (Baeza-Yates and Gonnet 1992): bit i of `ends` says that the bytes so far end with the first i + 1 of the
 * piece. A byte is a step whatever there is; memmem takes ten times as long where a piece nearly matches everywhere. */
static const char *find_short(text path, text piece)
{
  uint64_t places[256] = {0}, ends = 0, last = (uint64_t)1 << (piece.size - 1);
  for (size_t i = 0; i < piece.size; i++)
    places[(unsigned char)piece.at[i]] |= (uint64_t)1 << i;
  for (size_t i = 0; i < path.size; i++) {
    ends = (ends << 1 | 1) & places[(unsigned char)path.at[i]];
    if (ends & last)
      return path.at + i + 1 - piece.size;
  }
  return NULL;
}

/* Where the piece begins first; NULL: nowhere. Adds to `*work` the bytes it searched. */
static const char *find_piece(text path, text piece, size_t *work)
{
  bool is_short = piece.size >= 2 && piece.size <= WORD_BITS; /* of one byte or none memmem is memchr */
  const char *found = is_short ? find_short(path, piece) : memmem(path.at, path.size, piece.at, piece.size);
  *work += SEARCH_BYTES + (found ? (size_t)(found - path.at) : path.size);
  return found;
}

/* Does the pattern match the beginning of the path, or with a final '$' all of it? The leftmost place for each piece
 * between stars is as good as any other, so nothing is tried twice. Adds to `*work` the bytes it searched. */
static bool pattern_matches(text pattern, text path, size_t *work)
{
  bool is_whole = pattern.size > 0 && pattern.at[pattern.size - 1] == '$';
  pattern.size -= is_whole;
  text piece = literal_before_star(pattern);
  if (piece.size > path.size || memcmp(piece.at, path.at, piece.size) != 0)
    return false;
  pattern = skip(pattern, piece.size);
  path = skip(path, piece.size);
  if (pattern.size == 0)
    return !is_whole || path.size == 0;
  while (pattern.size > 0) {
    pattern = skip(pattern, 1);
    piece = literal_before_star(pattern);
    pattern = skip(pattern, piece.size);
    if (pattern.size == 0 && is_whole)
      return piece.size <= path.size && memcmp(piece.at, path.at + path.size - piece.size, piece.size) == 0;
    const char *found = find_piece(path, piece, work);
    if (!found)
      return false;
    path = skip(path, (size_t)(found - path.at) + piece.size);
  }
  return true;
}

static bool rule_matches(const robots *file, const rule *candidate, const spellings *path, size_t *work)
{
  text exact = {file->bytes + candidate->exact.begin, candidate->exact.size};
  if (pattern_matches(exact, path->exact, work))
    return true;
  text decoded = {file->bytes + candidate->decoded.begin, candidate->decoded.size};
  bool is_same = decoded.size == exact.size && path->decoded.size == path->exact.size;
  return !candidate->allows && !is_same && pattern_matches(decoded, path->decoded, work);
}

bool robots_allows(const robots *file, const char *sent, size_t size, const char **deciding)
{
  if (size == 0)
    sent = "/", size = 1;
  char exact[PATH_MAX_BYTES], decoded[PATH_MAX_BYTES];
  spellings path = path_prepare((text){sent, size}, exact, decoded);
  if (deciding)
    *deciding = "";
  if (size == 11 && memcmp(sent, "/robots.txt", 11) == 0) /* section 2.2.2: implicitly allowed */
    return true;
  size_t work = 0;
  for (size_t i = 0; i < file->rule_count && work <= WORK_MAX_BYTES; i++)
    if (rule_matches(file, &file->rules[i], &path, &work)) {
      if (deciding)
        *deciding = file->bytes + file->rules[i].line;
      return file->rules[i].allows;
    }
  if (work > WORK_MAX_BYTES && deciding)
    *deciding = "too many wildcards for so long a path";
  return work <= WORK_MAX_BYTES;
}
