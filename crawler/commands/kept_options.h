/* What a crawl's directory keeps of its options, so that `strata crawl --dir DIR` goes on as the crawl was begun.
 *
 * It is the frontier's setting "options", a line for each option: "delay 0.5", "allow-private"; of what is KEPT_NAME
 * the name alone: "user", "header Authorization". There it is committed with the first start URLs, as the scope and the
 * expressions are: no queue is ever on disk without it, and repairs, snapshots and compactions carry it along.
 *
 * A run that is given an option has that one, and it is kept from then on; --no-NAME takes it back. Caps (--max-pages,
 * --max-bytes, --max-depth, --max-seconds, --trap-budget, --domain-budget), what is to be done once (--retry-failed,
 * --recrawl-after), and what is of the machine (--readers, --keep-alive, --robots-memory) or of the output are those of
 * one run. An older directory keeps nothing, until it is given something.
 *
 * The text may be forged: each value passes the checks of the command line. No file that it names is opened, and no
 * secret is in it. */
#ifndef STRATA_CRAWLER_KEPT_OPTIONS_H
#define STRATA_CRAWLER_KEPT_OPTIONS_H

#include "crawler/commands/crawl_args.h"

/* What an earlier run left, into `args`, but for what was given or taken back now. An exit code, after one sentence
 * that names `directory`. What was given then and cannot be had again is said, and how to give it; without its
 * proxy or its --ca-file the crawl does not go on: servers would see who asks, or every page would fail. */
int kept_options_read(crawl_args *args, const char *directory, const void *text, size_t size);

enum { KEPT_OPTIONS_MAX = 64 << 10 };

/* What is to be kept from now on, to be freed; NULL: out of memory. Of more than KEPT_OPTIONS_MAX bytes it cannot be
 * read again. */
char *kept_options_write(const crawl_args *args, size_t *size);

/* In one line, what is in force because it was kept; nothing if that is nothing. */
void kept_options_say(const crawl_args *args);

#endif
