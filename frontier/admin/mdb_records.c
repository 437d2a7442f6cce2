/* See mdb_records.h. */
#include "frontier/admin/mdb_records.h"

#include "frontier/base/record.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

enum { KEY_MAX = 511 }; /* LMDB's */

const char *mdb_records_quote(const void *bytes, size_t size, char text[RECORDS_QUOTE_SIZE])
{
  enum { SHOWN_MAX = RECORDS_QUOTE_SIZE - 8 };
  const unsigned char *from = bytes;
  char *at = text;
  *at++ = '"';
  for (size_t i = 0; i < size && i < SHOWN_MAX; i++)
    *at++ = (char)(from[i] >= 0x20 && from[i] < 0x7f ? from[i] : '?');
  snprintf(at, 5, "%s\"", size > SHOWN_MAX ? "..." : "");
  return text;
}

typedef struct reading {
  pages *p;
  const char *table;
  bool is_quiet, is_over;
  store_visitor *visit;
  mdb_records_named_visitor *visit_named;
  void *context;
} reading;

/* What a damaged value still shows of its URL. */
static void say_damaged(const reading *r, const char *key, const uint8_t *value, size_t size)
{
  char text[RECORDS_QUOTE_SIZE];
  const uint8_t *text_at = size ? memmem(value, size, "http", 4) : NULL;
  if (text_at)
    mdb_pages_say(r->p, "record %s of table %s is damaged; %s stands there", key, r->table,
                  mdb_records_quote(text_at, size - (size_t)(text_at - value), text));
  else
    mdb_pages_say(r->p, "record %s of table %s is damaged", key, r->table);
}

static void read_numbered(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  reading *r = context;
  uint64_t number = key_size == 8 ? get_le(key, 8) : 0;
  char text[32];
  if (r->is_over)
    return;
  if (key_size == 8 && record_is_whole(number, value, size)) {
    r->is_over = !r->visit(r->context, number, value + RECORD_HEAD, size - RECORD_HEAD);
  } else if (!r->is_quiet) {
    snprintf(text, sizeof text, "%" PRIu64, number);
    say_damaged(r, text, value, size);
  }
}

static void read_named(void *context, const uint8_t *key, size_t key_size, const uint8_t *value, size_t size)
{
  const reading *r = context;
  char name[KEY_MAX + 1], text[RECORDS_QUOTE_SIZE];
  assert(key_size <= KEY_MAX); /* mdb_pages.c shows no longer one */
  memcpy(name, key, key_size);
  name[key_size] = '\0';
  if (record_is_whole(XXH3_64bits(key, key_size), value, size))
    r->visit_named(r->context, name, value + RECORD_HEAD, size - RECORD_HEAD);
  else if (!r->is_quiet)
    say_damaged(r, mdb_records_quote(key, key_size, text), value, size);
}

void mdb_records_each(pages *p, const char *table, store_visitor *visit, void *context)
{
  reading r = {.p = p, .table = table, .is_quiet = mdb_pages_were_walked(p, table), .visit = visit, .context = context};
  mdb_pages_each(p, table, read_numbered, &r);
}

void mdb_records_each_named(pages *p, const char *table, mdb_records_named_visitor *visit, void *context)
{
  reading r = {
    .p = p, .table = table, .is_quiet = mdb_pages_were_walked(p, table), .visit_named = visit, .context = context};
  mdb_pages_each(p, table, read_named, &r);
}
