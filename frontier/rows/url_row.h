/* One URL as it was accepted: a row of table `text`, and a record of table `again`. Written once; what becomes of the
 * URL is in other tables (url_state.h). FORMAT.md, "text". */
#ifndef STRATA_FRONTIER_URL_ROW_H
#define STRATA_FRONTIER_URL_ROW_H

#include "frontier/host.h"

/* What the text is. A host's name is in its own record, and in the row of its first URL. */
typedef enum url_form {
  URL_FORM_HTTP,   /* "http://", the host's name, and then the text */
  URL_FORM_HTTPS,  /* the same with "https://" */
  URL_FORM_WHOLE,  /* the text is all of it: its host is the one of its politeness alone, such as a group */
  URL_FORM_OPAQUE, /* the same, and the text need not be a URL */
} url_form;

typedef struct url_row {
  uint32_t host; /* id */
  frontier_origin origin;
  frontier_verdict verdict; /* that let it in */
  frontier_class class;
  url_form form;
  bool is_noted;         /* it was never queued: a queue's reader need not know how it ended */
  const char *host_name; /* of a host's first URL; NULL: it is in the host's record only */
  size_t host_name_size;
  const uint8_t *fields; /* fields.h; NULL if the size is 0 */
  size_t fields_size;
  const char *text;
  size_t text_size;
} url_row;

/* A group has its name in the table of hosts, behind a byte that no host's name begins with. */
enum { GROUP_MARK = '/' };
static inline bool host_is_group(const char *name)
{
  return *name == GROUP_MARK;
}

/* Text and form of a fetch URL of this host. */
void url_row_set_url(url_row *row, const char *fetch, size_t size, const char *host, size_t host_size);

/* The same of an opaque target. */
static inline void url_row_set_opaque(url_row *row, const char *text, size_t size)
{
  row->form = URL_FORM_OPAQUE;
  row->text = text;
  row->text_size = size;
}

/* Is it a sound opaque target, which has its own key, in a group? */
static inline bool url_row_is_opaque(const url_row *row, const void *own_key, const char *name)
{
  return row->form == URL_FORM_OPAQUE && own_key && host_is_group(name);
}

size_t url_row_size(const url_row *row, uint64_t sequence);
void url_row_write(const url_row *row, uint64_t sequence, uint8_t *at); /* url_row_size bytes */

/* Points into the bytes. false: they are no row. */
bool url_row_read(url_row *row, uint64_t sequence, const uint8_t *bytes, size_t size);

/* The fetch URL, not NUL-terminated, into room for URL_LENGTH_MAX + 1 bytes; its size, 0: it is too long to be one. */
size_t url_row_url(const url_row *row, const char *host, size_t host_size, char *out);
/* Where its host[:port] is in it: both are 0 if it is opaque. */
void url_row_host(const url_row *row, const char *fetch, size_t size, size_t host_size, uint32_t *begin, uint32_t *end);

#endif
