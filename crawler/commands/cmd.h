/* The commands of `strata`: one function each, argv[0] being "strata NAME". Each returns an exit code. */
#ifndef STRATA_CRAWLER_CMD_H
#define STRATA_CRAWLER_CMD_H

enum {
  EXIT_DONE = 0,    /* also at a cap, which the summary names */
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_STOPPED = 3, /* by a signal; resumable */
};

int cmd_crawl(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_seen(int argc, char **argv);
int cmd_forget(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compact(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_inlinks(int argc, char **argv);
int cmd_uniq(int argc, char **argv);
int cmd_url(int argc, char **argv);
int cmd_links(int argc, char **argv);
int cmd_robots(int argc, char **argv);
int cmd_generate_urls(int argc, char **argv);
int cmd_like(int argc, char **argv);
int cmd_digest(int argc, char **argv);
int cmd_replay(int argc, char **argv);

#endif
