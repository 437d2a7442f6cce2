/* crawler/cmd.h: the subcommands of strata, one function each, in crawler/cmd_NAME.c.
 *
 * Each gets its own argument vector, argv[0] the name of the command, reads its options with getopt_long,
 * and returns the exit code: 0 done, 1 failed, 2 usage, 3 stopped by a signal. What a person needs goes to
 * standard error, what a program needs to standard output. `--help` prints the options and returns 0. */
#ifndef STRATA_CRAWLER_CMD_H
#define STRATA_CRAWLER_CMD_H

enum { CMD_DONE = 0, CMD_FAILED = 1, CMD_USAGE = 2, CMD_STOPPED = 3 };

int cmd_generate_urls(int argc, char **argv);

#endif
