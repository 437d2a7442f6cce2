/* Replaces data.mdb by another file. */
#ifndef STRATA_FRONTIER_REPLACE_H
#define STRATA_FRONTIER_REPLACE_H

#include "frontier/frontier.h"

/* The file `from` replaces `directory`/data.mdb in one rename; `keep`, if not NULL, becomes another name for the old
 * file. All are on one file system, and no process may have data.mdb open: else BUSY. */
frontier_status environment_replace(const char *directory, const char *from, const char *keep,
                                    char message[FRONTIER_MESSAGE_SIZE]);

#endif
