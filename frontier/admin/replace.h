/* Another data.mdb in the place of the old one. */
#ifndef STRATA_FRONTIER_REPLACE_H
#define STRATA_FRONTIER_REPLACE_H

#include "frontier/frontier.h"

/* The file `from` takes the place of `directory`/data.mdb, at one stroke; `keep`, if not NULL, is another name for the
 * old one from then on. Both are on the same file system as it, and nobody may have it open: BUSY if somebody has. */
frontier_status environment_replace(const char *directory, const char *from, const char *keep,
                                    char message[FRONTIER_MESSAGE_SIZE]);

#endif
