/* What `strata crawl` was told: options, defaults, refusals. */
#ifndef STRATA_CRAWLER_CRAWL_ARGS_H
#define STRATA_CRAWLER_CRAWL_ARGS_H

#include "crawler/commands/options.h"
#include "crawler/loop/crawl.h"

enum { CRAWL_HEADERS_MAX = 32, CRAWL_OPTIONS_MAX = 96 };

/* The part of an option's value that is not to be said again. */
typedef struct crawl_secret {
  const char *value; /* in an option word, or all of it */
  size_t begin, size;
} crawl_secret;

/* What was kept of the options that an earlier run was given: kept_options.h. */
typedef struct crawl_kept {
  char *text;                                       /* owned: what the rest points to */
  const char *values[CRAWL_OPTIONS_MAX];            /* in force, by row, "" where it takes none; NULL: it is not */
  const option_row *lacking[2 * CRAWL_HEADERS_MAX]; /* given then, and not now: the name is all that was kept */
  const char *lacking_names[2 * CRAWL_HEADERS_MAX]; /* of a header; NULL */
  size_t lacking_count;
} crawl_kept;

typedef struct crawl_args {
  crawl_options crawl;
  option_use uses[CRAWL_OPTIONS_MAX]; /* of the rows of cmd_crawl_options */
  crawl_kept kept;
  mlbf_kind filter;
  bool exact; /* what it calls seen is confirmed later */
  uint64_t expect;
  double rate; /* that the filter promises */
  unsigned per_host;
  uint64_t keep_bytes;  /* memory for idle connections kept for the next request to their host */
  uint64_t trap_budget; /* of each host; 0: no limit */
  scope_kind scope;
  url_profile profile;
  uint8_t hash_secret[MLBF_SECRET_BYTES]; /* of --secret, if hash_secret_given */
  bool hash_secret_given;
  bool per_address_given;
  bool filter_given, rate_given, scope_given, profile_given; /* asked for, so they must agree with the directory */
  bool no_store;
  bool group_readable;  /* what holds the secret */
  bool quiet, progress; /* nothing but errors on stderr; plain lines instead of the panel */
  bool retry_failed;
  bool no_similar; /* do not keep what pages say, to find those that resemble each other */
  bool digests;    /* of what is no HTML */
  bool audit;      /* log all links, check those that are not followed */
  bool warc;
  uint64_t warc_bytes; /* a WARC file is full then */
  patterns *patterns;  /* of --include and --exclude */
  const char *headers[CRAWL_HEADERS_MAX + 1];
  const char *product;   /* of the User-Agent */
  const char *contact;   /* NULL: no contact is named */
  char *agent;           /* both, owned; NULL without a contact */
  const char *directory; /* NULL: from the first start URL */
  const char *previous;  /* an earlier crawl: its directory, or a filter file; NULL: none */
  const char *cluster;   /* what it is carried by; NULL: one machine, one process */
  unsigned partitions;   /* of a cluster */
  const char *own;       /* which of them are crawled here; NULL: see cluster_workers.h */
  const char *cluster_password_file;
  const char *snapshot_to;     /* of a cluster: where copies of its partitions go; NULL: none are made */
  const char *snapshot_with;   /* a command for each; NULL: none */
  uint64_t snapshot_ms;        /* between two; 0: a day */
  bool begins_lost;            /* partitions that are lost for good are begun anew */
  struct cluster_place *place; /* of this process in a cluster; NULL: none */
  const char *seeds;           /* file of start URLs, "-": standard input; NULL: none */
  const char *ca_file;         /* of certificates to trust instead of the system's; NULL */
  const char *metrics;         /* port or file of the counters for machines; NULL: none */
  const char *summary;         /* file for the final counters; NULL: none */
  char **urls;
  int url_count;
  char **option_words; /* the options as they were typed */
  int option_word_count;
  crawl_secret *secrets; /* of those words */
  size_t secret_count;
} crawl_args;

/* OPTIONS_READ, or an exit code: EXIT_DONE after --help, EXIT_USAGE (EXIT_FAILED: out of memory) after one sentence on
 * stderr. `args` stays where it is: its parts point to each other. In any case crawl_args_free is called in the end. */
int crawl_args_parse(int argc, char **argv, crawl_args *args);
void crawl_args_free(crawl_args *args);

/* What follows from the options, again, after some of them changed. An exit code. */
int crawl_args_settle(crawl_args *args);

/* As --filter has it: "mlbf", "exact:line". */
const char *crawl_filter_name(mlbf_kind filter, bool exact);

#endif
