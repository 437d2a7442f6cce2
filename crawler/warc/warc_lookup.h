/* Finding a URL's captures in the WARC files of a crawl's directory, by their indexes. */
#ifndef STRATA_CRAWLER_WARC_LOOKUP_H
#define STRATA_CRAWLER_WARC_LOOKUP_H

#include "crawler/warc/warc.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct capture_place {
  unsigned file; /* number of the WARC file; 0: none was found */
  uint64_t offset;
  char date[14 + 1]; /* YYYYMMDDhhmmss */
} capture_place;

typedef enum warc_lookup_status {
  WARC_LOOKUP_FOUND,
  WARC_LOOKUP_NONE,       /* the URL is in no index */
  WARC_LOOKUP_NO_WARC,    /* the directory has no WARC file */
  WARC_LOOKUP_UNREADABLE, /* errno, of the index that is named, or of the directory */
} warc_lookup_status;

typedef struct warc_wanted {
  const char *url;
  const char *date;   /* 14 digits; NULL: any */
  const char *digest; /* "sha1:..." of the payload; NULL: any */
  bool is_full;       /* no revisit record, whose payload is elsewhere */
} warc_wanted;

/* The latest capture of that kind. `index`: the file that cannot be read. */
warc_lookup_status warc_lookup_find(const char *directory, const warc_wanted *wanted, capture_place *place,
                                    char index[WARC_PATH_SIZE]);

/* The latest capture of `url` with a status of 2xx, in files 1 to `last`, whose indexes are sorted; `file` 0: none, or
 * what there is cannot be read. */
capture_place warc_lookup_success(const char *directory, unsigned last, const char *url);

#endif
