/* See row_file.h. */
#include "tests/support/row_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void bad_line(const row_file *r, const char *why)
{
  fail_msg("%s:%u: %s", r->path, r->line, why);
}

/* ---- fields ------------------------------------------------------------------------------------ */

static void add(row_field *f, const char *bytes, size_t size)
{
  if (f->room < f->size + size + 1) {
    f->room = 2 * (f->size + size + 1);
    f->at = realloc(f->at, f->room);
    assert_non_null(f->at);
  }
  memcpy(f->at + f->size, bytes, size);
  f->at[f->size += size] = '\0';
}

static void add_character(row_field *f, unsigned long code)
{
  char utf8[4];
  size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = size; --i > 0; code >>= 6)
    utf8[i] = (char)(0x80 | (code & 0x3f));
  utf8[0] = (char)(size == 1 ? code : (0xf00u >> size & 0xffu) | code);
  add(f, utf8, size);
}

static row_field unescape(const row_file *r, const char *text, size_t size);

/* What stands between "\{" and "}". */
static void add_many(const row_file *r, row_field *f, const char *text, size_t size)
{
  unsigned long count = 0;
  unsigned long long x = 0;
  int begin = 0;
  if (sscanf(text, "%lu*%n", &count, &begin) == 1 && begin > 0) {
    row_field one = unescape(r, text + begin, size - (size_t)begin);
    for (; count > 0; count--)
      add(f, one.at, one.size);
    free(one.at);
  } else if (sscanf(text, "count %lu", &count) == 1) {
    for (unsigned long i = 0; i < count; i++)
      add(f, &(char){(char)i}, 1);
  } else if (sscanf(text, "dice %llu %lu", &x, &count) == 2) {
    for (; count > 0; count--) {
      x ^= x << 13, x ^= x >> 7, x ^= x << 17;
      add(f, &(char){(char)(x >> 56)}, 1);
    }
  } else {
    bad_line(r, "what is in \\{...}?");
  }
}

/* The escape at `at`, behind its backslash; returns its last byte. */
static const char *add_escaped(const row_file *r, row_field *f, const char *at, const char *end)
{
  static const char letters[] = "tnrs\\", meant[] = "\t\n\r \\";
  const char *letter = at < end ? strchr(letters, *at) : NULL;
  const char *close = at < end ? memchr(at, '}', (size_t)(end - at)) : NULL;
  if (letter) {
    add(f, meant + (letter - letters), 1);
  } else if (end - at >= 3 && *at == 'x') {
    add(f, &(char){(char)strtoul((char[]){at[1], at[2], '\0'}, NULL, 16)}, 1);
    return at + 2;
  } else if (close && at[0] == 'u' && at[1] == '{') {
    add_character(f, strtoul(at + 2, NULL, 16));
    return close;
  } else if (close && at[0] == '{') {
    add_many(r, f, at + 1, (size_t)(close - at - 1));
    return close;
  } else {
    bad_line(r, "an unknown escape");
  }
  return at;
}

static row_field unescape(const row_file *r, const char *text, size_t size)
{
  row_field f = {0};
  add(&f, "", 0);
  for (const char *at = text, *end = text + size; at < end; at++)
    if (*at == '\\')
      at = add_escaped(r, &f, at + 1, end);
    else
      add(&f, at, 1);
  return f;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void forget_fields(row_file *r)
{
  for (; r->fields > 0; r->fields--)
    free(r->field[r->fields - 1].at);
}

bool row_file_next(row_file *r, size_t fields_min)
{
  static char line[1 << 14];
  forget_fields(r);
  do {
    if (!fgets(line, sizeof line, r->file))
      return false;
    r->line++;
    if (!strchr(line, '\n'))
      bad_line(r, "a line that is too long, or has no end");
  } while (line[0] == '#' || line[0] == '\n');
  for (char *at = line, *end; at; at = *end == '\t' ? end + 1 : NULL) {
    end = at + strcspn(at, "\t\n");
    if (r->fields == ROW_FIELDS_MAX)
      bad_line(r, "too many fields");
    r->field[r->fields++] = unescape(r, at, (size_t)(end - at));
  }
  if (r->fields < fields_min)
    bad_line(r, "too few fields");
  return true;
}

void row_file_open(row_file *r, const char *path)
{
  *r = (row_file){.path = path, .file = fopen(path, "r")};
  if (!r->file)
    fail_msg("%s cannot be read", path);
  if (!row_file_next(r, 2) || strcmp(r->field[0].at, "rows") != 0)
    bad_line(r, "\"rows\", a tab and their number are expected first");
  r->stated = (unsigned)strtoul(r->field[1].at, NULL, 10);
}

void row_file_check(row_file *r, bool is_right, const char *got, const char *expected)
{
  r->checked++;
  if (is_right)
    return;
  r->failed++;
  print_error("%s:%u:\n  got      %s\n  expected %s\n", r->path, r->line, got, expected);
}

void row_file_close(row_file *r)
{
  forget_fields(r);
  fclose(r->file);
  print_message("%s: %u rows\n", strrchr(r->path, '/') + 1, r->checked);
  if (r->checked != r->stated)
    fail_msg("%s: %u rows were checked, it states %u", r->path, r->checked, r->stated);
  assert_int_equal(r->failed, 0);
}
