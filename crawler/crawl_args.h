/* What `strata crawl` was told: options, defaults, refusals. */
#ifndef STRATA_CRAWLER_CRAWL_ARGS_H
#define STRATA_CRAWLER_CRAWL_ARGS_H

#include "crawler/crawl.h"

typedef struct crawl_args {
  crawl_options crawl;
  mlbf_kind filter;
  uint64_t expect;
  double rate;
  unsigned per_host;
  uint64_t trap_budget;  /* of each host; 0: no limit */
  scope_kind scope;
  url_profile profile;
  bool filter_given, rate_given, scope_given, profile_given; /* asked for, so they must agree with the directory */
  bool no_store;
  bool warc;
  uint64_t warc_bytes;   /* a WARC file is full then */
  bool help;
  const char *directory; /* NULL: from the first start URL */
  const char *seeds;     /* file of start URLs, "-": standard input; NULL: none */
  const char *summary;   /* file for the final counters; NULL: none */
  char **urls;
  int url_count;
  char **option_words;   /* the options as they were typed */
  int option_word_count;
} crawl_args;

/* An exit code: EXIT_DONE, or EXIT_USAGE after one sentence on stderr. */
int crawl_args_parse(int argc, char **argv, crawl_args *args);

extern const char crawl_help[];

#endif
