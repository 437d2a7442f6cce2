/* SURT: the form of a URL by which indexes of web archives sort and look up, so that pages of one site lie together.
 *
 *     http://www.Example.org:8080/a//b/?z=%41&y  ->  org,example:8080)/a/b?y&z=a
 *
 * Our keys equal those of the Python package `surt` (Internet Archive), which pywb and cdxj-indexer call; it has no
 * specification but its code. WARC.md lists the rules. */
#ifndef STRATA_CRAWLER_SURT_H
#define STRATA_CRAWLER_SURT_H

/* The key of an absolute http or https URL as a crawl asks for it (url.h: `fetch`), to be freed; NULL: out of memory.
 * Takes any bytes. Its time is linear in them, but for sorting the parameters. Two URLs may have one key. */
char *surt_key(const char *url);

#endif
