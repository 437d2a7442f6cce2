/* Replaces data.mdb by another file. */
#ifndef STRATA_FRONTIER_REPLACE_H
#define STRATA_FRONTIER_REPLACE_H

#include "frontier/frontier.h"

/* The file `from` replaces `directory`/data.mdb in one rename; `keep`, if not NULL, becomes another name for the old
 * file. All are on one file system, and no process may have data.mdb open: else BUSY. */
frontier_status environment_replace(const char *directory, const char *from, const char *keep,
                                    char message[FRONTIER_MESSAGE_SIZE]);

/* The directory in `directory` where the other file is made, and what a maker that was killed left in it. */
enum { REBUILT_PATH_SIZE = 4096 };
void environment_rebuilt(const char *directory, const char *name, char path[REBUILT_PATH_SIZE]); /* name "": itself */
frontier_status environment_begin_rebuilt(const char *directory, char message[FRONTIER_MESSAGE_SIZE]);
void environment_remove_rebuilt(const char *directory);

#endif
