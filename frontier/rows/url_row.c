/* See url_row.h.
 *
 *     head (1)  verdict (1)  host  depth  via  [hops]  [name size, name]  [fields size, fields]  text
 *
 * head       bits 0, 1: class; 2, 3: form; 4: hops follow; 5: a host's name follows; 6: fields follow; 7: noted
 * verdict    bits 0 to 2: outcome; 3 to 7: layer
 * via        0: a start URL; else 1 more than twice the distance to it, back, or twice the distance forth; modulo 2^64
 *
 * Numbers are those of rows.h. */
#include "frontier/rows/url_row.h"

#include "frontier/rows/rows.h"

#include <assert.h>
#include <string.h>

enum { FORM_SHIFT = 2, FORM_MASK = 3, CLASS_MASK = 3, HAS_HOPS = 16, HAS_NAME = 32, HAS_FIELDS = 64, IS_NOTED = 128 };
enum { OUTCOME_MASK = 7, LAYER_SHIFT = 3 };

static const char *const schemes[] = {"http://", "https://"};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

void url_row_set_url(url_row *row, const char *fetch, size_t size, const char *host, size_t host_size)
{
  row->form = URL_FORM_WHOLE;
  row->text = fetch;
  row->text_size = size;
  for (int form = 0; form < SCHEMES; ++form) {
    size_t scheme = strlen(schemes[form]), head = scheme + host_size;
    if (size < head || memcmp(fetch, schemes[form], scheme) != 0 || memcmp(fetch + scheme, host, host_size) != 0 ||
        (size > head && fetch[head] != '/'))
      continue;
    row->form = (url_form)form;
    row->text = fetch + head;
    row->text_size = size - head;
  }
}

enum { FAR = 63 }; /* 2^63: as far back as forth, so it takes the number that 0 has no need of */

/* Pages lead to later ones, so the distance is nearly always back, and small. Modulo 2^64: any via has its number. */
static uint64_t via_number(uint64_t via, uint64_t sequence)
{
  uint64_t back = sequence - via;
  if (via == 0)
    return 0;
  if (back == UINT64_C(1) << FAR)
    return 2 * sequence + 1;
  return back >> FAR ? 2 * (via - sequence) : 2 * back + 1;
}

static uint64_t via_of(uint64_t number, uint64_t sequence)
{
  if (number == 0)
    return 0;
  if (number == 2 * sequence + 1)
    return sequence + (UINT64_C(1) << FAR);
  return number & 1 ? sequence - number / 2 : sequence + number / 2;
}

size_t url_row_size(const url_row *row, uint64_t sequence)
{
  size_t size = 2 + rows_number_size(row->host) + rows_number_size(row->origin.depth) +
                rows_number_size(via_number(row->origin.via, sequence)) + row->text_size;
  if (row->origin.hops)
    size += rows_number_size(row->origin.hops);
  if (row->host_name_size)
    size += rows_number_size(row->host_name_size) + row->host_name_size;
  if (row->fields_size)
    size += rows_number_size(row->fields_size) + row->fields_size;
  return size;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size)
{
  at = rows_put_number(at, size);
  memcpy(at, bytes, size);
  return at + size;
}

void url_row_write(const url_row *row, uint64_t sequence, uint8_t *at)
{
  assert((unsigned)row->class <= CLASS_MASK && row->verdict.layer < 1u << (8 - LAYER_SHIFT));
  *at++ = (uint8_t)((unsigned)row->class | (unsigned)row->form << FORM_SHIFT | (row->origin.hops ? HAS_HOPS : 0) |
                    (row->host_name_size ? HAS_NAME : 0) | (row->fields_size ? HAS_FIELDS : 0) |
                    (row->is_noted ? IS_NOTED : 0));
  *at++ = (uint8_t)((unsigned)row->verdict.outcome | row->verdict.layer << LAYER_SHIFT);
  at = rows_put_number(at, row->host);
  at = rows_put_number(at, row->origin.depth);
  at = rows_put_number(at, via_number(row->origin.via, sequence));
  if (row->origin.hops)
    at = rows_put_number(at, row->origin.hops);
  if (row->host_name_size)
    at = put_bytes(at, row->host_name, row->host_name_size);
  if (row->fields_size)
    at = put_bytes(at, row->fields, row->fields_size);
  if (row->text_size)
    memcpy(at, row->text, row->text_size);
}

/* Bytes behind their number; NULL: they do not end before `end`. */
static const uint8_t *get_bytes(const uint8_t *at, const uint8_t *end, const uint8_t **bytes, size_t *size)
{
  uint64_t n = 0;
  at = rows_get_number(at, end, &n);
  if (!at || n == 0 || n > (size_t)(end - at))
    return NULL;
  *bytes = at;
  *size = (size_t)n;
  return at + n;
}

bool url_row_read(url_row *row, uint64_t sequence, const uint8_t *bytes, size_t size)
{
  const uint8_t *at, *end = bytes + size, *name = NULL;
  uint64_t host = 0, depth = 0, via = 0, hops = 0;
  if (size < 2 || (bytes[1] & OUTCOME_MASK) >= FRONTIER_OUTCOMES)
    return false;
  *row = (url_row){.class = (frontier_class)(bytes[0] & CLASS_MASK),
                   .form = (url_form)(bytes[0] >> FORM_SHIFT & FORM_MASK),
                   .is_noted = (bytes[0] & IS_NOTED) != 0,
                   .verdict = {(frontier_outcome)(bytes[1] & OUTCOME_MASK), bytes[1] >> LAYER_SHIFT}};
  at = rows_get_number(bytes + 2, end, &host);
  at = rows_get_number(at, end, &depth);
  at = rows_get_number(at, end, &via);
  if (at && bytes[0] & HAS_HOPS)
    at = rows_get_number(at, end, &hops);
  if (at && bytes[0] & HAS_NAME)
    at = get_bytes(at, end, &name, &row->host_name_size);
  if (at && bytes[0] & HAS_FIELDS)
    at = get_bytes(at, end, &row->fields, &row->fields_size);
  if (!at || host > UINT32_MAX || depth > UINT16_MAX || hops > UINT16_MAX || end - at > URL_LENGTH_MAX ||
      row->host_name_size > URL_LENGTH_MAX)
    return false;
  row->host = (uint32_t)host;
  row->host_name = (const char *)name;
  row->origin = (frontier_origin){.via = via_of(via, sequence), .depth = (uint16_t)depth, .hops = (uint16_t)hops};
  row->text = (const char *)at;
  row->text_size = (size_t)(end - at);
  return true;
}

static size_t scheme_size(const url_row *row)
{
  return row->form < URL_FORM_WHOLE ? strlen(schemes[row->form]) : 0;
}

void url_row_host(const url_row *row, const char *fetch, size_t size, size_t host_size, uint32_t *begin, uint32_t *end)
{
  *begin = (uint32_t)scheme_size(row);
  *end = *begin ? *begin + (uint32_t)host_size : 0;
  if (row->form != URL_FORM_WHOLE)
    return;
  const char *slashes = memmem(fetch, size, "//", 2), *host = slashes ? slashes + 2 : fetch + size;
  const char *slash = memchr(host, '/', (size_t)(fetch + size - host));
  *begin = (uint32_t)(host - fetch);
  *end = slash ? (uint32_t)(slash - fetch) : (uint32_t)size;
}

size_t url_row_url(const url_row *row, const char *host, size_t host_size, char *out)
{
  size_t scheme = scheme_size(row), head = scheme ? scheme + host_size : 0;
  if (head + row->text_size > URL_LENGTH_MAX || head + row->text_size == 0)
    return 0;
  if (scheme) {
    memcpy(out, schemes[row->form], scheme);
    memcpy(out + scheme, host, host_size);
  }
  memcpy(out + head, row->text, row->text_size);
  return head + row->text_size;
}
