/* See previous.h. A directory is opened read-only, to load its filter, the log's keys that the filter file lacks, and
 * its forgotten keys; then it is closed, unless its keys are exact. */
#include "frontier/core/previous.h"

#include "frontier/core/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct previous {
  seen *seen;        /* of a directory, or */
  mlbf_filter *file; /* of a file */
  url_profile profile;
  char key_scheme[FRONTIER_KEY_SCHEME_MAX + 1];
  tombstones tombstones;
  frontier *exact; /* whose keys are confirmed; NULL: the filter alone */
};

static bool are_same(const char *a, const char *b)
{
  struct stat first, second;
  return a && stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

static frontier_status from_directory(previous *p, const char *path, char message[FRONTIER_MESSAGE_SIZE])
{
  /* what the directory was made with wins: these values only have to make sense */
  frontier_options reading = {
    .filter = MLBF_KIND_MLBF, .expected_urls = 1, .rate = 0.5, .per_host = 1, .read_only = true, .keep_identity = true};
  frontier *f;
  frontier_status status = frontier_open(path, &reading, &f, message);
  if (status != FRONTIER_OK)
    return status;
  status = seen_load(f);
  if (status == FRONTIER_OK)
    status = late_load(f);
  p->profile = f->options.profile;
  snprintf(p->key_scheme, sizeof p->key_scheme, "%s", frontier_key_scheme(f));
  if (status == FRONTIER_OK && late_is_on(f)) {
    p->exact = f;
    return status;
  }
  if (status == FRONTIER_OK) {
    p->seen = f->seen;
    p->tombstones = f->tombstones;
    f->seen = NULL;
    f->tombstones = (tombstones){0};
  } else {
    frontier_message_copy(f, message);
  }
  frontier_close(f);
  return status;
}

/* Of the file's own secret, or of ours. */
static frontier_status from_file(previous *p, const char *path, const uint8_t *secret,
                                 char message[FRONTIER_MESSAGE_SIZE])
{
  mlbf_status status = mlbf_load(path, NULL, &p->file);
  if (status == MLBF_SECRET)
    status = mlbf_load(path, secret, &p->file);
  if (status == MLBF_OK && url_profile_parse(mlbf_promise_of(p->file).profile, &p->profile))
    return FRONTIER_OK;
  snprintf(message, FRONTIER_MESSAGE_SIZE, "%s: %s", path,
           status == MLBF_OK ? "its keys are not URLs by a profile known here" : mlbf_status_text(status));
  return status == MLBF_NO_MEMORY ? FRONTIER_NO_MEMORY
         : status == MLBF_DAMAGED ? FRONTIER_DAMAGED
         : status == MLBF_VERSION ? FRONTIER_VERSION
         : status == MLBF_OK      ? FRONTIER_MISMATCH
         : status == MLBF_SECRET  ? FRONTIER_MISMATCH
         : status == MLBF_IO      ? FRONTIER_IO
                                  : FRONTIER_NOT_OURS;
}

frontier_status previous_open(const char *directory, const char *path, const uint8_t *secret, previous **out,
                              char message[FRONTIER_MESSAGE_SIZE])
{
  struct stat info;
  if (are_same(directory, path)) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "%s cannot be its own previous crawl", path);
    return FRONTIER_BAD_ARGUMENT;
  }
  previous *p = calloc(1, sizeof *p);
  if (!p) {
    snprintf(message, FRONTIER_MESSAGE_SIZE, "out of memory for the filter of %s", path);
    return FRONTIER_NO_MEMORY;
  }
  bool is_directory = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  frontier_status status = is_directory ? from_directory(p, path, message) : from_file(p, path, secret, message);
  if (status == FRONTIER_OK)
    *out = p;
  else
    previous_close(p);
  return status;
}

url_profile previous_profile(const previous *p)
{
  return p->profile;
}

const char *previous_key_scheme(const previous *p)
{
  return p->file ? NULL : p->key_scheme;
}

void previous_close(previous *p)
{
  if (!p)
    return;
  seen_free(p->seen);
  mlbf_free(p->file);
  tombstones_free(&p->tombstones);
  frontier_close(p->exact);
  free(p);
}

/* What cannot be read says nothing: then it is as with the filter alone. */
static bool knows_exactly(frontier *f, const frontier_link *link)
{
  frontier_verdict verdict;
  frontier_status status = frontier_lookup_batch(f, link, 1, &verdict);
  return status == FRONTIER_OK && (verdict.outcome == FRONTIER_SEEN || verdict.outcome == FRONTIER_UNCONFIRMED);
}

bool previous_knows(const previous *p, const frontier_link *link)
{
  key_hashes hashes;
  if (p->exact)
    return knows_exactly(p->exact, link);
  link_hash(p->seen ? seen_filter(p->seen) : p->file, link, &hashes);
  mlbf_verdict verdict = p->seen ? seen_ask_one(p->seen, &hashes) : seen_ask_file(p->file, &hashes);
  return verdict.outcome == MLBF_SEEN && !tombstones_has(&p->tombstones, hashes.whole);
}
