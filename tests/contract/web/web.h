/* tests/contract/web/web.h: a web of up to 10^8 hosts, of which everything is known and nothing is kept.
 *
 *     web_answer(web, request at a time) -> what this web sends, how late, and how it ends
 *     web_look(web, rules, host, page)   -> the truth: what should become of that page in a crawl
 *     web_find(web, URL)                 -> which page, or what else, a URL stands for
 *
 * All of it is a pure function of (options, URL, time): no memory for each host, no state that a request changes. So
 * the same web can be served by a program, walked through by a simulation and judged by a third, each of which only
 * needs the same line of text, "seed=7,hosts=1000,pages=10,wild". A `web` is read only once it is made: any number of
 * threads may use it.
 *
 *     host 0, the start ──> 7 groups of 4 hosts ──> 49 groups ──> ...   links on the start page "/" of each
 *     page 0 of a host, "/" ──> pages 1..6 ──> 36 pages ──> ...         each page but "/" has one parent
 *
 * Further links lead anywhere, popular hosts and pages more often than others, but only to what these trees reach as
 * well. So "can be reached" is asked of the ancestors of a page: O(depth). README.md draws more. */
#ifndef STRATA_TESTS_WEB_WEB_H
#define STRATA_TESTS_WEB_WEB_H

#include "tests/site/grown_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Trouble and variety, each a share from 0 to 1. With all of them zero the web is plain and friendly. Their names in
 * the text of options are the words after WEB_, in small letters: "wild,resting=0,failing=0.1". */
typedef enum web_share {
  /* of hosts */
  WEB_HTTPS,   /* speak https, and send who comes by http there */
  WEB_SHARED,  /* have an address with others */
  WEB_HEAVY,   /* answer after 5 to 20 seconds */
  WEB_CHARSET, /* write windows-1251 or Shift_JIS, in links too */
  WEB_SITEMAP, /* have a sitemap, and pages that only it names */
  WEB_RESTING, /* answer 503 and Retry-After half of the time, but for robots.txt and sitemaps */
  /* of hosts that no other hangs on: one of these fates at most */
  WEB_NAMELESS,   /* the name has no address */
  WEB_REFUSED,    /* no server listens */
  WEB_SILENT,     /* a connection, and nothing more, ever */
  WEB_DISTRUSTED, /* speak https, with a certificate that has run out, is another host's, or of an unknown issuer */
  WEB_CALENDAR,   /* has days without end */
  WEB_SESSIONS,   /* has links that are new with each visit */
  WEB_LOST,       /* answers 200 to anything, with more such links: soft 404 */
  WEB_FARM,       /* host names without end below its own, each linked to others */
  /* of hosts, their robots.txt: one of these at most; else one that forbids what `forbidden` pages there are */
  WEB_NOROBOTS,     /* 404 */
  WEB_CLOSED,       /* forbids all; only where no other host hangs on it */
  WEB_BROKENROBOTS, /* 500, which forbids all (RFC 9309, 2.3.1.4); only where no other host hangs on it */
  WEB_MOVEDROBOTS,  /* redirects */
  WEB_SLOWROBOTS,   /* comes after 10 seconds */
  WEB_CRAWLDELAY,   /* Crawl-delay */
  /* of pages, "/" excepted: one of these at most */
  WEB_FAILING,   /* 404, 410, 403 or 500 for good */
  WEB_FORBIDDEN, /* by robots.txt */
  WEB_COPY,      /* the bytes of another page of the host */
  WEB_SIMILAR,   /* the words of another page but for a few */
  /* of pages, whatever else they are */
  WEB_DOOR,  /* linked to by way of one to four redirects */
  WEB_AWAY,  /* have a link that redirects to another host */
  WEB_FLAKY, /* for a part of the time 503, 429, a reset or a cut connection; "/" excepted */
  /* of pages */
  WEB_GHOST, /* have what only looks like links: in comments, scripts, text */
  /* of links */
  WEB_SPELLED, /* are written as few write them: escapes, ports, dot segments, references, raw letters */
  /* of hosts; here, as a share is drawn by its number, and those above should stay as they are */
  WEB_ASLEEP,      /* as resting, with robots.txt and sitemaps */
  WEB_LONGROBOTS,  /* their robots.txt has 480 kB; those of names below a farm, too */
  WEB_STRAYROBOTS, /* their robots.txt redirects to host 0, twice: it is asked for all of them */
  WEB_FLOOD,       /* of those with a calendar: they have responses with too much of something in its place */
  WEB_MUTE,        /* of silent hosts: the DNS gives no answer for their names either */
  WEB_GRAFFITI,    /* of those with sessions: they have control characters everywhere in its place */
  WEB_UNSAID,  /* their pages are in UTF-8 or windows-1252 and do not say so; many links are written in raw letters */
  WEB_WIDE,    /* their "/" links to all their pages, and these to none below them */
  WEB_CHAINED, /* pages linked to by way of 20 redirects, or of 21, which no browser follows */
  WEB_SHARES
} web_share;

typedef struct web_options {
  uint64_t seed;
  uint32_t hosts;                          /* 1 to 10^8 */
  uint32_t pages;                          /* of a host, on average; 1 to 10^6 */
  bool zipf;                               /* few hosts have most of the pages; else each has the same number */
  uint32_t links;                          /* of a page, beside those to its children, on average; 0 to 100 */
  uint32_t bytes;                          /* of a page, roughly; 200 to 10^6 */
  uint32_t latency_from_ms, latency_to_ms; /* a host's own, between these; a request's differs by a quarter of it */
  uint32_t rest_s;   /* how long a resting host rests, and then works: Retry-After is what is left of it */
  uint32_t flaky_s;  /* length of a period of a flaky page; the first third of it is bad */
  uint32_t delay_s;  /* Crawl-delay of those hosts that ask for one */
  uint32_t change_s; /* a page's content changes that often; 0: never */
  double share[WEB_SHARES];
} web_options;

/* 1,000 hosts of 10 pages, each share zero, no latency. */
web_options web_options_plain(void);

/* Read "seed=7,hosts=1000,pages=10,latency=50-500,wild". Later words win; "plain" and "wild" set all shares, the
 * numbers beside them stay. False: `error` (of `size` bytes) says in one sentence what is wrong, `*options` is
 * untouched. What the text leaves out is as in web_options_plain. */
bool web_options_read(web_options *options, const char *text, char *error, size_t size);

/* The names of the shares, as in the text: web_share_name(WEB_HTTPS) is "https". */
const char *web_share_name(web_share share);

typedef struct web web;

web *web_create(const web_options *options); /* the options as web_options_read would take them */
void web_free(web *w);                       /* NULL is fine */
const web_options *web_options_of(const web *w);

/* -- hosts ------------------------------------------------------------------------------------------------------ */

enum { WEB_NAME_MAX = 64 }; /* bytes of the longest name, its NUL included */
#define WEB_NO_HOST UINT32_MAX

/* Small letters, no port: "www.site12.test", "b.group3.test" and others; `name` has room for WEB_NAME_MAX. */
void web_host_name(const web *w, uint32_t host, char *name);

/* The host of a name, whatever its letters' case: also of the name it redirects from (site12.test -> www.site12.test),
 * and of the names without end below a farm's. WEB_NO_HOST: this web has no such name. `*is_own` (NULL is fine) says
 * whether it is the name that web_host_name gives. */
uint32_t web_find_host(const web *w, const char *name, size_t size, bool *is_own);

/* IPv4, in host byte order: 127.1.0.0 to 127.254.255.255, never 127.0.x.x. Hosts without a name have none: 0. */
uint32_t web_address(const web *w, uint32_t host);

bool web_host_has(const web *w, uint32_t host, web_share what); /* one of the shares of hosts: is it one of those? */
bool web_host_is_https(const web *w, uint32_t host);
uint32_t web_host_pages(const web *w, uint32_t host);      /* at least 1 */
uint32_t web_host_latency_ms(const web *w, uint32_t host); /* its middle one */
uint32_t web_host_delay_s(const web *w, uint32_t host);    /* what its robots.txt asks for; 0: nothing */

/* -- URLs ------------------------------------------------------------------------------------------------------- */

typedef enum web_what {
  WEB_NOTHING, /* not of this web, or 404 for ever */
  WEB_PAGE,    /* page `page` of the host */
  WEB_HOP,     /* a redirect that ends at page `page` of host `host`, of this host or another */
  WEB_ROBOTS,  /* robots.txt, also under the host's other name or scheme, or where a moved one is */
  WEB_MAP,     /* a sitemap */
  WEB_ENDLESS, /* one of URLs without end: not counted, neither wanted nor forbidden */
} web_what;

typedef struct web_place {
  web_what what;
  uint32_t host;  /* WEB_HOP: where it ends */
  uint32_t page;  /* WEB_PAGE and WEB_HOP */
  uint32_t asked; /* the host that was asked */
} web_place;

/* Append the URL that is the page's own: "http://www.site12.test/d3/12.html", canonical as in RFC 3986, 6.2.2. */
void web_url(const web *w, uint32_t host, uint32_t page, text *url);

/* What stands at a URL, in any of its spellings; O(length). The URL is absolute; a fragment is not looked at. */
web_place web_find(const web *w, const char *url, size_t size);

/* The same, taken apart. `host` may have a port, which is not looked at. */
web_place web_find_target(const web *w, bool is_https, const char *host, size_t host_size, const char *target,
                          size_t target_size);

/* -- answers ---------------------------------------------------------------------------------------------------- */

typedef struct web_request {
  bool is_https;
  const char *host; /* as in the Host header; need not end with a NUL */
  size_t host_size;
  const char *target; /* "/path?query" */
  size_t target_size;
  uint64_t now_ms;                               /* of any clock that all requests to this web share */
  const char *if_none_match, *if_modified_since; /* as they came, with NUL; NULL: none */
} web_request;

typedef enum web_ending {
  WEB_WHOLE,         /* an answer, all of it */
  WEB_RESET,         /* connected, and reset before any byte of the answer */
  WEB_CUT,           /* closed after `sent` bytes of the body, fewer than Content-Length says */
  WEB_NEVER,         /* connected, and nothing comes */
  WEB_NOT_LISTENING, /* no connection */
  WEB_NO_NAME,       /* no address for the name */
  WEB_NO_TRUST,      /* the certificate is not to be trusted; who does trust it gets the answer all the same */
} web_ending;

/* All zeros to begin with; used again, it keeps its memory. `status` and what follows is only set with WEB_WHOLE and
 * WEB_CUT. Content-Length, Date and Connection are the sender's to write. */
typedef struct web_reply {
  web_ending ending;
  uint32_t latency_ms; /* from the request to the first byte, or to the reset */
  int status;
  text headers; /* "Content-Type: text/html\r\n...": whole lines */
  text body;
  size_t sent;     /* of the body; all of it unless cut */
  web_place place; /* what was asked for; also where no answer comes */
} web_reply;

/* Thread safe with a reply for each thread. A few microseconds for a page of 2 kB. */
void web_answer(const web *w, const web_request *request, web_reply *reply);
void web_reply_free(web_reply *reply);

/* -- the truth -------------------------------------------------------------------------------------------------- */

typedef enum web_scope { WEB_SCOPE_HOST, WEB_SCOPE_DOMAIN, WEB_SCOPE_ANY } web_scope;

/* How a crawl was told to crawl. It begins at "/" of `start`, and tries again what may heal. All zeros: host 0 alone,
 * obeying robots.txt, reading no sitemaps. */
typedef struct web_rules {
  web_scope scope;
  uint32_t start;      /* a host; with WEB_SCOPE_DOMAIN the first of its domain, with WEB_SCOPE_ANY host 0 */
  bool sitemaps;       /* it reads those that robots.txt names */
  bool ignores_robots; /* and yet reads sitemaps, if `sitemaps` */
} web_rules;

/* What should become of a page. */
typedef enum web_fate {
  WEB_WANTED,    /* fetched: 200 in the end */
  WEB_BAD,       /* asked for; a failure for good */
  WEB_DEAD,      /* asked for; its host cannot be reached */
  WEB_BARRED,    /* linked to; never asked for, as robots.txt forbids it */
  WEB_UNLINKED,  /* nothing that can be fetched leads there */
  WEB_ELSEWHERE, /* out of scope */
  WEB_FATES
} web_fate;

typedef struct web_truth {
  web_fate fate;
  bool rests;        /* its host rests at times: a short crawl may miss it */
  bool is_flaky;     /* it, or a page on the way to it: lost if each try falls into a bad time */
  bool has_original; /* it says what `original`, a page of the same host, says */
  bool is_exact;     /* byte for byte; else but for a few words */
  uint32_t original;
} web_truth;

/* `host` and `page` must be below web_options.hosts and web_host_pages. O(depth). */
web_truth web_look(const web *w, const web_rules *rules, uint32_t host, uint32_t page);

const char *web_fate_name(web_fate fate);

typedef struct web_counts {
  uint64_t pages[WEB_FATES]; /* by fate: pages[WEB_WANTED] are wanted */
  uint64_t copies, similar;  /* of the wanted ones */
  uint64_t rests, flaky;     /* of the wanted ones */
} web_counts;

/* Runs through every page: about 10^7 a second. To look at each: for host < hosts, for page < web_host_pages. */
web_counts web_count(const web *w, const web_rules *rules);

#endif
