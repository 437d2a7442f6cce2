/* How a link is written: mostly as most people do, sometimes in the ways that only a standard knows.
 *
 * Whatever is drawn, a browser is led to the same page. Only what is in an attribute is written here, with the
 * attribute's own quotes; a reference that is relative starts from `from->base`. */
#include "tests/contract/web/web_inside.h"

#include <string.h>

typedef enum spelling {
  SPELL_LARGE,     /* HTTP://WWW.SITE12.TEST/12 */
  SPELL_PORT,      /* http://www.site12.test:80/12 */
  SPELL_NO_SCHEME, /* //www.site12.test/12 */
  SPELL_FRAGMENT,  /* http://www.site12.test/12#part */
  SPELL_SPACES,    /* " /12\n" */
  SPELL_DOTS,      /* /./gone/../12 */
  SPELL_ESCAPE,    /* /%7Eanna/1%32.html */
  SPELL_REFERENCE, /* &#x2F;12 */
  SPELL_RAW,       /* the letters that were escaped, in the page's charset */
  SPELLINGS,
  SPELL_USUAL,
} spelling;

void web_add_number(text *out, uint64_t number)
{
  char digits[20];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  text_add_bytes(out, digits + at, sizeof digits - at);
}

/* The page's letters stand for themselves; a byte that HTML would read otherwise is a reference. */
static void add_in_attribute(text *out, const char *bytes, size_t size)
{
  for (const char *found; (found = memchr(bytes, '&', size)); bytes = found + 1) {
    text_add_bytes(out, bytes, (size_t)(found - bytes));
    text_add(out, "&amp;");
    size -= (size_t)(found - bytes) + 1;
  }
  text_add_bytes(out, bytes, size);
}

/* %C3%A9 and %20 as the letters they are. */
static void add_raw(const web *w, text *out, uint32_t from_host, const char *target, size_t size)
{
  char decoded[WEB_TARGET_MAX], again[WEB_TARGET_MAX];
  size_t at = 0;
  web_charset charset = web_host_charset(w, from_host);
  if (!web_decode(target, size, decoded, sizeof decoded))
    return;
  for (const char *byte = decoded; *byte; byte++) { /* one byte of ASCII, or a letter */
    if (*byte == '&') {
      memcpy(again + at, "&amp;", 5);
      at += 5;
    } else {
      again[at++] = *byte;
    }
  }
  again[at] = '\0';
  web_add_letters(out, charset, again);
}

/* Letters that `charset` has not cannot be written in it. */
static bool has_letters(const web *w, uint32_t from_host, uint32_t host)
{
  return web_host_charset(w, from_host) == web_host_charset(w, host);
}

/* The last digit, and before it a tilde: no reserved characters, so both mean themselves. */
static void add_escaped(text *out, const char *target, size_t size)
{
  size_t end = size;
  while (end && !(target[end - 1] >= '0' && target[end - 1] <= '9'))
    end--;
  if (!end) {
    add_in_attribute(out, target, size);
    return;
  }
  const char *tilde = memchr(target, '~', end - 1);
  if (tilde) {
    text_add_bytes(out, target, (size_t)(tilde - target));
    text_add(out, "%7E");
    size -= (size_t)(tilde + 1 - target);
    end -= (size_t)(tilde + 1 - target);
    target = tilde + 1;
  }
  add_in_attribute(out, target, end - 1);
  text_add(out, "%3");
  text_add_byte(out, target[end - 1]);
  add_in_attribute(out, target + end, size - end);
}

static void add_references(text *out, const char *target, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (target[i] == '/')
      text_add(out, i ? "&#47;" : "&#x2F;");
    else if (target[i] == '&')
      text_add(out, "&#38;");
    else
      text_add_byte(out, target[i]);
}

/* How many bytes of `base` are directories: "/d1/12.html" -> 4. */
static size_t directory_size(const char *base)
{
  size_t size = strcspn(base, "?");
  while (size > 1 && base[size - 1] != '/')
    size--;
  return size;
}

static void add_relative(text *out, const char *base, const char *target, size_t size)
{
  size_t directory = directory_size(base);
  if (size > directory && memcmp(base, target, directory) == 0 && target[directory] != '/') {
    add_in_attribute(out, target + directory, size - directory);
    return;
  }
  if (directory == 1)
    text_add(out, "./");
  for (size_t i = 1; i < directory; i++)
    if (base[i] == '/')
      text_add(out, "../");
  add_in_attribute(out, target + 1, size - 1);
}

static void add_large(text *out, const char *origin)
{
  for (; *origin; origin++)
    text_add_byte(out, (char)(*origin >= 'a' && *origin <= 'z' ? *origin - 'a' + 'A' : *origin));
}

static void add_unusual(const web *w, text *out, const web_link *from, uint32_t host, spelling how, const char *origin,
                        const char *target, size_t size)
{
  if (how == SPELL_LARGE)
    add_large(out, origin);
  else if (how == SPELL_NO_SCHEME)
    text_add(out, strchr(origin, ':') + 1);
  else if (how == SPELL_SPACES)
    text_add(out, " \n");
  if (how == SPELL_PORT || how == SPELL_FRAGMENT || (how > SPELL_NO_SCHEME && host != from->from_host))
    text_add(out, origin);
  if (how == SPELL_PORT)
    text_add(out, web_host_is_https(w, host) ? ":443" : ":80");
  if (how == SPELL_DOTS)
    text_add(out, "/./gone/..");
  if (how == SPELL_ESCAPE)
    add_escaped(out, target, size);
  else if (how == SPELL_REFERENCE)
    add_references(out, target, size);
  else if (how == SPELL_RAW)
    add_raw(w, out, from->from_host, target, size);
  else
    add_in_attribute(out, target, size);
  if (how == SPELL_FRAGMENT)
    text_add(out, "#part");
  else if (how == SPELL_SPACES)
    text_add(out, " ");
}

static void add_usual(text *out, const web_link *from, uint32_t host, uint64_t dice, const char *origin,
                      const char *target, size_t size)
{
  enum { WHOLE_ONE_IN = 8, RELATIVE_ONE_IN = 2 };
  if (host != from->from_host || dice % WHOLE_ONE_IN == 0)
    text_add(out, origin);
  else if (from->may_be_relative && (dice >> 8) % RELATIVE_ONE_IN == 0) {
    add_relative(out, from->base, target, size);
    return;
  }
  add_in_attribute(out, target, size);
}

void web_add_link(const web *w, text *out, const web_link *from, uint32_t host, uint32_t page, const char *target,
                  uint64_t *state)
{
  char own[WEB_TARGET_MAX], origin[WEB_NAME_MAX + 8] = "http://";
  uint64_t dice = web_dice_next(state);
  spelling how = web_says(w, WEB_SPELLED, dice) ? (spelling)(web_dice_next(state) % SPELLINGS) : SPELL_USUAL;
  if (how == SPELL_USUAL && host == from->from_host && !web_host_says_charset(w, host))
    how = SPELL_RAW;
  bool is_https = web_host_is_https(w, host);
  if ((how == SPELL_RAW && !has_letters(w, from->from_host, host)) ||
      (how == SPELL_NO_SCHEME && is_https != web_host_is_https(w, from->from_host)))
    how = SPELL_FRAGMENT;
  if (is_https)
    memcpy(origin, "https://", 9);
  web_host_name(w, host, origin + strlen(origin));
  size_t size = target ? strlen(target) : web_page_target(w, host, page, own);
  char quote = how != SPELL_USUAL || dice & 0x1000 ? '"' : '\'';
  text_add(out, "<a href=");
  text_add_byte(out, quote);
  if (how == SPELL_USUAL)
    add_usual(out, from, host, dice >> 20, origin, target ? target : own, size);
  else
    add_unusual(w, out, from, host, how, origin, target ? target : own, size);
  text_add_byte(out, quote);
  text_add_byte(out, '>');
  web_add_words(out, web_host_charset(w, from->from_host), 8, state, NULL);
  text_add(out, "</a> ");
}

/* Where the host has another name, or speaks https: a way that ends at its start page. */
void web_add_link_to_other_name(const web *w, text *out, uint32_t host, bool by_http)
{
  char name[WEB_NAME_MAX];
  web_host_other_name(w, host, name);
  if (by_http || !*name)
    web_host_name(w, host, name);
  text_add(out, "<a href=\"");
  text_add(out, web_host_is_https(w, host) && !by_http ? "https://" : "http://");
  text_add(out, name);
  text_add(out, "/\">elsewhere</a> ");
}
