/* One target, many spellings: a prefix form is chosen, then the letters are disguised. */
#include "tests/site/spell.h"
#include "tests/site/random.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Append the shortest relative reference from `base` to `target`. It never starts with "/", "?" or "word:". */
static void relative_reference(text *out, const char *base, const char *target)
{
  size_t base_path = strcspn(base, "?"), target_path = strcspn(target, "?");
  size_t common = 0; /* just behind the last slash both share */
  for (size_t i = 0; i < base_path && i < target_path && base[i] == target[i]; i++)
    if (base[i] == '/')
      common = i + 1;
  unsigned ups = 0;
  for (size_t i = common; i < base_path; i++)
    ups += base[i] == '/';
  for (unsigned i = 0; i < ups; i++)
    text_add(out, "../");
  const char *rest = target + common;
  size_t first = strcspn(rest, "/?");
  if (ups == 0 && (first == 0 || memchr(rest, ':', first)))
    text_add(out, "./");
  text_add(out, rest);
}

void spell_origin(text *out, const spell_place *place)
{
  text_addf(out, "http://%s", place->host);
  if (place->port != 80)
    text_addf(out, ":%u", place->port);
}

/* "http://host:port" with odd case, other names of the same address, and ports written at length. */
static void odd_origin(text *out, uint64_t *random, const spell_place *place)
{
  static const char *const schemes[] = {"http://", "HTTP://", "hTTp://", "http:///", "http:/\\"};
  static const char *const loopbacks[] = {"127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "127.0.0.0x1"};
  text_add(out, schemes[random_below(random, 5)]);
  if (strcmp(place->host, "127.0.0.1") == 0)
    text_add(out, loopbacks[random_below(random, 6)]);
  else
    for (const char *c = place->host; *c; c++)
      text_add_byte(out, (char)toupper((unsigned char)*c));
  if (place->port != 80)
    text_addf(out, random_one_in(random, 2) ? ":%u" : ":0%u", place->port);
  else
    text_add(out, random_one_in(random, 2) ? ":80" : ":");
}

/* A way round that leads back to where it began. */
static void detour(text *out, uint64_t *random)
{
  static const char *const ways[] = {"./", "zz/../", "%2e/", "zz/%2E%2e/", "a/b/../../", "././"};
  text_add(out, ways[random_below(random, 6)]);
}

static void prefixed_form(text *out, uint64_t *random, const spell_place *place, const char *base, const char *target)
{
  switch (random_below(random, 12)) {
  case 0: /* the same path: the query is enough */
    if (target[strcspn(target, "?")] && strcspn(base, "?") == strcspn(target, "?") &&
        memcmp(base, target, strcspn(target, "?")) == 0)
      text_add(out, target + strcspn(target, "?"));
    else
      relative_reference(out, base, target);
    break;
  case 1:
    detour(out, random);
    relative_reference(out, base, target);
    break;
  case 2: text_add(out, target); break;
  case 3: /* dots from the root, and more of them than there are levels */
    text_add(out, random_one_in(random, 2) ? "/" : "/../");
    detour(out, random);
    text_add(out, target + 1);
    break;
  case 4:
    spell_origin(out, place);
    text_add(out, target);
    break;
  case 5:
    odd_origin(out, random, place);
    text_add(out, target);
    break;
  case 6: text_addf(out, "//%s:%u%s", place->host, place->port, target); break;
  default: relative_reference(out, base, target); break;
  }
}

/* "http:page.html" is relative for browsers when the base is http too; RFC 3986 5.2.2 calls that a loophole. */
static void scheme_loophole(text *out, const char *base, const char *target)
{
  text_add(out, "http:");
  relative_reference(out, base, target);
}

typedef struct disguise {
  spell_medium medium;
  bool lower_hex, raw_bytes, escape_letters, back_slashes;
} disguise;

/* The value of the escape at `c`, which canonical targets always have whole. */
static unsigned escape_value(const char *c)
{
  const char hex[] = {c[1], c[2], '\0'};
  return (unsigned)strtoul(hex, NULL, 16);
}

static void disguise_escape(text *out, const disguise *how, const char *c)
{
  unsigned value = escape_value(c);
  bool can_be_raw = value >= 0x80 || value == ' ';
  if (how->medium == SPELL_ATTRIBUTE && how->raw_bytes && can_be_raw)
    text_add_byte(out, (char)value);
  else
    text_addf(out, how->lower_hex ? "%%%02x" : "%%%02X", value);
}

/* Copy a spelled reference; only what stands before `fixed` (scheme, host, port) is left as it is. */
static void disguise_letters(text *out, uint64_t *random, const disguise *how, const char *reference, size_t fixed)
{
  bool in_query = false;
  text_add_bytes(out, reference, fixed);
  for (const char *c = reference + fixed; *c; c++) {
    in_query |= *c == '?';
    if (*c == '%') {
      disguise_escape(out, how, c);
      c += 2;
    } else if (how->escape_letters && (isalnum((unsigned char)*c) || strchr("-_~", *c)) && random_one_in(random, 6)) {
      text_addf(out, random_one_in(random, 2) ? "%%%02x" : "%%%02X", (unsigned)(unsigned char)*c);
    } else {
      text_add(out, *c == '/' && how->back_slashes && !in_query ? "\\" : (char[]){*c, '\0'});
    }
  }
}

/* TAB, LF and CR inside a URL are dropped by browsers, white space around it too. Inside a character they would part
 * its bytes, which are then none. */
static void add_white_space(text *out, uint64_t *random, const text *reference)
{
  static const char *const around[] = {" ", "\n", "\t ", " \r\n  ", ""};
  size_t cut = random_one_in(random, 3) ? random_below(random, (unsigned)reference->size + 1) : 0;
  while (cut > 0 && cut < reference->size && ((unsigned char)reference->bytes[cut] & 0xC0) == 0x80)
    cut--;
  text_add(out, around[random_below(random, 5)]);
  text_add_bytes(out, reference->bytes, cut);
  if (cut)
    text_add(out, random_one_in(random, 2) ? "\n" : "\t");
  text_add_bytes(out, reference->bytes + cut, reference->size - cut);
  text_add(out, around[random_below(random, 5)]);
}

/* Bytes of scheme and authority at the start of `reference`, 0 for a relative one. */
static size_t authority_size(const char *reference)
{
  size_t start = strncasecmp(reference, "http:", 5) == 0 ? 5 : 0;
  size_t slashes = strspn(reference + start, "/\\");
  return slashes < 2 ? start : start + slashes + strcspn(reference + start + slashes, "/\\?#");
}

static bool starts_with(const char *string, const char *start)
{
  return strncmp(string, start, strlen(start)) == 0;
}

void spell_href(text *out, uint64_t *random, const spell_place *place, spell_medium medium, const char *base,
                const char *target)
{
  text reference = {0}, disguised = {0};
  bool attribute = medium == SPELL_ATTRIBUTE;
  if (attribute && random_one_in(random, 40))
    scheme_loophole(&reference, base, target);
  else
    prefixed_form(&reference, random, place, base, target);
  disguise how = {
    .medium = medium,
    .lower_hex = random_one_in(random, 2),
    .raw_bytes = random_one_in(random, 2),
    .escape_letters = random_one_in(random, 6) && !(place->plain && starts_with(target, place->plain)),
    .back_slashes = attribute && random_one_in(random, 15),
  };
  disguise_letters(&disguised, random, &how, reference.bytes, authority_size(reference.bytes));
  if (random_one_in(random, 5))
    text_add(&disguised, random_one_in(random, 2) ? "#part" : "#/../x?y");
  if (attribute && random_one_in(random, 8))
    add_white_space(out, random, &disguised);
  else
    text_add(out, disguised.bytes);
  text_free(&reference);
  text_free(&disguised);
}
