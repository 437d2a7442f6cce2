/* Gives up rights on files that a crawl does not need, for good (Landlock, Linux 5.13 and later), so that a fault in
 * what reads pages cannot be used to read or change the rest of the user's files. */
#ifndef STRATA_CRAWLER_CONFINE_H
#define STRATA_CRAWLER_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

/* The version of Landlock that the kernel has, at most the newest we know; 0: none, or it is switched off. */
int confine_version(void);

/* From now on the calling thread, and every thread and process it starts, can
 *
 *     write    below the directory `own`, where it makes files and directories, no links and no devices; besides only
 *              to the files in `written` (`written_count`; NULL is passed over), and files in directories in it
 *     read     there, in the files and directories `named` (`count`; NULL is passed over, and so is what is not
 *              there), and where libraries, certificates and the answers to host names lie: /usr, /etc, /proc, ...
 *     execute  no file
 *
 * and, as far as `version` has it, truncate no other file (3), accept no TCP connection (4), and signal no process and
 * use no abstract socket outside (6). What is open stays open. What Landlock cannot forbid, such as chmod, stat and
 * connecting, is as before. Threads that already run keep their rights: start none before.
 *
 * `version` is confine_version() or less. false: the kernel has no Landlock, or `own` cannot be opened; then nothing
 * has changed. One descriptor stays open. */
bool confine(int version, const char *own, const char *const named[], size_t count, const char *const written[],
             size_t written_count);

#endif
