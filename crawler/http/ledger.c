/* See ledger.h. */
#include "crawler/http/ledger.h"

#include <string.h>
#include <strings.h>

const char ledger_long_line[] = "too long a header field", ledger_head_bytes[] = "too many bytes of header fields",
           ledger_trailers[] = "too many trailers", ledger_wire_bytes[] = "too many bytes for its body",
           ledger_tls_records[] = "too many TLS records for no byte", ledger_codings[] = "too many content codings";

static bool begins_with(const char *line, size_t size, const char *word)
{
  size_t length = strlen(word);
  return size >= length && strncasecmp(line, word, length) == 0;
}

static bool is_field(const char *line, size_t size, const char *name)
{
  size_t at = strlen(name);
  bool is_name = begins_with(line, size, name);
  while (is_name && at < size && (line[at] == ' ' || line[at] == '\t'))
    at++;
  return is_name && at < size && line[at] == ':';
}

/* "HTTP/1.1 103 Early Hints" */
static bool is_interim(const char *line, size_t size)
{
  const char *blank = begins_with(line, size, "HTTP/") ? memchr(line, ' ', size) : NULL;
  return blank && blank + 1 < line + size && blank[1] == '1';
}

static const char *what_is_exceeded(const ledger *l, size_t line)
{
  if (l->trailers > LEDGER_TRAILERS || l->trailer_bytes > LEDGER_TRAILER_BYTES)
    return ledger_trailers;
  if (l->interim > LEDGER_INTERIM)
    return "too many interim responses";
  if (l->cookies > LEDGER_COOKIES)
    return "too many cookies";
  if (l->fields > LEDGER_FIELDS)
    return "too many header fields";
  return line > LEDGER_LINE_BYTES ? ledger_long_line : l->head_bytes > LEDGER_HEAD_BYTES ? ledger_head_bytes : NULL;
}

bool ledger_add_line(ledger *l, const char *line, size_t size, bool is_trailer)
{
  uint32_t bytes = size < LEDGER_HEAD_BYTES ? (uint32_t)size : LEDGER_HEAD_BYTES + 1;
  if (l->exceeded)
    return false;
  if (is_trailer) {
    l->trailers++;
    l->trailer_bytes += bytes;
  } else {
    l->fields++;
    l->head_bytes += bytes;
    l->interim += is_interim(line, size);
    l->cookies += is_field(line, size, "Set-Cookie");
  }
  l->exceeded = what_is_exceeded(l, size);
  return !l->exceeded;
}

uint64_t ledger_wire_max(uint64_t body_max)
{
  uint64_t most = body_max < UINT64_MAX / (2 * LEDGER_BODY_TIMES) ? body_max * LEDGER_BODY_TIMES : UINT64_MAX / 2;
  return most + LEDGER_WIRE_MORE;
}

bool ledger_see_wire(ledger *l, uint64_t bytes, uint64_t body_max)
{
  if (!l->exceeded && bytes > ledger_wire_max(body_max))
    l->exceeded = ledger_wire_bytes;
  return !l->exceeded;
}
