/* One run of `strata crawl`: the directory, files and objects it opens. */
#ifndef STRATA_CRAWLER_CRAWL_JOB_H
#define STRATA_CRAWLER_CRAWL_JOB_H

#include "crawler/cluster/cluster.h"
#include "crawler/commands/crawl_args.h"
#include "crawler/base/crawl_dir.h"
#include "crawler/loop/commit_files.h"
#include "crawler/commands/metrics_output.h"
#include "crawler/loop/link_priority.h"
#include "crawler/report/panel.h"
#include "crawler/commands/seeds.h"
#include "crawler/http/trust.h"

#include <stdio.h>

/* Everything one run holds, so that it is let go of in one place. */
typedef struct crawl_job {
  crawl_args args;
  char directory[CRAWL_PATH_SIZE];     /* "": keep nothing */
  char previous[CRAWL_PATH_SIZE];      /* an earlier crawl's frontier, or its filter file; "": none */
  char previous_lock[CRAWL_PATH_SIZE]; /* its file of locks, which readers write to; "": none */
  seeds *seeds;
  url *start;        /* room for one */
  bool has_start;    /* `start` holds the first start URL */
  char *first_start; /* as it is requested; owned, or NULL */
  bool is_resumed;
  bool lacks_starts; /* the run ends before all start URLs are queued */
  bool is_confined;  /* confine.h */
  frontier *frontier;
  scope *scope;
  scope *trusted; /* scheme, host and port of start URLs */
  crawl_warc warc;
  edge_log *edges; /* NULL: no audit */
  commit_files files;
  trust *trust; /* whose certificates are believed */
  crawl *crawl;
  cluster *cluster; /* NULL: it crawls alone */
  crawl_company company;
  FILE *summary_file;
  panel panel;
  bool has_warned;         /* of too few file descriptors */
  bool is_paused;          /* and said so */
  bool is_kept;            /* all that came, in the end */
  bool lacks_saved_counts; /* saving them failed the last time, and that was said */
  link_priority linked;    /* how far the queue was looked through for what many pages link to */
  metrics_output metrics;
  uint64_t began_wall_ms; /* the run */
  double saved_at_s;      /* the in-link counts; seconds of this run */
} crawl_job;

/* From the arguments to a frontier, a scope and files that are open, with the first start URL read. An exit code, after
 * one sentence on stderr; what was opened by then is the caller's to close in any case. */
int crawl_job_open(crawl_job *job);

#endif
