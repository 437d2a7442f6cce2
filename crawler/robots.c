/* robots.txt by RFC 9309, in two readings of the text: does a group name our agent, and then the rules of its
 * groups (or those of "*"). Rules are kept longest first, Allow before Disallow, so the first match decides.
 *
 * Where the RFC and Google's matcher, which wrote the field's habits down, disagree on percent-encoding, the more
 * restrictive wins: a Disallow matches if either does, byte for byte or with %62 taken for b (section 2.2.2); an Allow
 * matches only byte for byte, case of hex digits aside. */
#include "crawler/robots.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  LINE_MAX_BYTES = 16663, /* the rest of a longer line is dropped, as by Google's parser */
  PATH_MAX_BYTES = 32768, /* no URL is longer; a longer path is compared byte for byte only */
  WORK_MAX_BYTES = 1 << 24, /* of path searched for one answer, some 10 ms; 5,000 wildcards on a path of 200 need
                               1 << 20 */
};

static const double crawl_delay_max = 1e9;

typedef struct text {
  const char *at;
  size_t size;
} text;

typedef enum line_kind { LINE_OTHER, LINE_AGENT, LINE_ALLOW, LINE_DISALLOW, LINE_CRAWL_DELAY, LINE_SITEMAP } line_kind;

/* A part of robots.bytes. */
typedef struct span {
  uint32_t begin, size;
} span;

typedef struct rule {
  bool allows;
  uint32_t line;   /* "disallow: /private", NUL-terminated, in robots.bytes; also the order in the file */
  span exact;      /* the pattern, bytes over 0x7F escaped, hex digits upper-case */
  span decoded;    /* unreserved characters and bytes over 0x7F unescaped */
} rule;

struct robots {
  rule *rules;
  uint32_t *sitemaps; /* offsets into bytes */
  char *bytes;
  size_t rule_count, sitemap_count, byte_count;
  double crawl_delay;
};

/* Characters. */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static char lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

static char upper(char c)
{
  return c >= 'a' && c <= 'z' ? (char)(c & ~32) : c;
}

static bool is_letter(char c)
{
  return lower(c) >= 'a' && lower(c) <= 'z';
}

static int hex_value(char c)
{
  return is_digit(c) ? c - '0' : lower(c) >= 'a' && lower(c) <= 'f' ? lower(c) - 'a' + 10 : -1;
}

/* The byte that "%62" at `at` stands for, or -1. */
static int escaped_byte(const char *at, const char *end)
{
  if (end - at < 3 || *at != '%' || hex_value(at[1]) < 0 || hex_value(at[2]) < 0)
    return -1;
  return hex_value(at[1]) * 16 + hex_value(at[2]);
}

static bool is_unreserved(int byte)
{
  return is_letter((char)byte) || is_digit((char)byte) || byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

/* Lines. */

static text trim(text line)
{
  while (line.size > 0 && is_blank(line.at[0]))
    line.at++, line.size--;
  while (line.size > 0 && is_blank(line.at[line.size - 1]))
    line.size--;
  return line;
}

/* The next line without its comment; CR, LF and CRLF all end one. */
static bool next_line(text *rest, text *line)
{
  if (rest->size == 0)
    return false;
  size_t size = 0;
  while (size < rest->size && rest->at[size] != '\n' && rest->at[size] != '\r')
    size++;
  *line = (text){ rest->at, size < LINE_MAX_BYTES ? size : LINE_MAX_BYTES };
  const char *comment = memchr(line->at, '#', line->size);
  if (comment)
    line->size = (size_t)(comment - line->at);
  *line = trim(*line);
  size += size < rest->size;
  rest->at += size;
  rest->size -= size;
  return true;
}

static bool starts_with(text value, const char *word)
{
  size_t size = strlen(word);
  if (value.size < size)
    return false;
  for (size_t i = 0; i < size; i++)
    if (lower(value.at[i]) != word[i])
      return false;
  return true;
}

/* As Google's parser takes them: the names themselves and what people type instead, by their beginnings. */
static line_kind kind_of(text name)
{
  static const struct { const char *word; line_kind kind; } names[] = {
    { "user-agent", LINE_AGENT }, { "useragent", LINE_AGENT }, { "user agent", LINE_AGENT }, { "allow", LINE_ALLOW },
    { "disallow", LINE_DISALLOW }, { "dissallow", LINE_DISALLOW }, { "dissalow", LINE_DISALLOW },
    { "disalow", LINE_DISALLOW }, { "diasllow", LINE_DISALLOW }, { "disallaw", LINE_DISALLOW },
    { "crawl-delay", LINE_CRAWL_DELAY }, { "crawldelay", LINE_CRAWL_DELAY },
    { "sitemap", LINE_SITEMAP }, { "site-map", LINE_SITEMAP },
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (starts_with(name, names[i].word))
      return names[i].kind;
  return LINE_OTHER;
}

/* "name: value", or "name value" of exactly two words, as some forget the colon. */
static line_kind line_read(text line, text *value)
{
  size_t split = 0;
  const char *colon = memchr(line.at, ':', line.size);
  if (colon)
    split = (size_t)(colon - line.at);
  else
    while (split < line.size && line.at[split] != ' ' && line.at[split] != '\t')
      split++;
  if (split == line.size)
    return LINE_OTHER;
  *value = trim((text){ line.at + split + 1, line.size - split - 1 });
  if (!colon && (memchr(value->at, ' ', value->size) || memchr(value->at, '\t', value->size)))
    return LINE_OTHER;
  return kind_of(trim((text){ line.at, split }));
}

/* Agents. */

static bool is_any_agent(text value)
{
  return value.size > 0 && value.at[0] == '*' && (value.size == 1 || is_blank(value.at[1]));
}

/* A product token is letters, "-" and "_" (section 2.2.1): "FooBot/2.1" and "foobot (+http://...)" both name FooBot.
 * An agent that calls itself by a number all the same is compared with its digits. */
static bool is_agent(text value, const char *agent)
{
  size_t agent_size = strlen(agent), size = 0;
  bool has_digits = strpbrk(agent, "0123456789") != NULL;
  while (size < value.size && (is_letter(value.at[size]) || value.at[size] == '-' || value.at[size] == '_' ||
                               (has_digits && is_digit(value.at[size]))))
    size++;
  if (size != agent_size)
    return false;
  for (size_t i = 0; i < size; i++)
    if (lower(value.at[i]) != lower(agent[i]))
      return false;
  return true;
}

/* Storing. The arrays were made large enough by `survey`. */

static uint32_t store(robots *file, const char *bytes, size_t size)
{
  uint32_t begin = (uint32_t)file->byte_count;
  memcpy(file->bytes + begin, bytes, size);
  file->byte_count += size;
  return begin;
}

static uint32_t store_line(robots *file, const char *name, text value)
{
  uint32_t begin = store(file, name, strlen(name));
  store(file, value.at, value.size);
  store(file, "", 1);
  return begin;
}

static span store_exact(robots *file, text pattern)
{
  span exact = { (uint32_t)file->byte_count, 0 };
  for (const char *at = pattern.at, *end = at + pattern.size; at < end; at++)
    if ((unsigned char)*at >= 0x80) {
      unsigned byte = (unsigned char)*at;
      store(file, (char[]){ '%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15] }, 3);
    } else if (escaped_byte(at, end) >= 0) {
      store(file, (char[]){ '%', upper(at[1]), upper(at[2]) }, 3);
      at += 2;
    } else
      store(file, at, 1);
  exact.size = (uint32_t)file->byte_count - exact.begin;
  return exact;
}

/* Writes [at, at + size) to `out`, which has room for as much, with what may be unescaped unescaped. */
static size_t decode(const char *at, size_t size, char *out)
{
  size_t written = 0;
  for (const char *end = at + size; at < end; at++) {
    int byte = escaped_byte(at, end);
    bool may_decode = byte >= 0x80 || (byte >= 0 && is_unreserved(byte));
    out[written++] = may_decode ? (char)byte : *at;
    at += may_decode ? 2 : 0;
  }
  return written;
}

/* A rule for `pattern` followed by `tail`, "" or "$". */
static void add_rule(robots *file, bool allows, uint32_t line, text pattern, const char *tail)
{
  rule *added = &file->rules[file->rule_count++];
  added->allows = allows;
  added->line = line;
  added->exact = store_exact(file, pattern);
  store(file, tail, strlen(tail));
  added->exact.size += (uint32_t)strlen(tail);
  added->decoded.begin = (uint32_t)file->byte_count;
  added->decoded.size =
    (uint32_t)decode(file->bytes + added->exact.begin, added->exact.size, file->bytes + added->decoded.begin);
  file->byte_count += added->decoded.size;
}

/* To allow /dir/index.html is to allow /dir/ (a habit of Google's that sites count on). */
static void add_index_rule(robots *file, uint32_t line, text pattern)
{
  size_t directory = pattern.size;
  while (directory > 0 && pattern.at[directory - 1] != '/')
    directory--;
  text name = { pattern.at + directory, pattern.size - directory };
  if (directory > 0 && name.size >= 9 && memcmp(name.at, "index.htm", 9) == 0)
    add_rule(file, true, line, (text){ pattern.at, directory }, "$");
}

/* Seconds in decimal, or -1. No strtod: it reads hexadecimal, "inf", and the user's decimal comma. */
static double seconds_read(text value)
{
  double seconds = 0, unit = 1;
  size_t i = 0, digits = 0;
  for (; i < value.size && is_digit(value.at[i]); i++, digits++)
    seconds = seconds * 10 + (value.at[i] - '0');
  if (i < value.size && value.at[i] == '.')
    for (i++; i < value.size && is_digit(value.at[i]); i++, digits++)
      seconds += (value.at[i] - '0') * (unit /= 10);
  if (digits == 0)
    return -1;
  return seconds < crawl_delay_max ? seconds : crawl_delay_max;
}

/* First reading: is there a group for our agent, and how much is there to store at most? */
typedef struct survey {
  bool names_agent;
  size_t rules, sitemaps, bytes;
} survey;

static survey survey_text(text rest, const char *agent)
{
  survey found = { 0 };
  for (text line, value; next_line(&rest, &line);) {
    line_kind kind = line_read(line, &value);
    if (kind == LINE_AGENT)
      found.names_agent |= is_agent(value, agent);
    else if (kind == LINE_SITEMAP) {
      found.sitemaps++;
      found.bytes += value.size + 1;
    } else if (kind == LINE_ALLOW || kind == LINE_DISALLOW) {
      found.rules += 2; /* one, and one for its index.html */
      found.bytes += sizeof "disallow: " + value.size + 2 * (3 + 1) * (value.size + 1); /* escaped 3, decoded 1 */
    }
  }
  return found;
}

/* Second reading. A group is agent lines, then rules; lines of other kinds do not end it. Groups of one agent add
 * up. */
static void collect(robots *file, text rest, const char *agent)
{
  bool applies = false, has_rules = false;
  for (text line, value; next_line(&rest, &line);)
    switch (line_read(line, &value)) {
    case LINE_AGENT:
      applies = (applies && !has_rules) || (agent ? is_agent(value, agent) : is_any_agent(value));
      has_rules = false;
      break;
    case LINE_ALLOW:
      has_rules = true;
      if (applies && value.size > 0) {
        uint32_t shown = store_line(file, "allow: ", value);
        add_rule(file, true, shown, value, "");
        add_index_rule(file, shown, value);
      }
      break;
    case LINE_DISALLOW:
      has_rules = true;
      if (applies && value.size > 0)
        add_rule(file, false, store_line(file, "disallow: ", value), value, "");
      break;
    case LINE_CRAWL_DELAY:
      if (applies && seconds_read(value) > file->crawl_delay)
        file->crawl_delay = seconds_read(value);
      break;
    case LINE_SITEMAP:
      if (value.size > 0)
        file->sitemaps[file->sitemap_count++] = store_line(file, "", value);
      break;
    case LINE_OTHER:
      break;
    }
}

/* Longest first; of equals Allow first, so that it wins the tie; then as in the file. */
static int compare_rules(const void *left, const void *right)
{
  const rule *a = left, *b = right;
  if (a->exact.size != b->exact.size)
    return a->exact.size > b->exact.size ? -1 : 1;
  if (a->allows != b->allows)
    return a->allows ? -1 : 1;
  return a->line < b->line ? -1 : a->line > b->line;
}

/* The survey counts what a file may need at most, a crawl keeps thousands of files. */
static void *shrink(void *array, size_t size)
{
  void *shrunk = realloc(array, size);
  if (!shrunk)
    return array; /* is still there, only larger */
  return shrunk;
}

robots *robots_parse(const char *bytes, size_t size, const char *agent)
{
  text all = { bytes, size < ROBOTS_SIZE_MAX ? size : ROBOTS_SIZE_MAX };
  if (all.size >= 3 && memcmp(all.at, "\xEF\xBB\xBF", 3) == 0)
    all = (text){ all.at + 3, all.size - 3 };
  survey found = survey_text(all, agent);
  robots *file = calloc(1, sizeof *file);
  if (!file)
    return NULL;
  file->rules = calloc(found.rules + 1, sizeof *file->rules);
  file->sitemaps = calloc(found.sitemaps + 1, sizeof *file->sitemaps);
  file->bytes = malloc(found.bytes ? found.bytes : 1);
  if (!file->rules || !file->sitemaps || !file->bytes) {
    robots_free(file);
    return NULL;
  }
  file->crawl_delay = -1;
  collect(file, all, found.names_agent ? agent : NULL);
  qsort(file->rules, file->rule_count, sizeof *file->rules, compare_rules);
  file->rules = shrink(file->rules, (file->rule_count + 1) * sizeof *file->rules);
  file->bytes = shrink(file->bytes, file->byte_count + 1);
  return file;
}

void robots_free(robots *file)
{
  if (!file)
    return;
  free(file->rules);
  free(file->sitemaps);
  free(file->bytes);
  free(file);
}

/* Matching. */

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
    return (spellings){ sent, sent };
  const char *end = sent.at + sent.size;
  memcpy(exact, sent.at, sent.size);
  for (size_t i = 0; i < sent.size; i++)
    if (escaped_byte(sent.at + i, end) >= 0) {
      exact[i + 1] = upper(exact[i + 1]);
      exact[i + 2] = upper(exact[i + 2]);
    }
  return (spellings){ { exact, sent.size }, { decoded, decode(exact, sent.size, decoded) } };
}

static text literal_before_star(text pattern)
{
  const char *star = memchr(pattern.at, '*', pattern.size);
  return (text){ pattern.at, star ? (size_t)(star - pattern.at) : pattern.size };
}

static text skip(text all, size_t size)
{
  return (text){ all.at + size, all.size - size };
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
    *work += path.size;
    const char *found = memmem(path.at, path.size, piece.at, piece.size);
    if (!found)
      return false;
    path = skip(path, (size_t)(found - path.at) + piece.size);
  }
  return true;
}

static bool rule_matches(const robots *file, const rule *candidate, const spellings *path, size_t *work)
{
  text exact = { file->bytes + candidate->exact.begin, candidate->exact.size };
  if (pattern_matches(exact, path->exact, work))
    return true;
  text decoded = { file->bytes + candidate->decoded.begin, candidate->decoded.size };
  bool is_same = decoded.size == exact.size && path->decoded.size == path->exact.size;
  return !candidate->allows && !is_same && pattern_matches(decoded, path->decoded, work);
}

bool robots_allows(const robots *file, const char *sent, size_t size, const char **deciding)
{
  if (size == 0)
    sent = "/", size = 1;
  char exact[PATH_MAX_BYTES], decoded[PATH_MAX_BYTES];
  spellings path = path_prepare((text){ sent, size }, exact, decoded);
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

double robots_crawl_delay(const robots *file)
{
  return file->crawl_delay;
}

const char *robots_sitemap(const robots *file, size_t index)
{
  return index < file->sitemap_count ? file->bytes + file->sitemaps[index] : NULL;
}
