/* See prescan.h. The steps and their order are the standard's; a position past the end ends everything. */
#include "crawler/html/prescan.h"

#include "crawler/base/chars.h"

#include <string.h>
#include <strings.h>

typedef struct cursor {
  const char *at, *end;
} cursor;

typedef struct attribute {
  const char *name, *value;
  size_t name_size, value_size;
} attribute;

static bool begins_with(const cursor *in, const char *word)
{
  size_t size = strlen(word);
  return (size_t)(in->end - in->at) >= size && strncasecmp(in->at, word, size) == 0;
}

static bool is_text(const char *bytes, size_t size, const char *word)
{
  return size == strlen(word) && strncasecmp(bytes, word, size) == 0;
}

static void skip_spaces(cursor *in, bool also_slashes)
{
  while (in->at < in->end && (is_space(*in->at) || (also_slashes && *in->at == '/')))
    in->at++;
}

static void read_value(cursor *in, attribute *a)
{
  char quote = in->at < in->end && (*in->at == '"' || *in->at == '\'') ? *in->at++ : '\0';
  a->value = in->at;
  while (in->at < in->end && (quote ? *in->at != quote : !is_space(*in->at) && *in->at != '>'))
    in->at++;
  a->value_size = (size_t)(in->at - a->value);
  if (quote && in->at < in->end)
    in->at++;
}

/* "Get an attribute"; false: there are no more. */
static bool next_attribute(cursor *in, attribute *a)
{
  skip_spaces(in, true);
  if (in->at == in->end || *in->at == '>')
    return false;
  *a = (attribute){.name = in->at, .value = ""};
  while (in->at < in->end && !is_space(*in->at) && *in->at != '/' && *in->at != '>' &&
         (*in->at != '=' || in->at == a->name))
    in->at++;
  a->name_size = (size_t)(in->at - a->name);
  skip_spaces(in, false);
  if (in->at < in->end && *in->at == '=') {
    in->at++;
    skip_spaces(in, false);
    read_value(in, a);
  }
  return true;
}

/* What a <meta> says; of two attributes with one name the first counts. */
static const charset *read_meta(cursor *in)
{
  attribute a;
  const charset *by_charset = NULL, *by_content = NULL;
  bool is_pragma = false, has_pragma = false, has_charset = false, has_content = false;
  while (next_attribute(in, &a)) {
    if (!has_pragma && is_text(a.name, a.name_size, "http-equiv")) {
      has_pragma = true;
      is_pragma = is_text(a.value, a.value_size, "content-type");
    } else if (!has_content && is_text(a.name, a.name_size, "content")) {
      has_content = true;
      by_content = charset_of_content(a.value, a.value_size);
    } else if (!has_charset && is_text(a.name, a.name_size, "charset")) {
      has_charset = true;
      by_charset = charset_of_label(a.value, a.value_size);
    }
  }
  if (in->at == in->end) /* cut off: not a word of it counts */
    return NULL;
  if (has_charset)
    return charset_of_meta(by_charset);
  return is_pragma ? charset_of_meta(by_content) : NULL;
}

static void skip_comment(cursor *in)
{
  in->at += 2; /* the dashes of "<!-->" may end it too */
  while (in->at < in->end && !begins_with(in, "-->"))
    in->at++;
}

static void skip_to(cursor *in, char c)
{
  const char *found = memchr(in->at, c, (size_t)(in->end - in->at));
  in->at = found ? found : in->end;
}

static bool begins_meta(const cursor *in)
{
  return (in->at[1] | 32) == 'm' && in->end - in->at > 5 && begins_with(in, "<meta") &&
         (is_space(in->at[5]) || in->at[5] == '/');
}

/* Where the head is over for certain. */
static bool begins_body(const cursor *in)
{
  return (in->at[1] | 32) == 'b' && begins_with(in, "<body");
}

static void skip_tag(cursor *in)
{
  attribute a;
  while (in->at < in->end && !is_space(*in->at) && *in->at != '>')
    in->at++;
  while (next_attribute(in, &a))
    ;
}

/* <?xml version="1.0" encoding="..."?>; or its beginning in UTF-16, as a declaration that can be read says of none. */
const charset *prescan_xml(const char *bytes, size_t size)
{
  cursor in = {bytes, bytes + size};
  skip_spaces(&in, false);
  if (size >= 6 && memcmp(bytes, "<\0?\0x", 6) == 0)
    return charset_of_label("utf-16le", strlen("utf-16le"));
  if (size >= 6 && memcmp(bytes, "\0<\0?\0x", 6) == 0)
    return charset_of_label("utf-16be", strlen("utf-16be"));
  if (!begins_with(&in, "<?xml"))
    return NULL;
  const char *begin = in.at;
  skip_to(&in, '>');
  in.end = in.at;
  for (in.at = begin; in.at < in.end && !begins_with(&in, "encoding"); in.at++)
    ;
  skip_to(&in, '=');
  if (in.at == in.end)
    return NULL;
  in.at++;
  attribute a;
  skip_spaces(&in, false);
  read_value(&in, &a);
  return charset_of_meta(charset_of_label(a.value, a.value_size));
}

/* If there is none, wherever it may stand, the steps lead nowhere; finding that out takes a tenth of their time. */
static bool has_meta(const char *bytes, size_t size)
{
  cursor in = {bytes, bytes + size};
  for (skip_to(&in, '<'); in.end - in.at > 1; skip_to(&in, '<')) {
    if (begins_meta(&in))
      return true;
    in.at++;
  }
  return false;
}

static const charset *meta_charset(const char *bytes, size_t size)
{
  cursor in = {bytes, bytes + size};
  for (skip_to(&in, '<'); in.end - in.at > 1; skip_to(&in, '<')) {
    char next = in.at[1];
    if (begins_meta(&in)) {
      in.at += 5;
      const charset *said = read_meta(&in);
      if (said)
        return said;
    } else if (in.at - bytes >= PRESCAN_SURE && begins_body(&in)) {
      break;
    } else if (is_letter(next) || (next == '/' && in.end - in.at > 2 && is_letter(in.at[2]))) {
      skip_tag(&in);
    } else if (next == '!' && begins_with(&in, "<!--")) {
      skip_comment(&in);
    } else if (next == '!' || next == '/' || next == '?') {
      skip_to(&in, '>');
    } else {
      in.at++;
    }
  }
  return NULL;
}

const charset *prescan(const char *bytes, size_t size)
{
  const charset *said = has_meta(bytes, size) ? meta_charset(bytes, size) : NULL;
  return said ? said : prescan_xml(bytes, size);
}
