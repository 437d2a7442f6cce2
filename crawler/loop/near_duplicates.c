/* See near_duplicates.h. On a full disk writing to the index and to the digests waits, as the crawl does: an entry that
 * is skipped is never added later. */
#include "crawler/loop/near_duplicates.h"

#include "crawler/loop/suspects.h"
#include "frontier/base/own_file.h"

#include <assert.h>
#include <errno.h>

frontier_status near_duplicates_status(mlbf_status status)
{
  if (status == MLBF_IO && own_file_is_refusal(errno))
    return FRONTIER_NOT_OURS;
  switch (status) {
  case MLBF_OK: return FRONTIER_OK;
  case MLBF_IO: return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? FRONTIER_NO_SPACE : FRONTIER_IO;
  case MLBF_NO_MEMORY: return FRONTIER_NO_MEMORY;
  default: return FRONTIER_DAMAGED;
  }
}

/* Connections have them all, and waiting frees none. */
static bool lacks_files(mlbf_status status)
{
  return status == MLBF_IO && (errno == EMFILE || errno == ENFILE);
}

static bool note_text(crawl *c, visit *v)
{
  fingerprint_index *kept = c->options.contents;
  mlbf_status status;
  while ((status = fingerprint_index_add(kept, v->lease.url, &v->shingles, &c->near)) != MLBF_OK &&
         !lacks_files(status))
    if (!crawl_wait_out(c, near_duplicates_status(status), fingerprint_index_message(kept)))
      return false;
  if (status != MLBF_OK)
    crawl_holds(c, frontier_count(c->frontier, "not-compared", 1));
  if (c->near && !revisit_is_again(v->revisit))
    crawl_holds(c, frontier_count(c->frontier, "near-duplicates", 1));
  suspects_begin(c, v, &v->shingles);
  return true;
}

static bool note_body(crawl *c, visit *v)
{
  body_digests *kept = c->options.bodies;
  mlbf_status status;
  while ((status = body_digests_add(kept, &v->body, v->lease.url)) == MLBF_IO)
    if (!crawl_wait_out(c, near_duplicates_status(status), body_digests_message(kept)))
      return false;
  if (status == MLBF_NO_MEMORY)
    crawl_holds(c, frontier_count(c->frontier, "not-digested", 1));
  return true;
}

bool near_duplicates_note(crawl *c, visit *v, page_facts *facts)
{
  assert(v->stage == VISIT_FETCHING && c->visits.active);
  c->near = NULL;
  if (v->is_map || v->is_check)
    return true;
  if (c->options.contents && !note_text(c, v))
    return false;
  if (c->options.bodies && !note_body(c, v))
    return false;
  bool is_same = revisit_is_again(v->revisit) && revisit_is_same(v->revisit, facts->response, v->sha256);
  facts->near = is_same ? NULL : c->near; /* its line of then says it */
  return true;
}

void near_duplicates_forget(crawl *c, visit *v)
{
  if (c->options.bodies)
    body_digests_drop(c->options.bodies, &v->body);
}
