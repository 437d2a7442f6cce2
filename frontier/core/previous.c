/* See previous.h. A directory is opened read-only, to load its filter, the log's keys that the filter file lacks, and
 * its forgotten keys; then it is closed, except a table of exact keys. */
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
  tombstones tombstones;
  store *exact;        /* with the table of its keys; NULL: the filter alone */
  mlbf_hasher *hasher; /* of those; NULL: the filter alone */
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
  if (status == FRONTIER_OK) {
    p->profile = f->options.profile;
    p->seen = f->seen;
    p->tombstones = f->tombstones;
    f->seen = NULL;
    f->tombstones = (tombstones){0};
    if (f->options.exact) {
      p->exact = f->store;
      p->hasher = secret_give_hasher(f);
      f->store = NULL;
    }
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
  mlbf_status status = mlbf_load(path, &p->file);
  if (status == MLBF_SECRET)
    status = mlbf_load_with(path, secret, &p->file);
  if (status == MLBF_OK && url_profile_parse(mlbf_profile(p->file), &p->profile))
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

void previous_close(previous *p)
{
  if (!p)
    return;
  seen_free(p->seen);
  mlbf_free(p->file);
  tombstones_free(&p->tombstones);
  store_close(p->exact);
  mlbf_hasher_free(p->hasher);
  free(p);
}

/* A table that cannot be read says nothing: then it is as without one. */
static bool is_in_table(const previous *p, const frontier_link *link, mlbf_hash128 whole)
{
  bool has;
  if (!p->exact)
    return true;
  store_exact_key key = exact_key_of(p->hasher, link, whole);
  return store_has_exact(p->exact, &key, 1, &has) != FRONTIER_OK || has;
}

bool previous_knows(const previous *p, const frontier_link *link)
{
  mlbf_hashes hashes;
  mlbf_verdict verdict;
  link_hash(p->seen ? seen_filter(p->seen) : p->file, link, &hashes);
  if (p->seen)
    seen_ask(p->seen, &hashes, 1, &verdict);
  else
    verdict = mlbf_test(p->file, &hashes);
  return verdict.outcome == MLBF_SEEN && is_in_table(p, link, hashes.whole) &&
         !tombstones_has(&p->tombstones, hashes.whole);
}
