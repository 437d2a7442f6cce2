/* crawler/cmd.h: the subcommands of strata. Each takes its own name in argv[0] and returns the exit status. */
#ifndef STRATA_CRAWLER_CMD_H
#define STRATA_CRAWLER_CMD_H

int cmd_url(int argc, char **argv);

#endif
