/* See link_headers.h. */
#include "crawler/html/link_headers.h"

#include <string.h>
#include <strings.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

typedef struct words {
  const char *begin;
  size_t size;
} words;

static bool is_space(char c)
{
  return c == ' ' || c == '\t';
}

static void skip(cursor *in, const char *set)
{
  while (in->at < in->end && strchr(set, *in->at))
    in->at++;
}

static words take_until(cursor *in, const char *set)
{
  words taken = {.begin = in->at};
  while (in->at < in->end && !strchr(set, *in->at))
    in->at++;
  taken.size = (size_t)(in->at - taken.begin);
  return taken;
}

static bool is_word(words w, const char *word)
{
  return w.size == strlen(word) && strncasecmp(w.begin, word, w.size) == 0;
}

/* ---- Link: <target>; rel="next"; title="a, b", <target>; ... --------------------------------------------- */

/* A parameter's value; of a quoted one the quotes' inside, escapes as they stand: no relation has one. */
static words take_value(cursor *in)
{
  if (in->at == in->end || *in->at != '"')
    return take_until(in, "; \t,");
  words value = {.begin = ++in->at};
  while (in->at < in->end && *in->at != '"')
    in->at += *in->at == '\\' && in->end - in->at > 1 ? 2 : 1;
  value.size = (size_t)(in->at - value.begin);
  in->at += in->at < in->end;
  return value;
}

/* Of two parameters of one name the first counts (section 3.3). */
static void take_parameters(cursor *in, words *rel, bool *is_of_another)
{
  skip(in, " \t");
  while (in->at < in->end && *in->at == ';') {
    skip(in, "; \t");
    words name = take_until(in, "=;, \t"), value = {.begin = ""};
    skip(in, " \t");
    if (in->at < in->end && *in->at == '=') {
      in->at++;
      skip(in, " \t");
      value = take_value(in);
    }
    if (is_word(name, "rel") && !rel->size)
      *rel = value;
    *is_of_another |= is_word(name, "anchor");
    skip(in, " \t");
  }
}

void link_headers_read_link(const char *value, links_visitor *visit, void *context)
{
  cursor in = {value, value + strlen(value)};
  for (skip(&in, ", \t"); in.at < in.end && *in.at == '<'; skip(&in, ", \t")) {
    in.at++;
    words target = take_until(&in, ">"), rel = {.begin = ""};
    if (in.at == in.end)
      return;
    in.at++;
    bool is_of_another = false;
    take_parameters(&in, &rel, &is_of_another);
    link_found link = {.kind = LINK_LINK, .href = target.begin, .size = target.size, .attribute = "link"};
    if (links_read_rel(rel.begin, rel.size, &link) && !is_of_another)
      visit(context, &link);
    take_until(&in, ","); /* what could not be read */
  }
}

/* ---- X-Robots-Tag ---------------------------------------------------------------------------------------- */

/* Those that have a value, and so look like an agent. */
static bool is_directive(words name)
{
  static const char *const with_values[] = {"unavailable_after", "max-snippet", "max-image-preview",
                                            "max-video-preview"};
  for (size_t i = 0; i < sizeof with_values / sizeof *with_values; i++)
    if (is_word(name, with_values[i]))
      return true;
  return false;
}

/* What is before the ':' of an element; false: it has none, or what is before it is more than a word, as in a date. */
static bool take_name(cursor *in, words *name)
{
  cursor ahead = *in;
  *name = take_until(&ahead, ":,");
  while (name->size && is_space(name->begin[name->size - 1]))
    name->size--;
  cursor inside = {name->begin, name->begin + name->size};
  if (ahead.at == ahead.end || *ahead.at != ':' || take_until(&inside, " \t").size < name->size)
    return false;
  in->at = ahead.at + 1;
  return true;
}

static void take_directives(cursor *in, bool *nofollow, bool *noindex)
{
  for (skip(in, " \t"); in->at < in->end && *in->at != ','; skip(in, " \t")) {
    words word = take_until(in, " \t,");
    bool is_none = is_word(word, "none");
    *nofollow |= is_none || is_word(word, "nofollow");
    *noindex |= is_none || is_word(word, "noindex");
  }
}

void link_headers_read_robots(const char *value, const char *agent, bool *nofollow, bool *noindex)
{
  cursor in = {value, value + strlen(value)};
  bool is_ours = true, is_date = false, not_ours = false;
  for (skip(&in, " \t,"); in.at < in.end; skip(&in, " \t,")) {
    words name;
    bool is_rest_of_date = is_date && *in.at >= '0' && *in.at <= '9';
    if (is_rest_of_date || !take_name(&in, &name)) {
      take_directives(&in, is_ours ? nofollow : &not_ours, is_ours ? noindex : &not_ours);
      is_date = false;
    } else if (is_directive(name)) {
      is_date = is_word(name, "unavailable_after");
      take_until(&in, ",");
    } else {
      is_ours = is_word(name, agent) || is_word(name, "*");
    }
  }
}
