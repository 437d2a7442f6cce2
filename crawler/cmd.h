/* crawler/cmd.h: the subcommands of the program strata.
 *
 * Each takes the arguments from its own name on (argv[0] is "links"), prints what a person needs to stderr and what a
 * program needs to stdout, and returns the exit status: 0 done, 1 failed, 2 usage. */
#ifndef STRATA_CRAWLER_CMD_H
#define STRATA_CRAWLER_CMD_H

int cmd_links(int argc, char **argv);  /* strata links [--base URL] [--all] FILE */
int cmd_robots(int argc, char **argv); /* strata robots [--agent A] FILE URL... */

#endif
