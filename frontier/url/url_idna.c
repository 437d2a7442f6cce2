/* International names to ASCII, as browsers do: UTS 46, non-transitional, with CheckBidi and CheckJoiners, without
 * CheckHyphens, UseSTD3ASCIIRules and VerifyDnsLength (WHATWG URL, section 3.3). So symbols are allowed, which IDNA2008
 * forbids.
 *
 *     "Faß.☃。XN--9CA"  --map, NFC-->  "faß.☃.xn--9ca"  --read Punycode-->  "faß.☃.é"  --check, write-->
 *     "xn--fa-hia.xn--n3h.xn--9ca"
 *
 * Mapping and validity are derived from properties that libunistring knows, as section 7 of UTS 46 derives its table:
 * the Unicode version is libunistring's (1.0 has Unicode 14), and later code points are refused. */
#include "frontier/url/url_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

enum {
  CODES_MAX = URL_NAME_UTF8_MAX, /* of a name in any stage */
  ONE_MAX = 32,                  /* of what one code point is mapped to: 18 at most */
  SHARP_S = 0xDF,
  FINAL_SIGMA = 0x3C2,
  NON_JOINER = 0x200C,
  JOINER = 0x200D,
  CAPITAL_SHARP_S = 0x1E9E,
};

typedef struct codes {
  size_t size;
  uint32_t at[CODES_MAX];
} codes;

typedef struct label {
  const uint32_t *at;
  size_t size;
} label;

static bool is_of(uint32_t code, uint32_t categories)
{
  return uc_is_general_category_withtable(code, categories);
}

/* What libunistring could not put where it should: there is an error, or it is longer and allocated. */
static url_status refuse(uint32_t *result)
{
  free(result);
  return !result && errno == ENOMEM ? URL_NO_MEMORY : URL_BAD_HOST;
}

static bool append(codes *to, const uint32_t *from, size_t size)
{
  if (size > CODES_MAX - to->size)
    return false;
  memcpy(to->at + to->size, from, size * sizeof *from);
  to->size += size;
  return true;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* Disallowed, though their properties say otherwise: marks of direction, ideographic descriptions, replacements,
 * tags. */
static bool is_excluded(uint32_t code)
{
  return uc_is_property_bidi_control(code) || (code >= 0x2FF0 && code <= 0x2FFF) || code == 0x31EF || code == 0xFFFC ||
         code == 0xFFFD || (code >= 0xE0001 && code <= 0xE007F);
}

/* Three other full stops separate labels too. */
static bool is_full_stop(uint32_t code)
{
  return code == 0x3002 || code == 0xFF0E || code == 0xFF61;
}

/* NFKC_Casefold of one code point, ignorable ones dropped. Casefolding once is not enough: what NFKC makes of
 * U+1D4D0 is a capital letter. */
static url_status fold(uint32_t code, uint32_t out[ONE_MAX], size_t *size)
{
  uint32_t before[ONE_MAX];
  size_t before_size = 0;
  out[0] = code;
  *size = 1;
  while (*size != before_size || u32_cmp(out, before, before_size) != 0) {
    before_size = *size;
    u32_cpy(before, out, before_size);
    *size = ONE_MAX;
    uint32_t *folded = u32_casefold(before, before_size, NULL, UNINORM_NFKC, out, size);
    if (folded != out)
      return refuse(folded);
  }
  size_t kept = 0;
  for (size_t i = 0; i < *size; i++)
    if (!uc_is_property_default_ignorable_code_point(out[i]))
      out[kept++] = out[i];
  *size = kept;
  return URL_OK;
}

/* Append what UTS 46 maps `code` to. URL_BAD_HOST: it is disallowed, or there is no room. */
static url_status map_one(uint32_t code, codes *to)
{
  uint32_t out[ONE_MAX];
  size_t size = 1;
  out[0] = code;
  if (code == CAPITAL_SHARP_S) {
    out[0] = SHARP_S; /* since Unicode 15.1 */
  } else if (is_full_stop(code)) {
    out[0] = '.';
  } else if (code >= 0x80 && code != SHARP_S && code != FINAL_SIGMA && code != JOINER && code != NON_JOINER) {
    if (is_excluded(code) || is_of(code, UC_CATEGORY_MASK_Cn))
      return URL_BAD_HOST;
    url_status status = fold(code, out, &size);
    if (status != URL_OK)
      return status;
    for (size_t i = 0; i < size; i++)
      if (out[i] == '.' || is_full_stop(out[i]) ||
          (out[i] >= 0x80 && is_of(out[i], UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_Z)))
        return URL_BAD_HOST;
  }
  return append(to, out, size) ? URL_OK : URL_BAD_HOST;
}

/* Composing leaves a name of these as it is: Latin letters, symbols, ideographs; the quick answer for most names. */
static bool is_composed(const codes *name)
{
  for (size_t i = 0; i < name->size; i++) {
    uint32_t code = name->at[i];
    if (code >= 0x300 && (code < 0x2190 || code > 0x2BFF) && (code < 0x3400 || code > 0x9FFF) &&
        (code < 0x1F000 || code > 0x1FAFF))
      return false;
  }
  return true;
}

/* Map each code point of `from`, and compose. */
static url_status map_all(const uint32_t *from, size_t size, codes *to)
{
  codes mapped;
  to->size = 0;
  for (size_t i = 0; i < size; i++) {
    url_status status = map_one(from[i], to);
    if (status != URL_OK)
      return status;
  }
  if (is_composed(to))
    return URL_OK;
  mapped.size = 0;
  append(&mapped, to->at, to->size);
  to->size = CODES_MAX;
  uint32_t *composed = u32_normalize(UNINORM_NFC, mapped.at, mapped.size, to->at, &to->size);
  return composed == to->at ? URL_OK : refuse(composed);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The first label of `rest`, or all that is left; steps behind its '.'. False behind the last. */
static bool next_label(label *rest, label *out)
{
  if (!rest->at)
    return false;
  const uint32_t *dot = u32_chr(rest->at, rest->size, '.');
  *out = (label){rest->at, dot ? (size_t)(dot - rest->at) : rest->size};
  *rest = (label){dot ? dot + 1 : NULL, dot ? rest->size - out->size - 1 : 0};
  return true;
}

static bool is_ascii(label of)
{
  for (size_t i = 0; i < of.size; i++)
    if (of.at[i] >= 0x80)
      return false;
  return true;
}

static bool has_prefix(label of)
{
  return of.size >= 4 && of.at[0] == 'x' && of.at[1] == 'n' && of.at[2] == '-' && of.at[3] == '-';
}

/* "xn--9ca" to "\u00E9", appended to `to`; it must be what mapping leaves as it is. */
static url_status read_punycode(label of, codes *to)
{
  codes again;
  label read = {to->at + to->size, CODES_MAX - to->size};
  if (!url_punycode_read(of.at + 4, of.size - 4, to->at + to->size, &read.size) || is_ascii(read) || has_prefix(read))
    return URL_BAD_HOST;
  url_status status = map_all(read.at, read.size, &again);
  if (status == URL_OK && (again.size != read.size || u32_cmp(again.at, read.at, read.size) != 0))
    status = URL_BAD_HOST;
  to->size += read.size;
  return status;
}

/* Every label in Unicode. */
static url_status read_labels(const codes *from, codes *to)
{
  label rest = {from->at, from->size}, at;
  to->size = 0;
  while (next_label(&rest, &at)) {
    url_status status = URL_OK;
    if (has_prefix(at))
      status = is_ascii(at) ? read_punycode(at, to) : URL_BAD_HOST;
    else if (!append(to, at.at, at.size))
      status = URL_BAD_HOST;
    if (status == URL_OK && rest.at && !append(to, &(uint32_t){'.'}, 1))
      status = URL_BAD_HOST;
    if (status != URL_OK)
      return status;
  }
  return URL_OK;
}

/* ---- what a label may hold ------------------------------------------------------------------- */

/* RFC 5892, A.1: between letters that join towards it, whatever transparent ones stand between. */
static bool parts_joined_letters(label of, size_t at)
{
  size_t before = at, after = at + 1;
  while (before > 0 && uc_joining_type(of.at[before - 1]) == UC_JOINING_TYPE_T)
    before--;
  while (after < of.size && uc_joining_type(of.at[after]) == UC_JOINING_TYPE_T)
    after++;
  if (before == 0 || after == of.size)
    return false;
  int left = uc_joining_type(of.at[before - 1]), right = uc_joining_type(of.at[after]);
  return (left == UC_JOINING_TYPE_L || left == UC_JOINING_TYPE_D) &&
         (right == UC_JOINING_TYPE_R || right == UC_JOINING_TYPE_D);
}

/* RFC 5892, A.1 and A.2. */
static bool joiners_are_valid(label of)
{
  for (size_t i = 0; i < of.size; i++) {
    bool is_joiner = of.at[i] == JOINER || of.at[i] == NON_JOINER;
    if (is_joiner && !(i > 0 && uc_combining_class(of.at[i - 1]) == UC_CCC_VR) &&
        !(of.at[i] == NON_JOINER && parts_joined_letters(of, i)))
      return false;
  }
  return true;
}

/* A set of the bidirectional classes that follow: a bit each. */
static unsigned direction(uint32_t code)
{
  return 1u << uc_bidi_class(code);
}

enum {
  DIR_L = 1 << UC_BIDI_L,
  DIR_R = 1 << UC_BIDI_R | 1 << UC_BIDI_AL,
  DIR_EN = 1 << UC_BIDI_EN,
  DIR_AN = 1 << UC_BIDI_AN,
  DIR_NSM = 1 << UC_BIDI_NSM,
  DIR_NEUTRAL = 1 << UC_BIDI_ES | 1 << UC_BIDI_CS | 1 << UC_BIDI_ET | 1 << UC_BIDI_ON | 1 << UC_BIDI_BN | DIR_NSM,
};

/* RFC 5893, 2, for a label of a name that has letters from right to left. */
static bool direction_is_valid(label of)
{
  unsigned all = 0, last = 0;
  for (size_t i = 0; i < of.size; i++) {
    unsigned here = direction(of.at[i]);
    all |= here;
    last = here == DIR_NSM ? last : here;
  }
  if (of.size == 0)
    return true;
  if (direction(of.at[0]) & DIR_L)
    return !(all & ~(unsigned)(DIR_L | DIR_EN | DIR_NEUTRAL)) && last & (DIR_L | DIR_EN);
  return direction(of.at[0]) & DIR_R && !(all & ~(unsigned)(DIR_R | DIR_AN | DIR_EN | DIR_NEUTRAL)) &&
         last & (DIR_R | DIR_EN | DIR_AN) && !(all & DIR_EN && all & DIR_AN);
}

static bool has_right_to_left(const codes *name)
{
  for (size_t i = 0; i < name->size; i++)
    if (name->at[i] >= 0x590 && direction(name->at[i]) & (DIR_R | DIR_AN)) /* no letter before Hebrew's */
      return true;
  return false;
}

/* UTS 46, 4.1. */
static bool labels_are_valid(const codes *name)
{
  label rest = {name->at, name->size}, at;
  bool has_direction = has_right_to_left(name);
  while (next_label(&rest, &at))
    if ((at.size > 0 && is_of(at.at[0], UC_CATEGORY_MASK_M)) || !joiners_are_valid(at) ||
        (has_direction && !direction_is_valid(at)))
      return false;
  return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A label is its ASCII, or "xn--" and its Punycode. Returns where it ends; NULL: no room before `end`. */
static char *write_label(label of, char *out, const char *end)
{
  static const char prefix[4] = "xn--";
  bool is_plain = is_ascii(of);
  if ((is_plain ? of.size : sizeof prefix) > (size_t)(end - out))
    return NULL;
  if (!is_plain) {
    memcpy(out, prefix, sizeof prefix);
    return url_punycode_write(of.at, of.size, out + sizeof prefix, end);
  }
  for (size_t i = 0; i < of.size; i++)
    *out++ = (char)of.at[i];
  return out;
}

static bool write_name(const codes *name, char host[URL_HOST_MAX], size_t *host_size)
{
  label rest = {name->at, name->size}, at;
  char *out = host;
  const char *end = host + URL_HOST_MAX;
  while (next_label(&rest, &at)) {
    out = write_label(at, out, end);
    if (!out || (rest.at && out == end))
      return false;
    if (rest.at)
      *out++ = '.';
  }
  *host_size = (size_t)(out - host);
  return true;
}

url_status url_idna_to_ascii(const char *text, size_t size, char host[URL_HOST_MAX], size_t *host_size)
{
  codes given, mapped, name;
  given.size = CODES_MAX;
  uint32_t *read = u8_to_u32((const uint8_t *)text, size, given.at, &given.size);
  if (read != given.at)
    return refuse(read);
  url_status status = map_all(given.at, given.size, &mapped);
  if (status == URL_OK)
    status = read_labels(&mapped, &name);
  if (status != URL_OK)
    return status;
  return labels_are_valid(&name) && write_name(&name, host, host_size) ? URL_OK : URL_BAD_HOST;
}
