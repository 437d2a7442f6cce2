/* crawler/commands/digest_set.h: digests of files, and files of digests, for strata digest. If a file cannot be read or
 * a line is not a digest, the function says so on stderr and returns false. */
#ifndef STRATA_CRAWLER_DIGEST_SET_H
#define STRATA_CRAWLER_DIGEST_SET_H

#include "mlbf/digest.h"

typedef struct digest_item {
  mlbf_digest *digest;
  char *name; /* as it is shown */
} digest_item;

typedef struct digest_set {
  digest_item *items;
  size_t count, room;
} digest_set;

/* How files are digested and called. */
typedef struct digest_manner {
  mlbf_digest_options options;
  bool keep_paths; /* else the last part of the file's name alone */
} digest_manner;

/* The digest of the file at `path`, to the end of the set. Longer than MLBF_DIGEST_STREAM_MAX: in blocks. */
bool digest_set_add_file(digest_set *set, const digest_manner *manner, const char *path);

/* The digests in the file at `path`, or, if it begins with none, its own digest. */
bool digest_set_add(digest_set *set, const digest_manner *manner, const char *path);

void digest_set_free(digest_set *set);

#endif
