/* The standard's steps for a refresh, in its order. */
#include "crawler/html/refresh.h"

#include "crawler/base/chars.h"

#include <string.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

static void skip_spaces(cursor *in)
{
  while (in->at < in->end && is_space(*in->at))
    in->at++;
}

/* Steps over `letter` (lower-case) in either case. */
static bool take(cursor *in, char letter)
{
  if (in->at == in->end || (*in->at | 32) != letter)
    return false;
  in->at++;
  return true;
}

/* The seconds, and what parts them from the URL. False: this is no refresh. */
static bool skip_time(cursor *in)
{
  const char *begin = in->at;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
    in->at++;
  if (in->at == begin && (in->at == in->end || *in->at != '.'))
    return false;
  while (in->at < in->end && ((*in->at >= '0' && *in->at <= '9') || *in->at == '.'))
    in->at++;
  if (in->at < in->end && *in->at != ';' && *in->at != ',' && !is_space(*in->at))
    return false;
  skip_spaces(in);
  if (in->at < in->end && (*in->at == ';' || *in->at == ','))
    in->at++;
  skip_spaces(in);
  return true;
}

/* Steps over "url=" if it is all there. True: a quote may follow. A word that only begins like it is the URL itself,
 * quotes and all. */
static bool skip_url_word(cursor *in)
{
  cursor word = *in;
  if (!take(&word, 'u'))
    return true;
  if (!take(&word, 'r') || !take(&word, 'l'))
    return false;
  skip_spaces(&word);
  if (word.at == word.end || *word.at != '=')
    return false;
  word.at++;
  skip_spaces(&word);
  *in = word;
  return true;
}

bool refresh_find_url(const char *content, size_t size, const char **url, size_t *url_size)
{
  cursor in = {content, content + size};
  skip_spaces(&in);
  if (!skip_time(&in) || in.at == in.end)
    return false;
  bool may_be_quoted = skip_url_word(&in);
  const char *end = in.end;
  if (may_be_quoted && in.at < in.end && (*in.at == '"' || *in.at == '\'')) {
    char quote = *in.at++;
    const char *close = memchr(in.at, quote, (size_t)(in.end - in.at));
    end = close ? close : in.end;
  }
  *url = in.at;
  *url_size = (size_t)(end - in.at);
  return true;
}
