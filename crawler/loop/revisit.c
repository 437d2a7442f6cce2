/* See revisit.h. A page that lacks something is noted with a mark in place of its validators: a server that finds the
 * page unchanged would not send what is lacking. The mark is a control character, which no validator may have, and a
 * letter for the set of lacks. */
#include "crawler/loop/revisit.h"

#include "frontier/base/machine.h"

#include <stdlib.h>
#include <string.h>

enum { MARK = '\x01', NO_LACK = '@', MARK_SIZE = 2 };

struct revisit {
  bool was_visited, is_conditional, has_content;
  uint8_t content[16];
  unsigned lacks;
  char etag[FRONTIER_VALIDATOR_MAX + 1], last_modified[FRONTIER_VALIDATOR_MAX + 1];
};

revisit *revisit_create(void)
{
  return calloc(1, sizeof(revisit));
}

void revisit_free(revisit *r)
{
  free(r);
}

/* A header's value as it may be sent back: visible bytes, spaces and tabs. */
static bool is_sendable(const char *value, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == 0x7F)
      return false;
  return size > 0;
}

static void take(char to[FRONTIER_VALIDATOR_MAX + 1], const char *value, size_t size)
{
  if (size > FRONTIER_VALIDATOR_MAX || !is_sendable(value, size))
    size = 0;
  memcpy(to, value, size);
  to[size] = '\0';
}

frontier_status revisit_begin(revisit *r, frontier *f, uint64_t lease, bool looks_back)
{
  frontier_visit last = {.etag = "", .last_modified = ""};
  frontier_status status = looks_back ? frontier_visit_get(f, lease, &last) : FRONTIER_NOT_FOUND;
  if (status != FRONTIER_OK && status != FRONTIER_NOT_FOUND)
    return status;
  r->was_visited = status == FRONTIER_OK;
  r->is_conditional = false;
  r->lacks = last.etag_size == MARK_SIZE && *last.etag == MARK ? (unsigned)last.etag[1] & (NO_LACK - 1) : 0;
  r->has_content = last.has_content;
  memcpy(r->content, last.content, sizeof r->content);
  take(r->etag, last.etag, last.etag_size);
  take(r->last_modified, last.last_modified, last.last_modified_size);
  return FRONTIER_OK;
}

void revisit_ask(revisit *r, fetch_receiver *receiver)
{
  receiver->if_none_match = *r->etag ? r->etag : NULL;
  receiver->if_modified_since = *r->last_modified ? r->last_modified : NULL;
  r->is_conditional = *r->etag || *r->last_modified;
}

bool revisit_is_again(const revisit *r)
{
  return r->was_visited;
}

unsigned revisit_lacks(const revisit *r)
{
  return r->lacks;
}

bool revisit_is_unchanged(const revisit *r, const fetch_response *response)
{
  return r->is_conditional && response->error == FETCH_OK && response->status == 304;
}

bool revisit_is_same(const revisit *r, const fetch_response *response, const char *sha256)
{
  return revisit_is_unchanged(r, response) ||
         (r->has_content && strlen(sha256) >= sizeof r->content && memcmp(r->content, sha256, sizeof r->content) == 0);
}

frontier_status revisit_note(const revisit *r, frontier *f, uint64_t lease, const fetch_response *response,
                             const char *sha256, unsigned lacks, bool is_failure)
{
  const char mark[MARK_SIZE] = {MARK, (char)(NO_LACK | lacks)};
  frontier_visit visit = {.at_s = machine_wall_ms() / 1000,
                          .is_unchanged = is_failure || revisit_is_unchanged(r, response)};
  if (is_failure && !r->was_visited)
    return FRONTIER_OK;
  if (lacks) {
    visit.etag = visit.last_modified = mark;
    visit.etag_size = visit.last_modified_size = sizeof mark;
  } else if (!is_failure) {
    visit.etag = fetch_header(response, "ETag", NULL);
    visit.etag_size = visit.etag && *visit.etag != MARK ? strlen(visit.etag) : 0;
    visit.last_modified = fetch_header(response, "Last-Modified", NULL);
    visit.last_modified_size = visit.last_modified ? strlen(visit.last_modified) : 0;
  }
  if (!visit.is_unchanged && strlen(sha256) >= sizeof visit.content) {
    visit.has_content = true;
    memcpy(visit.content, sha256, sizeof visit.content);
  }
  return frontier_visit_note(f, lease, &visit);
}
