/* See commit_files.h. */
#include "crawler/loop/commit_files.h"

#include "crawler/loop/near_duplicates.h"

#include <stdio.h>

static frontier_status flush_contents(fingerprint_index *contents, char message[FRONTIER_MESSAGE_SIZE])
{
  mlbf_status status = fingerprint_index_flush(contents);
  if (status == MLBF_OK)
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%s", fingerprint_index_message(contents));
  return near_duplicates_status(status);
}

/* The texts of pages first: a place in the WARC files is told to the frontier only if the commit has all else. */
static frontier_status before_commit(void *context, char message[FRONTIER_MESSAGE_SIZE])
{
  const commit_files *files = context;
  frontier_status status = files->contents ? flush_contents(files->contents, message) : FRONTIER_OK;
  if (status == FRONTIER_OK && files->edges)
    status = edge_log_settle(files->edges, message);
  return status == FRONTIER_OK && files->warc ? crawl_warc_settle(files->warc, message) : status;
}

void commit_files_begin(commit_files *files, frontier *f)
{
  frontier_before_commit(f, before_commit, files);
}
