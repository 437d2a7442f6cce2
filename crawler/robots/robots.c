/* Reading robots.txt by RFC 9309, twice: does a group name our agent, and then the rules of its groups (or those of
 * "*"). Rules are kept longest first, Allow before Disallow, so that the first match decides (robots_match.c). */
#include "crawler/robots/robots_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 16663 }; /* the rest of a longer line is dropped, as by Google's parser */

static const double crawl_delay_max = 1e9;

typedef enum line_kind { LINE_OTHER, LINE_AGENT, LINE_ALLOW, LINE_DISALLOW, LINE_CRAWL_DELAY, LINE_SITEMAP } line_kind;

/* Lines. */

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\0';
}

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
  *line = (text){rest->at, size < LINE_MAX_BYTES ? size : LINE_MAX_BYTES};
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
  static const struct {
    const char *word;
    line_kind kind;
  } names[] = {
    {"user-agent", LINE_AGENT},  {"useragent", LINE_AGENT},         {"user agent", LINE_AGENT},
    {"allow", LINE_ALLOW},       {"disallow", LINE_DISALLOW},       {"dissallow", LINE_DISALLOW},
    {"dissalow", LINE_DISALLOW}, {"disalow", LINE_DISALLOW},        {"diasllow", LINE_DISALLOW},
    {"disallaw", LINE_DISALLOW}, {"crawl-delay", LINE_CRAWL_DELAY}, {"crawldelay", LINE_CRAWL_DELAY},
    {"sitemap", LINE_SITEMAP},   {"site-map", LINE_SITEMAP},
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
  *value = trim((text){line.at + split + 1, line.size - split - 1});
  if (!colon && (memchr(value->at, ' ', value->size) || memchr(value->at, '\t', value->size)))
    return LINE_OTHER;
  return kind_of(trim((text){line.at, split}));
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

/* A rule for `pattern` followed by `tail`, "" or "$". */
static void add_rule(robots *file, bool allows, uint32_t line, text pattern, const char *tail)
{
  rule *added = &file->rules[file->rule_count++];
  added->allows = allows;
  added->line = line;
  added->exact.begin = (uint32_t)file->byte_count;
  file->byte_count += robots_spell_exact(pattern, file->bytes + added->exact.begin);
  store(file, tail, strlen(tail));
  added->exact.size = (uint32_t)file->byte_count - added->exact.begin;
  added->decoded.begin = (uint32_t)file->byte_count;
  text exact = {file->bytes + added->exact.begin, added->exact.size};
  added->decoded.size = (uint32_t)robots_spell_decoded(exact, file->bytes + added->decoded.begin);
  assert(added->decoded.size <= added->exact.size && added->exact.size <= 3 * pattern.size + strlen(tail));
  const char *decoded = file->bytes + added->decoded.begin;
  if (added->decoded.size == exact.size && memcmp(exact.at, decoded, exact.size) == 0)
    added->decoded = added->exact; /* of most */
  else
    file->byte_count += added->decoded.size;
}

/* To allow /dir/index.html is to allow /dir/ (a habit of Google's that sites count on). */
static void add_index_rule(robots *file, uint32_t line, text pattern)
{
  size_t directory = pattern.size;
  while (directory > 0 && pattern.at[directory - 1] != '/')
    directory--;
  text name = {pattern.at + directory, pattern.size - directory};
  if (directory > 0 && name.size >= 9 && memcmp(name.at, "index.htm", 9) == 0)
    add_rule(file, true, line, (text){pattern.at, directory}, "$");
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
  survey found = {0};
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
    case LINE_OTHER: break;
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
  text all = {bytes, size < ROBOTS_SIZE_MAX ? size : ROBOTS_SIZE_MAX};
  if (all.size >= 3 && memcmp(all.at, "\xEF\xBB\xBF", 3) == 0)
    all = (text){all.at + 3, all.size - 3};
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
  assert(file->rule_count <= found.rules && file->sitemap_count <= found.sitemaps && file->byte_count <= found.bytes);
  qsort(file->rules, file->rule_count, sizeof *file->rules, compare_rules);
  file->rules = shrink(file->rules, (file->rule_count + 1) * sizeof *file->rules);
  file->bytes = shrink(file->bytes, file->byte_count + 1);
  file->sitemaps = shrink(file->sitemaps, (file->sitemap_count + 1) * sizeof *file->sitemaps);
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

double robots_crawl_delay(const robots *file)
{
  return file->crawl_delay;
}

const char *robots_sitemap(const robots *file, size_t index)
{
  return index < file->sitemap_count ? file->bytes + file->sitemaps[index] : NULL;
}
