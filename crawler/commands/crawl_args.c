/* See crawl_args.h. One table row an option. */
#include "crawler/commands/crawl_args.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/commands/values.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- values --------------------------------------------------------------------------------------------- */

static bool take_directory(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  a->directory = value;
  return *value || value_refuse("crawl", row->name, value, "a directory's name, please");
}

static bool take_filter(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  return value_filter("crawl", row->name, value, &a->filter, &a->exact);
}

static bool take_pattern(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  char message[PATTERNS_MESSAGE];
  return patterns_add(a->patterns, strcmp(row->name, "include") == 0, value, message) ||
         value_refuse("crawl", row->name, value, message);
}

static bool has_control(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7F)
      return true;
  return false;
}

/* Without the value: it may be a password, or half of one. */
static bool refuse_secret(const option_row *row, const char *wanted)
{
  say_error("crawl", "--%s: %s", row->name, wanted);
  return false;
}

/* There is room for one in each word. */
static void note_secret(crawl_args *args, const char *value, size_t begin, size_t end)
{
  args->secrets[args->secret_count++] = (crawl_secret){value, begin, end - begin};
}

/* A name is a token (RFC 9110, 5.6.2). Host and what frames a message are libcurl's to write. */
static bool take_header(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  static const char token[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  static const char *const ours[] = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"};
  size_t size = strspn(value, token), count = 0;
  if (!size || value[size] != ':' || has_control(value))
    return refuse_secret(row, "not a header; 'Name: value', please");
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strlen(ours[i]) == size && strncasecmp(ours[i], value, size) == 0)
      return refuse_secret(row, "Host, Connection and what frames a message are not to be changed");
  while (a->headers[count])
    count++;
  if (count == CRAWL_HEADERS_MAX)
    return refuse_secret(row, "there are too many");
  note_secret(a, value, size + 1 + strspn(value + size + 1, " "), strlen(value));
  a->headers[count] = value;
  a->crawl.fetch.headers = a->headers;
  return true;
}

static bool take_user(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  if (!strchr(value, ':') || has_control(value))
    return refuse_secret(row, "NAME:PASSWORD, please");
  note_secret(a, value, strcspn(value, ":") + 1, strlen(value));
  a->crawl.fetch.user = value;
  return true;
}

/* http://NAME:PASSWORD@HOST, or all before the @ if that has no colon. */
static void note_proxy_secret(crawl_args *args, const char *text, size_t scheme)
{
  const char *at = strrchr(text, '@');
  size_t end = at ? (size_t)(at - text) : 0, name = scheme + strcspn(text + scheme, ":");
  if (end > scheme)
    note_secret(args, text, name < end ? name + 1 : scheme, end);
}

static bool take_proxy(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  static const char *const schemes[] = {"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t size = strlen(schemes[i]);
    if (strncmp(value, schemes[i], size) == 0 && value[size] && !has_control(value)) {
      note_proxy_secret(a, value, size);
      a->crawl.fetch.proxy = value;
      return true;
    }
  }
  return refuse_secret(row, "not a proxy's URL; http://HOST:PORT or socks5h://HOST:PORT, please");
}

static bool take_user_agent(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  if (has_control(value))
    return value_refuse("crawl", row->name, value, "control characters do not belong in a header");
  a->crawl.fetch.user_agent = value;
  return true;
}

/* A URL of the web, or what looks like a mail address; of bytes that mean nothing in the comment of a header (RFC 9110,
 * 5.6.5). */
static bool take_contact(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  enum { CONTACT_MAX = 200 };
  static const char plain[] = "!#$%&'*+-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
  size_t size = strlen(value);
  bool is_url = (strncmp(value, "http://", 7) == 0 && value[7]) || (strncmp(value, "https://", 8) == 0 && value[8]);
  const char *at = strchr(value, '@');
  bool is_mail = at && at > value && at[1] && !strchr(at + 1, '@') && !strpbrk(value, "/:");
  if (size > CONTACT_MAX || strspn(value, plain) != size || (!is_url && !is_mail))
    return value_refuse("crawl", row->name, value, "http://..., https://... or NAME@HOST, please");
  a->contact = value;
  return true;
}

/* "7d", or "1d..30d": a page that changed rests half as long as before, one that did not twice as long. */
static bool take_age(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  char least[32];
  const char *dots = strstr(value, "..");
  size_t size = dots ? (size_t)(dots - value) : strlen(value);
  uint64_t least_ms, most_ms;
  if (size >= sizeof least)
    return value_refuse("crawl", row->name, value, "not a duration such as 90s, 30m, 1h, 7d or 2w");
  memcpy(least, value, size);
  least[size] = '\0';
  if (!value_duration("crawl", row->name, least, &least_ms) ||
      !value_duration("crawl", row->name, dots ? dots + 2 : least, &most_ms))
    return false;
  if (least_ms > most_ms)
    return value_refuse("crawl", row->name, value, "the shorter duration first, please");
  a->crawl.recrawl_least_s = least_ms / 1000;
  a->crawl.recrawl_most_s = most_ms / 1000;
  return true;
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* URLs of one host that look like a trap's, taken if nothing else is said. A book of 80 pages in 30 languages looks
 * like one with 2,800 of them; a calendar of 1,000 years has 365,000. */
enum { TRAP_BUDGET = 10000 };

/* Hosts of one address that are asked at once, if nothing else is said. Virtual hosts are many, their server is one;
 * yet one that serves thousands is made for more than one page at a time. */
enum { HOSTS_PER_ADDRESS = 8 };

static const crawl_args defaults = {
  .crawl = {.max_pages = UINT64_MAX, .max_bytes = UINT64_MAX, .max_ms = UINT64_MAX, .max_depth = UINT16_MAX,
            .delay_ms = 1000, .tries = 3, .sitemaps = SITEMAPS_ROBOTS,
            .fetch = {.user_agent = "strata/" STRATA_VERSION, .connections = 64, .timeout_ms = 30000,
                      .max_body = 16 << 20}},
  .filter = MLBF_KIND_MLBF, .expect = 1000000, .rate = 1e-6, .per_host = 1, .scope = SCOPE_HOST,
  .trap_budget = TRAP_BUDGET,
  .warc_bytes = (uint64_t)1 << 30, .keep_bytes = 64 << 20,
};

#define FIELD(member) OPTION_FIELD(crawl_args, member)
#define GIVEN(member) .given = offsetof(crawl_args, member)

static const option_row option_rows[] = {
  {.kind = OPTION_TEXT, .help = "Where and how much"},
  {"dir", "DIR", OPTION_CALL, .take = take_directory, .is_once = true,
   .help = "directory of the crawl (default strata-HOST[-PORT] of the first URL)",
   .manual = "Keep the crawl here. Without it, in {Pa strata-HOST} or {Pa strata-HOST-PORT} of the first URL."},
  {"seeds", "FILE", OPTION_STRING, FIELD(seeds), .is_once = true,
   .help = "more start URLs, one a line; - is standard input"},
  {"scope", "host|prefix|domain|any", OPTION_CHOICE, FIELD(scope), GIVEN(scope_given),
   .help = "same host and port as a start URL (default), also below its path,\n"
           "any name of its registered domain, or the whole web",
   .manual = "Which links to follow: {Cm host} (the default), those with the host and port of a start URL, http or "
             "https; {Cm prefix}, those below the directory of a start URL; {Cm domain}, those of any name and port "
             "in the registered domain of a start URL, by the public suffix list; {Cm any}, all of them."},
  {"include", "RE", OPTION_CALL, .take = take_pattern,
   .help = "only links whose URL this regular expression (PCRE2) matches; may be repeated",
   .manual = "Only links whose canonical URL the regular expression {Ar RE} {Pq Xr pcre2pattern 3} matches anywhere; "
             "with several, any of them. Start URLs are taken in any case."},
  {"exclude", "RE", OPTION_CALL, .take = take_pattern, .help = "no links that it matches; may be repeated, and wins",
   .manual = "No links that {Ar RE} matches; it wins over {Fl -include}. Both are fixed for a directory. An "
             "expression that takes too many steps gives no answer, and the link is not taken."},
  {"sitemaps", "none|robots|guess", OPTION_CHOICE, FIELD(crawl.sitemaps),
   .help = "read the sitemaps that robots.txt names (default), or /sitemap.xml too",
   .manual = "Which sitemaps to read, for the pages they name: {Cm robots} (the default), those that a robots.txt "
             "names; {Cm guess}, {Pa /sitemap.xml} of each start URL's host as well. Sitemaps and their pages are "
             "under the rules of scope and robots.txt like any link; a sitemap is not counted as a page."},
  {"images", NULL, OPTION_FLAG, FIELD(crawl.wants_images), .help = "images are links too: <img src>, srcset"},
  {"max-pages", "N", OPTION_COUNT, FIELD(crawl.max_pages), .low = 1, .high = UINT64_MAX,
   .help = "pages fetched, over all runs",
   .manual = "Stop after {Ar N} pages. A page is a 2xx response with a body; robots.txt, redirects and errors do not "
             "count."},
  {"max-bytes", "N", OPTION_BYTES, FIELD(crawl.max_bytes), .low = 1, .high = UINT64_MAX,
   .help = "of page bodies, over all runs (K, M, G are understood)",
   .manual = "Stop after so many bytes of page bodies, decoded, over all runs. K, M and G are understood."},
  {"max-depth", "N", OPTION_COUNT, FIELD(crawl.max_depth), .low = 0, .high = UINT16_MAX,
   .help = "links away from a start URL",
   .manual = "Follow links at most {Ar N} clicks away from a start URL."},
  {"max-seconds", "S", OPTION_SECONDS, FIELD(crawl.max_ms), .low = 1, .help = "of this run",
   .manual = "Stop after {Ar S} seconds."},
  {"recrawl-after", "AGE", OPTION_CALL, .take = take_age,
   .help = "fetch again what is older: 1h, 7d; as 1d..30d, what changes sooner",
   .manual = "Also fetch again what was fetched at least {Ar AGE} ago when the run begins: 90s, 30m, 1h, 7d or 2w. "
             "With two ages, as in 1d..30d, a page that had changed rests half as long as the time before and one "
             "that had not twice as long, within these bounds. The server is asked for changes only (ETag, "
             "Last-Modified) where it said how; a page that is as it was is counted as unchanged."},
  {"retry-failed", NULL, OPTION_FLAG, FIELD(retry_failed), .help = "queue again what failed for good in earlier runs",
   .manual = "Queue again what failed for good in earlier runs, each URL once; it gets a new id and a line of its own "
             "in {Pa pages.jsonl}."},
  {"trap-budget", "N", OPTION_COUNT, FIELD(trap_budget), .low = 0, .high = UINT64_MAX,
   .help = "of a host's URLs that look like a trap's (default 10000; 0: all)",
   .manual = "How many URLs of one host to fetch of those that look like a trap's, a URL space without end: "
             "calendars, session ids, links in circles, facets; 10000 if not given, 0 for no limit. Such URLs come "
             "last; the pages beside them do not wait for them. What is over the budget stays in the queue: {Nm} "
             "{Cm stat Fl -traps} shows it, and a larger budget takes it."},
  {"warc", NULL, OPTION_FLAG, FIELD(warc),
   .help = "keep what came over the wire, too: DIR/pages-00001.warc.gz, ... with an index;\n"
           "see strata show",
   .manual = "Keep what came over the wire, too, as WARC/1.1: in {Ar DIR Ns Pa /pages-00001.warc.gz} and so on, each "
             "with an index, {Pa pages-00001.cdxj}. {Nm} {Cm show} reads them."},
  {"warc-size", "BYTES", OPTION_BYTES, FIELD(warc_bytes), .low = 1, .high = (uint64_t)1 << 50,
   .help = "a WARC file is full then, and the next begins (default 1G)",
   .manual = "A WARC file is full when it has so many bytes, and the next begins; 1G if not given."},
  {"no-store", NULL, OPTION_FLAG, FIELD(no_store), .help = "keep nothing on disk; the crawl ends with the program",
   .manual = "Keep nothing on disk: no log of pages, and a queue that ends with the program."},
  {.kind = OPTION_TEXT, .help = "\nManners"},
  {"delay", "S", OPTION_SECONDS, FIELD(crawl.delay_ms),
   .help = "seconds between requests to one host (default 1.0; a longer Crawl-delay wins)"},
  {"per-host", "N", OPTION_COUNT, FIELD(per_host), .low = 1, .high = 1000,
   .help = "requests to one host at once (default 1)"},
  {"per-address", "N", OPTION_COUNT, FIELD(crawl.per_address), GIVEN(per_address_given), .low = 0, .high = 10000,
   .help = "requests to one address at once, whatever its hosts (default 8 * --per-host; 0: no limit)",
   .manual = "Requests at the same time to one address, whatever hosts are there; eight times {Fl -per-host} if not "
             "given, and 0 for no limit. An address is known once a host has answered; a host that was never asked is "
             "taken to be where another of its registered domain is. With {Fl -proxy} there is no such limit."},
  {"connections", "N", OPTION_COUNT, FIELD(crawl.fetch.connections), .low = 1, .high = 10000,
   .help = "in use at once over all hosts (default 64)",
   .manual = "Requests at the same time; 64 if not given."},
  {"keep-alive", "BYTES", OPTION_BYTES, FIELD(keep_bytes), .low = 0, .high = (uint64_t)1 << 40,
   .help = "of memory for connections that wait for the next request to their host (default 64M, enough\n"
           "for 1600 of them, or 800 with --per-host over 1, as that is HTTP/2)",
   .manual = "Memory for connections that stay open for the next request to their host, besides those in use; 64M if "
             "not given. A connection takes 40 KiB, or 80 KiB with HTTP/2, so that is enough for 1,600 or 800 of "
             "them. When there are more, the one idle longest is closed if it was idle for five seconds; else the "
             "newest is not kept. HTTP/2 is asked for if {Fl -per-host} is over 1: a single request at a time has "
             "nothing to share a connection with."},
  {"user-agent", "TEXT", OPTION_CALL, .take = take_user_agent,
   .help = "default strata/" STRATA_VERSION "; robots.txt is read for \"strata\"",
   .manual = "What to send as User-Agent; {Ql strata/} and the version if not given. robots.txt is read for "
             "{Ql strata} in any case."},
  {"contact", "WHO", OPTION_CALL, .take = take_contact,
   .help = "a URL or a mail address, added to it: whom those may ask who wonder about this crawl",
   .manual = "A URL or a mail address for those who wonder about the crawl. It is added to the User-Agent, as in "
             "{Dq strata/" STRATA_VERSION " (+https://example.org/crawl)}."},
  {"tries", "N", OPTION_COUNT, FIELD(crawl.tries), .low = 1, .high = 100,
   .help = "requests of a URL whose failure may heal: no answer, 429, 500, 502, 503, 504 (default 3);\n"
           "the host is left in peace meanwhile, as long as Retry-After asks",
   .manual = "Requests of a URL whose failure may heal: no answer, or status 429, 500, 502, 503 or 504; 3 if not "
             "given. Meanwhile its host is left in peace, as long as a Retry-After asks for, an hour at most."},
  {"ignore-robots", NULL, OPTION_FLAG, FIELD(crawl.ignore_robots), .help = "do not read robots.txt",
   .manual = "Fetch what robots.txt forbids. For your own sites."},
  {"follow-nofollow", NULL, OPTION_FLAG, FIELD(crawl.follows_nofollow),
   .help = "also links with rel=nofollow, and those of pages whose meta robots or X-Robots-Tag says so",
   .manual = "Follow links with rel=nofollow too, and those of pages whose meta robots or X-Robots-Tag says nofollow "
             "or none. Without it they are counted as skipped."},
  {"allow-private", NULL, OPTION_FLAG, FIELD(crawl.fetch.allow_private),
   .help = "also addresses that are not public: 127.0.0.1, 10.x, 192.168.x, ...",
   .manual = "Fetch from private, loopback and link-local addresses, which are refused otherwise."},
  {"timeout", "S", OPTION_SECONDS, FIELD(crawl.fetch.timeout_ms), .low = 1, .help = "for one fetch (default 30)",
   .manual = "Give up on a request after {Ar S} seconds; 30 if not given."},
  {"max-body", "BYTES", OPTION_BYTES, FIELD(crawl.fetch.max_body), .low = 1, .high = (uint64_t)1 << 50,
   .help = "read no more of one page (default 16M; K, M, G are understood)",
   .manual = "Read no more of one page than this, decoded; 16M if not given. K, M and G are understood."},
  {.kind = OPTION_TEXT, .help = "\nWhat pages say"},
  {"no-similar", NULL, OPTION_FLAG, FIELD(no_similar),
   .help = "do not keep it; else pages that say what another says are told of, and strata like\n"
           "finds them",
   .manual = "Do not keep what pages say. Else it is kept, of HTML and plain text, in {Pa contents/}, so that "
             "{Nm strata like} finds those that resemble each other, and a page that says what one before it said is "
             "told of in {Pa pages.jsonl} {Pq Va near}. Of each page some 9 bytes a word are kept, and a crawl "
             "without delays takes half as much processor time again, twice as much where small pages are all alike."},
  {"near-last", NULL, OPTION_FLAG, FIELD(crawl.near_last),
   .help = "what a page links to that says what another says waits for all else"},
  {"digests", NULL, OPTION_FLAG, FIELD(digests),
   .help = "similarity digests of what is no HTML into DIR/digests.sdbf; see strata report",
   .manual = "Append a similarity digest of each body that is no HTML and has 512 bytes or more to {Pa digests.sdbf}, "
             "one line each, which {Nm strata digest} and sdhash 4.0 read; {Nm strata report} lists those that are "
             "alike. The name of a digest is the URL with %, : and | written as %25, %3A and %7C. Bodies are held in "
             "memory while they come, all together in 64 MiB at most; one that does not fit gets none."},
  {.kind = OPTION_TEXT, .help = "\nAccess (user and headers go to the hosts of start URLs only)"},
  {"user", "NAME:PASSWORD", OPTION_CALL, .take = take_user, .help = "basic authentication",
   .manual = "Basic authentication, for the hosts of start URLs only."},
  {"header", "'NAME: VALUE'", OPTION_CALL, .take = take_header, .letter = 'H',
   .help = "one more request header; may be repeated",
   .manual = "One more request header, for the hosts of start URLs only. May be repeated. Passwords, headers given "
             "here and cookies that are sent are in none of the crawl's files, and {Dq To go on} shows SECRET in "
             "their place."},
  {"cookies", "FILE", OPTION_FILE, FIELD(crawl.fetch.cookie_file),
   .help = "cookies in Netscape's format; those that servers set are kept for this run",
   .manual = "Send the cookies of {Ar FILE}, in Netscape's format, where they belong, and those that servers set "
             "during this run."},
  {"proxy", "URL", OPTION_CALL, .take = take_proxy,
   .help = "through this proxy (http, https, socks5h, ...); none is taken from the environment",
   .manual = "Connect through this proxy: http, https, socks4, socks4a, socks5 or socks5h. None is taken from the "
             "environment. Only the proxy sees the addresses of hosts: without {Fl -allow-private}, private addresses "
             "and localhost are still refused where a URL spells them out, but a name that leads to one is the "
             "proxy's to refuse."},
  {"ca-file", "FILE", OPTION_FILE, FIELD(ca_file),
   .help = "certificates (PEM) to trust instead of the system's, or what SSL_CERT_FILE names",
   .manual = "Trust the certificates in {Ar FILE} {Pq PEM} instead of the system's. Without it, the file that "
             "{Ev SSL_CERT_FILE} names and the directory that {Ev SSL_CERT_DIR} names are trusted instead of the "
             "system's. The same holds for a proxy that is reached by https. Certificates are read once. A server "
             "must show a certificate for its name, in date, from an issuer that is trusted; whether a certificate "
             "was revoked is not checked."},
  {.kind = OPTION_TEXT, .help = "\nMemory of URLs (fixed for a directory)"},
  {"filter", "KIND", OPTION_CALL, .take = take_filter, GIVEN(filter_given),
   .help = "mlbf (default), bloom, line; exact: none missed",
   .manual = "What tells a URL that is new from one that was seen: {Cm mlbf} (the default), layers for the segments "
             "of a URL and one for the whole, or {Cm bloom}, a classic Bloom filter, {Cm line}, one whose bits of a "
             "URL lie in one or two cache lines, or {Cm exact}, the layers and beside them a table of all URLs on "
             "disk, some 60 bytes each, in which what they take for seen is looked up: then no new URL is missed."},
  {"expect", "N", OPTION_COUNT, FIELD(expect), .low = 1, .high = (uint64_t)1 << 40, .is_once = true,
   .help = "URLs the filter is first made for (default 1000000; it grows by itself)",
   .manual = "Distinct URLs to expect; 1000000 if not given. The filter grows by itself beyond that."},
  {"fp", "P", OPTION_RATE, FIELD(rate), GIVEN(rate_given),
   .help = "share of new URLs it may wrongly call seen (default 1e-6)",
   .manual = "How often a new URL may be taken for one that was seen, and so be missed; 1e-6 if not given."},
  {"profile", "RULES", OPTION_PROFILE, FIELD(profile), GIVEN(profile_given),
   .help = "which spellings are one page: strict (default), or no-www, sort-query, ...",
   .manual = "Which spellings are one page; see {Nm} {Cm url}."},
  {.kind = OPTION_TEXT, .help = "\nReport"},
  {"summary", "FILE", OPTION_STRING, FIELD(summary), .help = "final counters as one JSON object"},
  {"progress", NULL, OPTION_FLAG, FIELD(progress),
   .help = "a plain line every five seconds, on a terminal too; elsewhere that is the default",
   .manual = "A plain line every five seconds instead of the panel. Where standard error is no terminal, that is the "
             "default. The panel is in colour unless {Ev NO_COLOR} is set."},
  {"quiet", NULL, OPTION_FLAG, FIELD(quiet), .help = "say nothing but what went wrong"},
};

const option_table cmd_crawl_options = {
  .command = "crawl", .column = 23, OPTION_ROWS(option_rows),
  .before =
  "Usage: strata crawl [OPTION]... URL...\n"
  "Crawl what can be reached from the URLs, each page once. Stop it at any moment, even with kill -9;\n"
  "the same command goes on where it was.\n"
  "\n"
  "  strata crawl https://example.org/                 the whole site, politely, into ./strata-example.org/\n"
  "  strata crawl --max-pages 500 https://example.org/ its first 500 pages\n"
  "  strata crawl --scope prefix https://example.org/docs/\n"
  "  strata crawl --dir strata-example.org             go on with a crawl\n"
  "  strata crawl --delay 0 --per-host 16 --allow-private http://127.0.0.1:8080/    your own server, flat out\n",
  .exits = "0 done, also at a cap; 1 failed; 2 usage; 3 stopped by a signal, resumable",
};

/* ---- the command line ----------------------------------------------------------------------------------- */

/* "strata/1.0 (+https://example.org/crawl)", as crawlers say it. false: out of memory. */
static bool name_agent(crawl_args *args)
{
  fetch_options *o = &args->crawl.fetch;
  if (!args->contact)
    return true;
  if (asprintf(&args->agent, "%s (+%s%s)", o->user_agent, strchr(args->contact, '/') ? "" : "mailto:",
               args->contact) < 0) {
    args->agent = NULL;
    return false;
  }
  o->user_agent = args->agent;
  return true;
}

static bool is_consistent(const crawl_args *a)
{
  const struct { bool is_broken; const char *sentence; } rules[] = {
    {a->no_store && a->directory, "--no-store keeps nothing, so it takes no --dir"},
    {a->quiet && a->progress, "--quiet and --progress: one of them, please"},
    {a->no_store && a->exact, "--filter exact keeps its table in the directory; leave it or --no-store out"},
    {a->no_store && a->warc, "--no-store keeps nothing, so there can be no --warc"},
    {a->no_store && a->digests, "--no-store keeps nothing, so there can be no --digests"},
    {a->crawl.near_last && a->no_store, "--near-last is for near-duplicates; without --no-store they are found"},
    {a->crawl.near_last && a->no_similar, "--near-last is for near-duplicates; without --no-similar they are found"},
    {a->no_store && a->crawl.recrawl_least_s, "--no-store keeps nothing, so there is nothing to --recrawl-after"},
    {!a->url_count && !a->seeds && !a->directory,
     "no start URL; try \"strata crawl https://example.org/\", or \"strata crawl --help\""},
  };
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (rules[i].is_broken) {
      say_error("crawl", "%s", rules[i].sentence);
      return false;
    }
  return true;
}

void crawl_args_free(crawl_args *args)
{
  patterns_free(args->patterns);
  args->patterns = NULL;
  free(args->secrets);
  args->secrets = NULL;
  free(args->agent);
  args->agent = NULL;
}

/* "-", wherever it stands, is start URLs from standard input. */
static bool find_standard_input(crawl_args *args)
{
  for (int i = 0; i < args->url_count; i++)
    if (strcmp(args->urls[i], "-") == 0) {
      if (args->seeds) {
        say_error("crawl", "start URLs come from %s or from -, not from both", args->seeds);
        return false;
      }
      args->seeds = "-";
      args->urls[i] = args->urls[--args->url_count];
      i--;
    }
  return true;
}

int crawl_args_parse(int argc, char **argv, crawl_args *args)
{
  *args = defaults;
  args->patterns = patterns_create();
  args->secrets = calloc((size_t)argc + 1, sizeof *args->secrets);
  if (!args->patterns || !args->secrets) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  args->crawl.patterns = args->patterns;
  int code = options_read(&cmd_crawl_options, argc, argv, args);
  if (code != OPTIONS_READ)
    return code;
  if (!args->per_address_given)
    args->crawl.per_address = HOSTS_PER_ADDRESS * args->per_host;
  args->crawl.fetch.multiplexes = args->per_host > 1;
  if (!name_agent(args)) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  args->urls = argv + optind;
  args->url_count = argc - optind;
  args->option_words = argv + 1;
  args->option_word_count = optind - 1;
  return find_standard_input(args) && is_consistent(args) ? OPTIONS_READ : EXIT_USAGE;
}
