/* The commands of `strata`: one function each, argv[0] being "strata NAME". Each returns an exit code. */
#ifndef STRATA_CRAWLER_CMD_H
#define STRATA_CRAWLER_CMD_H

#include "crawler/commands/options.h"

enum {
  EXIT_DONE = 0, /* also at a cap, which the summary names */
  EXIT_FAILED = 1,
  EXIT_USAGE = 2,
  EXIT_STOPPED = 3, /* by a signal; resumable */
  EXIT_BROKEN = 4,  /* done, and links are broken */
};

int cmd_crawl(int argc, char **argv);
int cmd_audit(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_seen(int argc, char **argv);
int cmd_forget(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compact(int argc, char **argv);
int cmd_snapshot(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_cluster(int argc, char **argv);
int cmd_inlinks(int argc, char **argv);
int cmd_uniq(int argc, char **argv);
int cmd_url(int argc, char **argv);
int cmd_links(int argc, char **argv);
int cmd_robots(int argc, char **argv);
int cmd_generate_urls(int argc, char **argv);
int cmd_like(int argc, char **argv);
int cmd_digest(int argc, char **argv);
int cmd_replay(int argc, char **argv);

/* Their options. */
extern const option_table cmd_crawl_options, cmd_audit_options, cmd_stat_options, cmd_seen_options, cmd_forget_options,
  cmd_plan_options, cmd_show_options, cmd_report_options, cmd_export_options, cmd_check_options, cmd_compact_options,
  cmd_snapshot_options, cmd_merge_options, cmd_cluster_options, cmd_inlinks_options, cmd_uniq_options, cmd_url_options,
  cmd_links_options, cmd_robots_options, cmd_generate_urls_options, cmd_like_options, cmd_digest_options,
  cmd_replay_options;

typedef struct cmd_entry {
  int (*run)(int argc, char **argv);
  const option_table *options; /* and its name */
  bool is_changing;            /* a directory of a crawl */
  bool is_in_child;            /* for what it reads may end it: in_child.h */
  const char *what;
} cmd_entry;

/* All of them, in the order in which people meet them; the last has no `run`. */
extern const cmd_entry cmd_entries[];

#endif
