/* The HTML tokenizer: one function a state, named as in WHATWG HTML section 13.2.5, which they follow.
 *
 *     data --'<'--> tag open --letter--> tag name --> before attribute name --'>'--> data, or text
 *                      |                                |  ^                          (the sink decides)
 *                      +--"!--"--> comment --> data     v  |
 *                      +--'/'----> end tag     name, '=', value
 *
 * A state looks for the byte that ends it and skips what is before; only names and values that the sink wants
 * are copied. Left out, because no link depends on it: the bytes of comments, and the states of DOCTYPE, which
 * ends at the first '>' whatever it holds, as a bogus comment does.
 *
 * Two ways to the next state: `go` calls it at once, for the straight way through a tag; `turn` returns to the loop in
 * tokenizer_feed, wherever states could call each other in a cycle, so that the stack does not grow.
 *
 * Always: all that is known of a page is in its `tokenizer`, so a page that is cut anywhere gives the same tags. A
 * state is called with at least one byte, and takes one or moves on, so tokenizer_feed ends. Names have
 * TOKENIZER_NAME_MAX bytes at most and are "" if they would be longer; a value has TOKENIZER_VALUE_MAX, and is not
 * reported if it would be longer. Nothing is allocated, and no byte of a page is trusted.
 *
 * links.c feeds it, one tokenizer a page, on the thread that reads the page. */
#include "crawler/html/tokenizer.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "crawler/base/chars.h"
#include "crawler/html/entities.h"

enum { SPACE = 1, LETTER = 2, ENDS_TAG_NAME = 4, ENDS_ATTRIBUTE_NAME = 8, ENDS_UNQUOTED = 16, SPECIAL_IN_VALUE = 32 };
enum { AS_SPACE = SPACE | ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED };

static const unsigned char classes[256] = {
  /* clang-format off */
  ['\t'] = AS_SPACE, ['\n'] = AS_SPACE, ['\f'] = AS_SPACE, [' '] = AS_SPACE, ['\r'] = AS_SPACE | SPECIAL_IN_VALUE,
  ['/'] = ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME, ['='] = ENDS_ATTRIBUTE_NAME,
  ['>'] = ENDS_TAG_NAME | ENDS_ATTRIBUTE_NAME | ENDS_UNQUOTED,
  ['&'] = SPECIAL_IN_VALUE, ['\0'] = SPECIAL_IN_VALUE,
  ['A'] = LETTER, ['B'] = LETTER, ['C'] = LETTER, ['D'] = LETTER, ['E'] = LETTER, ['F'] = LETTER, ['G'] = LETTER,
  ['H'] = LETTER, ['I'] = LETTER, ['J'] = LETTER, ['K'] = LETTER, ['L'] = LETTER, ['M'] = LETTER, ['N'] = LETTER,
  ['O'] = LETTER, ['P'] = LETTER, ['Q'] = LETTER, ['R'] = LETTER, ['S'] = LETTER, ['T'] = LETTER, ['U'] = LETTER,
  ['V'] = LETTER, ['W'] = LETTER, ['X'] = LETTER, ['Y'] = LETTER, ['Z'] = LETTER,
  ['a'] = LETTER, ['b'] = LETTER, ['c'] = LETTER, ['d'] = LETTER, ['e'] = LETTER, ['f'] = LETTER, ['g'] = LETTER,
  ['h'] = LETTER, ['i'] = LETTER, ['j'] = LETTER, ['k'] = LETTER, ['l'] = LETTER, ['m'] = LETTER, ['n'] = LETTER,
  ['o'] = LETTER, ['p'] = LETTER, ['q'] = LETTER, ['r'] = LETTER, ['s'] = LETTER, ['t'] = LETTER, ['u'] = LETTER,
  ['v'] = LETTER, ['w'] = LETTER, ['x'] = LETTER, ['y'] = LETTER, ['z'] = LETTER,
  /* clang-format on */
};

static bool is(char c, unsigned class)
{
  return classes[(unsigned char)c] & class;
}

static const char *skip_until(const char *at, const char *end, unsigned class)
{
  while (at < end && !is(*at, class))
    at++;
  return at;
}

static const char *skip_spaces(const char *at, const char *end)
{
  while (at < end && is(*at, SPACE))
    at++;
  return at;
}

/* memchr, but `end` when absent. Sixteen bytes at a time inline instead gained nothing (bench_links). */
static const char *find(const char *at, const char *end, char c)
{
  const char *found = memchr(at, c, (size_t)(end - at));
  return found ? found : end;
}

static inline const char *go(tokenizer *machine, tokenizer_state *next, const char *at, const char *end)
{
  machine->state = next;
  return at < end ? next(machine, at, end) : at;
}

static inline const char *turn(tokenizer *machine, tokenizer_state *next, const char *at)
{
  machine->state = next;
  return at;
}

static tokenizer_state data, tag_open, end_tag_open, tag_name, before_attribute_name, attribute_name,
  after_attribute_name, before_value, quoted_value, unquoted_value, self_closing, markup_declaration, declaration_word,
  bogus_comment, comment_start, comment_start_dash, comment, comment_end_bang, cdata, text, text_less_than,
  text_end_tag_name, script, script_less_than, script_escape_start, script_escape_word, plaintext;

/* Names. */

static void name_append(char *name, size_t *size, char c)
{
  if (*size < TOKENIZER_NAME_MAX)
    name[*size] = c;
  *size += *size <= TOKENIZER_NAME_MAX;
}

/* Appends the bytes up to the one that ends a name of this class, and returns where it is, or `end`. */
static const char *name_read(char *name, size_t *size, const char *at, const char *end, unsigned class, bool is_xml)
{
  size_t length = *size;
  for (; at < end && !is(*at, class); at++)
    name_append(name, &length, is_xml ? *at : lower(*at));
  *size = length;
  return at;
}

static void name_finish(char *name, size_t *size)
{
  assert(*size <= TOKENIZER_NAME_MAX + 1);
  if (*size > TOKENIZER_NAME_MAX)
    *size = 0;
  name[*size] = 0;
}

/* Values. */

/* A value that grows too long is no longer wanted. */
static void value_append(tokenizer *machine, const char *at, const char *end)
{
  size_t size = (size_t)(end - at), room = TOKENIZER_VALUE_MAX - machine->value_size;
  assert(machine->value_size <= TOKENIZER_VALUE_MAX);
  memcpy(machine->value + machine->value_size, at, size < room ? size : room);
  if (size > room) {
    machine->wants_value = false;
    machine->sink->attribute_lost(machine->context, machine->value, TOKENIZER_VALUE_MAX);
    return;
  }
  machine->value_size += size;
  assert(machine->value_size <= TOKENIZER_VALUE_MAX);
}

/* One special byte of a value, at `at`: a reference, a NUL, or a CR, which the standard makes an LF. Appends what it
 * stands for to `out` and returns how many bytes of the value it takes. */
static size_t value_decode_special(const char *at, const char *end, char *out, size_t *out_size)
{
  size_t taken = *at == '&' ? entity_read(at + 1, (size_t)(end - at - 1), out, out_size) : 0;
  if (taken > 0)
    return taken + 1;
  if (*at == '\0') {
    memcpy(out, "\xEF\xBF\xBD", 3); /* U+FFFD */
    *out_size = 3;
    return 1;
  }
  *out = *at == '\r' ? '\n' : *at;
  *out_size = 1;
  return *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
}

/* Where a value has a byte that does not stand for itself, if any; eight bytes at a time. */
static const char *find_special(const char *at, const char *end)
{
  const uint64_t each = 0x0101010101010101;
  for (uint64_t word; end - at >= 8; at += 8) {
    memcpy(&word, at, 8);
    uint64_t reference = word ^ each * '&', cr = word ^ each * '\r';
    if ((((word - each) & ~word) | ((reference - each) & ~reference) | ((cr - each) & ~cr)) & each << 7)
      break;
  }
  return skip_until(at, end, SPECIAL_IN_VALUE);
}

/* Into machine->decoded; returns its size, or a size over TOKENIZER_VALUE_MAX if it grew too long. */
static size_t value_decode(tokenizer *machine, const char *at, const char *end)
{
  size_t size = 0;
  while (at < end && size <= TOKENIZER_VALUE_MAX) {
    const char *special = find_special(at, end);
    size_t plain = (size_t)(special - at), added = 0;
    if (plain > TOKENIZER_VALUE_MAX - size)
      return TOKENIZER_VALUE_MAX + 1;
    memcpy(machine->decoded + size, at, plain);
    size += plain;
    at = special;
    if (at < end)
      at += value_decode_special(at, end, machine->decoded + size, &added);
    size += added;
    assert(at <= end && size <= sizeof machine->decoded);
  }
  return size;
}

static void value_report(tokenizer *machine, const char *at, const char *end)
{
  size_t size = (size_t)(end - at);
  const char *value = at;
  if (size <= TOKENIZER_VALUE_MAX && find_special(at, end) < end) {
    size = value_decode(machine, at, end);
    value = machine->decoded;
  }
  assert(machine->wish == WISH_ATTRIBUTES);
  if (size <= TOKENIZER_VALUE_MAX)
    machine->sink->attribute_valued(machine->context, value, size);
  else
    machine->sink->attribute_lost(machine->context, at, (size_t)(end - at));
}

/* [at, stop) is the next piece of the value, its last if `is_last`. A value within one feed is not copied. */
static void value_piece(tokenizer *machine, const char *at, const char *stop, bool is_last)
{
  if (machine->wants_value && is_last && machine->value_size == 0)
    value_report(machine, at, stop);
  else if (machine->wants_value) {
    value_append(machine, at, stop);
    if (machine->wants_value && is_last)
      value_report(machine, machine->value, machine->value + machine->value_size);
  }
  if (is_last)
    machine->wants_value = false;
}

/* Tags. */

static const char *tag_end(tokenizer *machine, const char *at, bool is_self_closing)
{
  if (machine->wish == WISH_NOTHING)
    return turn(machine, data, at);
  tokenizer_content content = machine->sink->tag_ended(machine->context, is_self_closing);
  machine->is_foreign = content == CONTENT_FOREIGN || content == CONTENT_XML;
  if (content == CONTENT_MARKUP || machine->is_foreign)
    return turn(machine, data, at);
  assert(machine->name_size <= TOKENIZER_NAME_MAX && !machine->is_xml);
  memcpy(machine->text_name, machine->name, sizeof machine->name);
  machine->text_name_size = machine->name_size;
  machine->script_level = 0;
  machine->text_state = content == CONTENT_TEXT ? text : content == CONTENT_SCRIPT ? script : plaintext;
  return turn(machine, machine->text_state, at);
}

static void tag_named(tokenizer *machine)
{
  name_finish(machine->name, &machine->name_size);
  machine->wants_value = false;
  machine->wish = machine->sink->tag_named(machine->context, machine->name, machine->name_size, machine->is_end_tag);
}

static const char *attribute_name_read(tokenizer *machine, const char *at, const char *end)
{
  if (machine->wish != WISH_ATTRIBUTES)
    return skip_until(at, end, ENDS_ATTRIBUTE_NAME);
  return name_read(machine->attribute, &machine->attribute_size, at, end, ENDS_ATTRIBUTE_NAME, machine->is_xml);
}

static void attribute_named(tokenizer *machine)
{
  name_finish(machine->attribute, &machine->attribute_size);
  machine->wants_value = machine->sink->attribute_named(machine->context, machine->attribute, machine->attribute_size);
  machine->value_size = 0;
}

/* Past text, and past all tags that do not matter. */
static const char *data(tokenizer *machine, const char *at, const char *end)
{
  for (const char *next = at; next && next < end;) {
    const char *stop = find(next, end, '<');
    if (machine->sink->text)
      machine->sink->text(machine->context, next, (size_t)(stop - next) + (stop < end));
    at = stop < end ? stop + 1 : end;
    next = machine->matter ? plain_tag_end(at, end, machine->matter) : NULL;
    if (next)
      at = next;
    else if (stop < end)
      return go(machine, tag_open, at, end);
  }
  return at;
}

static const char *tag_open(tokenizer *machine, const char *at, const char *end)
{
  if (is(*at, LETTER)) {
    machine->is_end_tag = false;
    machine->name_size = 0;
    return go(machine, tag_name, at, end);
  }
  if (*at == '/')
    return go(machine, end_tag_open, at + 1, end);
  if (*at == '!')
    return go(machine, markup_declaration, at + 1, end);
  return turn(machine, *at == '?' ? bogus_comment : data, at);
}

static const char *end_tag_open(tokenizer *machine, const char *at, const char *end)
{
  if (is(*at, LETTER)) {
    machine->is_end_tag = true;
    machine->name_size = 0;
    return go(machine, tag_name, at, end);
  }
  return turn(machine, bogus_comment, at); /* "</>" too is nothing, and ends there */
}

static const char *tag_name(tokenizer *machine, const char *at, const char *end)
{
  const char *stop = name_read(machine->name, &machine->name_size, at, end, ENDS_TAG_NAME, machine->is_xml);
  if (stop == end)
    return end;
  tag_named(machine);
  return go(machine, before_attribute_name, stop, end);
}

/* The short way through the attributes that are all there and written name="value", as most are; stops before the
 * first that is not. The states below would say the same. */
static const char *whole_attributes(tokenizer *machine, const char *at, const char *end)
{
  for (;;) {
    at = skip_spaces(at, end);
    machine->attribute_size = 0;
    const char *name_end = attribute_name_read(machine, at, end);
    if (name_end == at || end - name_end < 3 || name_end[0] != '=' || (name_end[1] != '"' && name_end[1] != '\''))
      return at;
    const char *value = name_end + 2, *value_end = find(value, end, name_end[1]);
    if (value_end == end)
      return at;
    if (machine->wish == WISH_ATTRIBUTES) {
      attribute_named(machine);
      value_piece(machine, value, value_end, true);
    }
    at = value_end + 1;
  }
}

static const char *before_attribute_name(tokenizer *machine, const char *at, const char *end)
{
  at = whole_attributes(machine, at, end);
  if (at == end)
    return end;
  if (*at == '>')
    return tag_end(machine, at + 1, false);
  if (*at == '/')
    return go(machine, self_closing, at + 1, end);
  machine->attribute_size = 0;
  if (*at != '=')
    return go(machine, attribute_name, at, end);
  name_append(machine->attribute, &machine->attribute_size, '='); /* a name may begin with '=', not hold it */
  return go(machine, attribute_name, at + 1, end);
}

static const char *self_closing(tokenizer *machine, const char *at, const char *end)
{
  (void)end;
  return *at == '>' ? tag_end(machine, at + 1, true) : turn(machine, before_attribute_name, at);
}

static const char *attribute_name(tokenizer *machine, const char *at, const char *end)
{
  const char *stop = attribute_name_read(machine, at, end);
  if (stop < end && machine->wish == WISH_ATTRIBUTES)
    attribute_named(machine);
  return stop < end ? go(machine, after_attribute_name, stop, end) : end;
}

static const char *after_attribute_name(tokenizer *machine, const char *at, const char *end)
{
  at = skip_spaces(at, end);
  if (at == end)
    return end;
  if (*at == '=')
    return go(machine, before_value, at + 1, end);
  value_piece(machine, at, at, true); /* an attribute without a value is an empty one */
  return turn(machine, before_attribute_name, at);
}

static const char *before_value(tokenizer *machine, const char *at, const char *end)
{
  at = skip_spaces(at, end);
  if (at == end)
    return end;
  if (*at != '"' && *at != '\'')
    return go(machine, unquoted_value, at, end);
  machine->quote = *at;
  return go(machine, quoted_value, at + 1, end);
}

static const char *quoted_value(tokenizer *machine, const char *at, const char *end)
{
  const char *stop = find(at, end, machine->quote);
  value_piece(machine, at, stop, stop < end);
  return stop < end ? turn(machine, before_attribute_name, stop + 1) : end;
}

static const char *unquoted_value(tokenizer *machine, const char *at, const char *end)
{
  const char *stop = skip_until(at, end, ENDS_UNQUOTED);
  value_piece(machine, at, stop, stop < end);
  return stop < end ? turn(machine, before_attribute_name, stop) : end;
}

/* What begins with "<!": comments, CDATA, and what is treated as a comment up to its first '>'. */

static const char *markup_declaration(tokenizer *machine, const char *at, const char *end)
{
  machine->matched = 0;
  if (*at != '-' && !(*at == '[' && machine->is_foreign))
    return go(machine, bogus_comment, at, end);
  machine->expected = *at == '-' ? "--" : "[CDATA[";
  return go(machine, declaration_word, at, end);
}

static const char *declaration_word(tokenizer *machine, const char *at, const char *end)
{
  while (at < end && machine->expected[machine->matched] && *at == machine->expected[machine->matched]) {
    machine->matched++;
    at++;
  }
  if (!machine->expected[machine->matched]) {
    machine->matched = 0;
    return turn(machine, machine->expected[0] == '-' ? comment_start : cdata, at);
  }
  return at < end ? go(machine, bogus_comment, at, end) : end;
}

static const char *bogus_comment(tokenizer *machine, const char *at, const char *end)
{
  at = find(at, end, '>');
  return at < end ? turn(machine, data, at + 1) : end;
}

static const char *comment_start(tokenizer *machine, const char *at, const char *end)
{
  if (*at == '>')
    return turn(machine, data, at + 1);
  return *at == '-' ? go(machine, comment_start_dash, at + 1, end) : go(machine, comment, at, end);
}

static const char *comment_start_dash(tokenizer *machine, const char *at, const char *end)
{
  if (*at == '>')
    return turn(machine, data, at + 1);
  machine->matched = *at == '-' ? 2 : 0;
  return go(machine, comment, *at == '-' ? at + 1 : at, end);
}

/* `matched` counts dashes: 0 comment, 1 comment end dash, 2 comment end. */
static const char *comment(tokenizer *machine, const char *at, const char *end)
{
  while (at < end) {
    if (machine->matched == 0)
      at = find(at, end, '-');
    if (at == end)
      break;
    char c = *at++;
    if (c == '-')
      machine->matched += machine->matched < 2;
    else if (c == '>' && machine->matched == 2)
      return turn(machine, data, at);
    else if (c == '!' && machine->matched == 2)
      return go(machine, comment_end_bang, at, end);
    else
      machine->matched = 0;
  }
  return end;
}

static const char *comment_end_bang(tokenizer *machine, const char *at, const char *end)
{
  (void)end;
  if (*at == '>')
    return turn(machine, data, at + 1);
  machine->matched = *at == '-';
  return turn(machine, comment, *at == '-' ? at + 1 : at);
}

/* `matched` counts closing brackets, up to two. */
static const char *cdata(tokenizer *machine, const char *at, const char *end)
{
  while (at < end) {
    if (machine->matched == 0)
      at = find(at, end, ']');
    if (at == end)
      break;
    char c = *at++;
    if (c == '>' && machine->matched == 2)
      return turn(machine, data, at);
    machine->matched = c != ']' ? 0 : machine->matched < 2 ? machine->matched + 1 : 2;
  }
  return end;
}

/* Text up to its end tag. */

static const char *text(tokenizer *machine, const char *at, const char *end)
{
  const char *stop = find(at, end, '<');
  if (machine->sink->inner_text)
    machine->sink->inner_text(machine->context, at, (size_t)(stop - at) + (stop < end));
  return stop < end ? go(machine, text_less_than, stop + 1, end) : end;
}

static const char *text_less_than(tokenizer *machine, const char *at, const char *end)
{
  if (*at != '/')
    return turn(machine, text, at);
  machine->matched = 0;
  return go(machine, text_end_tag_name, at + 1, end);
}

/* After "</": is it the appropriate end tag? */
static const char *text_end_tag_name(tokenizer *machine, const char *at, const char *end)
{
  while (at < end && machine->matched < machine->text_name_size && lower(*at) == machine->text_name[machine->matched]) {
    machine->matched++;
    at++;
  }
  if (at == end)
    return end;
  if (machine->matched < machine->text_name_size || !is(*at, ENDS_TAG_NAME)) {
    machine->matched = 0;
    return turn(machine, machine->text_state, at);
  }
  memcpy(machine->name, machine->text_name, sizeof machine->name);
  machine->name_size = machine->text_name_size;
  machine->is_end_tag = true;
  tag_named(machine);
  return turn(machine, before_attribute_name, at);
}

/* Script: inside "<!--" a "<script" hides the next "</script". `matched` counts dashes while escaped. */
static const char *script(tokenizer *machine, const char *at, const char *end)
{
  if (machine->script_level == 0) {
    at = find(at, end, '<');
    return at < end ? go(machine, script_less_than, at + 1, end) : end;
  }
  while (at < end) {
    char c = *at++;
    if (c == '<')
      return go(machine, script_less_than, at, end);
    if (c == '>' && machine->matched == 2) {
      machine->script_level = 0;
      return turn(machine, script, at);
    }
    machine->matched = c != '-' ? 0 : machine->matched < 2 ? machine->matched + 1 : 2;
  }
  return end;
}

static const char *script_less_than(tokenizer *machine, const char *at, const char *end)
{
  machine->matched = 0;
  if (*at == '/')
    return go(machine, machine->script_level < 2 ? text_end_tag_name : script_escape_word, at + 1, end);
  if (*at == '!' && machine->script_level == 0)
    return go(machine, script_escape_start, at + 1, end);
  return turn(machine, machine->script_level == 1 && is(*at, LETTER) ? script_escape_word : script, at);
}

/* After "<!": two dashes escape. */
static const char *script_escape_start(tokenizer *machine, const char *at, const char *end)
{
  for (; at < end && *at == '-'; at++)
    if (++machine->matched == 2) {
      machine->script_level = 1;
      return turn(machine, script, at + 1);
    }
  return at < end ? turn(machine, script, at) : end;
}

/* The word after "<" when escaped, after "</" when double escaped: "script" goes one level in, or out. */
static const char *script_escape_word(tokenizer *machine, const char *at, const char *end)
{
  static const char word[] = "script";
  enum { WORD_SIZE = sizeof word - 1, OTHER_WORD };
  for (; at < end && is(*at, LETTER); at++)
    machine->matched = machine->matched < WORD_SIZE && lower(*at) == word[machine->matched] ? machine->matched + 1
                                                                                            : OTHER_WORD;
  if (at == end)
    return end;
  if (is(*at, ENDS_TAG_NAME)) {
    if (machine->matched == WORD_SIZE)
      machine->script_level = 3 - machine->script_level;
    assert(machine->script_level == 1 || machine->script_level == 2);
    at++;
  }
  machine->matched = 0;
  return turn(machine, script, at);
}

static const char *plaintext(tokenizer *machine, const char *at, const char *end)
{
  (void)machine, (void)at;
  return end;
}

void tokenizer_start(tokenizer *machine, const tokenizer_sink *sink, void *context, tokenizer_content content)
{
  machine->sink = sink;
  machine->context = context;
  machine->matter = NULL;
  machine->state = data;
  machine->is_xml = content == CONTENT_XML;
  machine->is_foreign = machine->is_xml;
}

void tokenizer_feed(tokenizer *machine, const char *bytes, size_t size)
{
  const char *at = bytes, *end = bytes + size;
  assert(machine->state && machine->sink);
  while (at < end) {
    at = machine->state(machine, at, end);
    assert(at && at <= end);
  }
}
