/* See crawl_args.h. One table row an option. */
#include "crawler/commands/crawl_args.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/commands/metrics_output.h"
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
  size_t size = strlen("exact");
  a->exact = strncmp(value, "exact", size) == 0 && (!value[size] || value[size] == ':');
  const char *kind = !a->exact ? value : value[size] ? value + size + 1 : "mlbf";
  return value_kind_read(kind, &a->filter) ||
         value_refuse("crawl", row->name, value, "mlbf, bloom, line, exact, exact:bloom or exact:line, please");
}

const char *crawl_filter_name(mlbf_kind filter, bool exact)
{
  const char *name = filter == MLBF_KIND_BLOOM ? "exact:bloom" : filter == MLBF_KIND_LINE ? "exact:line" : "exact:mlbf";
  return exact ? name : name + strlen("exact:");
}

static bool take_secret(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  a->hash_secret_given = true;
  return value_secret("crawl", row->name, value, a->hash_secret);
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
  a->product = value;
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

static bool take_metrics(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  uint16_t port;
  a->metrics = value;
  bool is_number = *value && strspn(value, "0123456789") == strlen(value);
  return (*value && (!is_number || metrics_output_is_port(value, &port))) ||
         value_refuse("crawl", row->name, value, "a port from 0 to 65535, or a file's name, please");
}

/* "7d", or "1d..30d": a page that changed waits half as long as before, one that did not twice as long. */
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

static bool take_snapshot_every(void *args, const option_row *row, char *value)
{
  crawl_args *a = args;
  return value_duration("crawl", row->name, value, &a->snapshot_ms);
}

/* ---- the table ------------------------------------------------------------------------------------------ */

/* URLs of one host that look like a trap's, taken if nothing else is said. A book of 80 pages in 30 languages looks
 * like one with 2,800 of them; a calendar of 1,000 years has 365,000. */
enum { TRAP_BUDGET = 10000 };

/* URLs of one domain for each other domain that links to it, if nothing else is said, and as many more. A domain that
 * is found is linked to by one at least; of 200,000 pages that no third domain links to we know no honest example. */
enum { DOMAIN_BUDGET = 100000 };

/* Hosts of one address that are asked at once, if nothing else is said. Virtual hosts are many, their server is one;
 * yet one that serves thousands is made for more than one page at a time. */
enum { HOSTS_PER_ADDRESS = 8 };

enum { READERS_MAX = 256 };

static const crawl_args defaults = {
  .crawl = {.max_pages = UINT64_MAX,
            .max_bytes = UINT64_MAX,
            .max_ms = UINT64_MAX,
            .max_depth = UINT16_MAX,
            .delay_ms = 1000,
            .tries = 3,
            .domain_budget = DOMAIN_BUDGET,
            .robots_bytes = 32 << 20,
            .sitemaps = SITEMAPS_ROBOTS,
            .fetch = {.connections = 64, .readers = READERS_MAX, .timeout_ms = 30000, .max_body = 16 << 20}},
  .product = "strata/" STRATA_VERSION,
  .filter = MLBF_KIND_MLBF,
  .expect = 1000000,
  .per_host = 1,
  .scope = SCOPE_HOST,
  .trap_budget = TRAP_BUDGET,
  .warc_bytes = (uint64_t)1 << 30,
  .keep_bytes = 64 << 20,
  .partitions = 64,
};

#define FIELD(member) OPTION_FIELD(crawl_args, member)
#define GIVEN(member) .given = offsetof(crawl_args, member)

static const option_row option_rows[] = {
  {.kind = OPTION_TEXT, .help = "Where and how much"},
  {"dir", "DIR", OPTION_CALL, .take = take_directory, .is_once = true, .is_first = true,
   .help = "directory of the crawl (default strata-HOST[-PORT] of the first URL, of an audit audit-HOST[-PORT])",
   .manual =
     "Directory of the crawl; if not given, {Pa strata-HOST} or {Pa strata-HOST-PORT} of the first URL, and of an "
     "audit {Pa audit-HOST} or {Pa audit-HOST-PORT}."},
  {"previous", "DIR", OPTION_STRING, FIELD(previous),
   .help = "an earlier crawl: its URLs are marked known-before in pages.jsonl, and fetched as others are",
   .manual =
     "An earlier crawl, or a snapshot of one, with the same {Fl -profile}; it is read, not changed. URLs that are "
     "new here but were known to it get the verdict {Ql known-before} in {Pa pages.jsonl} and in {Nm} {Cm stat}, "
     "and are fetched as any other; what is new in both crawls keeps a verdict that begins with {Ql new}. {Ar DIR} "
     "may also be a filter file of a program on the library."},
  {"seeds", "FILE", OPTION_STRING, FIELD(seeds), .is_once = true,
   .help = "more start URLs, one per line, # begins a comment; - is standard input"},
  {"scope", "host|prefix|domain|any", OPTION_CHOICE, FIELD(scope), GIVEN(scope_given), .is_first = true,
   .help = "links to follow: same host and port as a start URL (default), below its path,\n"
           "any host in its registered domain, or the whole web",
   .manual = "Which links to follow: {Cm host} (the default), those with the host and port of a start URL, http or "
             "https; {Cm prefix}, those below the directory of a start URL; {Cm domain}, those of any name and port "
             "in the registered domain of a start URL, by the public suffix list; {Cm any}, all of them."},
  {"include", "RE", OPTION_CALL, .take = take_pattern,
   .help = "only links whose URL matches this regular expression (PCRE2), as pages.jsonl shows it or\n"
           "as strata url prints it; may be repeated",
   .manual = "Follow only links whose URL matches the regular expression {Ar RE} {Pq Xr pcre2pattern 3} "
             "somewhere, in either spelling: as it is requested, which {Pa pages.jsonl} and the report show, or in its "
             "canonical form, which {Cm strata url} prints. If the option is repeated, one match is enough. Start URLs "
             "are always fetched."},
  {"exclude", "RE", OPTION_CALL, .take = take_pattern, .is_first = true,
   .help = "no links whose URL matches; may be repeated, and overrides --include",
   .manual = "Follow no links whose URL matches {Ar RE}, in either spelling; this overrides {Fl -include}. Both are "
             "fixed for a directory. If matching takes too many steps, the link is not followed."},
  {"sitemaps", "none|robots|guess", OPTION_CHOICE, FIELD(crawl.sitemaps), .keeping = KEPT_VALUE,
   .help = "read the sitemaps that robots.txt names (default), or /sitemap.xml too",
   .manual =
     "Which sitemaps to read for more URLs: {Cm robots} (the default), those that a robots.txt names; "
     "{Cm guess}, {Pa /sitemap.xml} of each start URL's host as well. Scope and robots.txt apply to "
     "sitemaps and their URLs as to any link, a {Ql nofollow} in a sitemap's X-Robots-Tag does not. A sitemap is "
     "not counted as a page; one that was fetched as a page before is fetched again, as a sitemap."},
  {"images", NULL, OPTION_FLAG, FIELD(crawl.wants_images), .keeping = KEPT_VALUE,
   .help = "follow images as links: <img src>, srcset"},
  {"max-pages", "N", OPTION_COUNT, FIELD(crawl.max_pages), .low = 1, .high = UINT64_MAX, .is_first = true,
   .help = "pages fetched, over all runs",
   .manual = "Stop after {Ar N} pages. A page is a response with a body and status 2xx, or 300, which lists "
             "choices; robots.txt, redirects (301, 302, 303, 307 and 308 with a Location) and errors do not count."},
  {"max-bytes", "N", OPTION_BYTES, FIELD(crawl.max_bytes), .low = 1, .high = UINT64_MAX,
   .help = "bytes of page bodies, over all runs (with K, M or G)",
   .manual = "Stop after {Ar N} bytes of decoded page bodies, over all runs. {Ar N} may end in K, M or G."},
  {"max-depth", "N", OPTION_COUNT, FIELD(crawl.max_depth), .low = 0, .high = UINT16_MAX, .is_first = true,
   .help = "links away from a start URL", .manual = "Follow links at most {Ar N} clicks away from a start URL."},
  {"max-seconds", "S", OPTION_SECONDS, FIELD(crawl.max_ms), .low = 1, .help = "seconds of this run",
   .manual = "Stop after {Ar S} seconds."},
  {"recrawl-after", "AGE", OPTION_CALL, .take = take_age, .is_first = true,
   .help = "fetch pages older than this again: 1h, 7d; 1d..30d: sooner if they change often",
   .manual = "Fetch pages again whose last fetch is at least {Ar AGE} before this run: 90s, 30m, 1h, 7d or 2w. With "
             "two ages, as in 1d..30d, a page that has changed is fetched again after half the time before, one that "
             "has not after twice that time, within these bounds. If the server sent an ETag or Last-Modified, the "
             "request is conditional; a page that has not changed is counted as unchanged."},
  {"retry-failed", NULL, OPTION_FLAG, FIELD(retry_failed), .is_first = true,
   .help = "fetch again the URLs that failed in earlier runs",
   .manual = "Queue the URLs that failed in earlier runs again, and those that were skipped because their robots.txt "
             "could not be read; they keep their id, count as failed no more, and get one more line in {Pa "
             "pages.jsonl}. A start URL that is named, and what it redirected to, is always tried again."},
  {"trap-budget", "N", OPTION_COUNT, FIELD(trap_budget), .low = 0, .high = UINT64_MAX,
   .help = "URLs to fetch per host that look endless: calendars, session ids, pages that all say the same, ...\n"
           "(default 10000; 0: all)",
   .manual =
     "How many probable trap URLs to fetch per host; a trap is an endless URL space: calendars, session ids, "
     "links in circles, facets. 10000 if not given, 0 for no limit. Such URLs come last and do not delay other "
     "pages. In a directory of which 512 pages nearly all say the same, and lead to ever more new URLs there, "
     "as a server does that answers anything with one text, what such pages lead to counts as well; not with "
     "{Fl -no-similar} or {Fl -no-store}, for the text of pages is not read then. URLs over the budget stay in the "
     "queue: {Nm} {Cm stat Fl -traps} lists them, and with a larger budget they are fetched."},
  {"domain-budget", "N", OPTION_COUNT, FIELD(crawl.domain_budget), .low = 0, .high = UINT64_MAX,
   .help = "with --scope any, URLs to fetch per registered domain, and as many again for each other domain\n"
           "that links to it (default 100000; 0: all)",
   .manual =
     "With {Fl -scope Cm any}, how many URLs to fetch per registered domain, over all its names: {Ar N}, and "
     "as many again for each other domain that links to it; 100000 if not given, 0 for no limit. So names "
     "without end below one domain do not fill a crawl. There is no limit for domains of start URLs, nor for "
     "those that some 260 others link to. URLs over the budget stay in the queue; with a larger budget, or when "
     "more domains link there, they are fetched."},
  {"audit", NULL, OPTION_FLAG, FIELD(audit),
   .help = "also keep who links where, and check what is not followed: links out of the scope, images,\n"
           "scripts, style sheets; see strata audit",
   .manual = "Also keep who links where, in {Ar DIR Ns Pa /edges}, and check each link that is not followed once: "
             "those out of the scope, images, scripts, style sheets. It is asked for with HEAD, or with GET if its "
             "server refuses that, as politely as pages, and only if its robots.txt allows it; it leads nowhere. Fixed "
             "for a directory. See {Nm} {Cm audit}."},
  {"warc", NULL, OPTION_FLAG, FIELD(warc), .is_first = true, .keeping = KEPT_VALUE,
   .help = "also store requests and responses: DIR/pages-00001.warc.gz, ... with an index;\n"
           "see strata show",
   .manual = "Also store requests and responses as WARC/1.1: in {Ar DIR Ns Pa /pages-00001.warc.gz} and so on, each "
             "with an index, {Pa pages-00001.cdxj}. {Nm} {Cm show} reads them."},
  {"warc-size", "BYTES", OPTION_BYTES, FIELD(warc_bytes), .low = 1, .high = (uint64_t)1 << 50, .keeping = KEPT_VALUE,
   .help = "size at which the next WARC file begins (default 1G)",
   .manual = "Size at which the next WARC file begins; 1G if not given."},
  {"group-readable", NULL, OPTION_FLAG, FIELD(group_readable),
   .help = "the group of DIR's files may read those that hold its secret, too: mode 0640, not 0600",
   .manual = "Let the group of the directory's files read those that hold its secret, too: they get mode 0640 in place "
             "of 0600, so that {Nm} {Cm stat} and the like work for its members."},
  {"no-store", NULL, OPTION_FLAG, FIELD(no_store),
   .help = "keep nothing on disk: the queue is lost when the program ends",
   .manual = "Keep nothing on disk: no log of pages, and a queue that is lost when the program ends."},
  {.kind = OPTION_TEXT, .help = "\nMany machines"},
  {"cluster", "redis://[USER@]HOST:PORT[,...]/NAME", OPTION_STRING, FIELD(cluster),
   .help = "crawl NAME together with others who are started like this; Redis carries URLs between them",
   .manual = "Crawl {Ar NAME} together with other machines that are started with the same options. Redis carries URLs "
             "between them and keeps nothing; several hosts are one server and its replicas. With "
             "{Cm redis+sentinel://HOST:PORT/MASTER/NAME} sentinels are asked for the master. See {Sx MANY MACHINES}."},
  {"partitions", "P", OPTION_COUNT, FIELD(partitions), .low = 1, .high = FRONTIER_PARTITIONS_MAX,
   .help = "parts that the hosts of a cluster's crawl are divided into, fixed for it (default 64)",
   .manual = "Into how many parts the hosts of a cluster's crawl are divided; 64 if not given, fixed for the crawl. "
             "A partition is a directory, {Ar DIR Ns Pa /p-000} and so on, and a process."},
  {"own", "P-P,P", OPTION_STRING, FIELD(own),
   .help = "partitions to crawl on this machine, as 0-3,7 (default: those with a directory here, or as many\n"
           "free ones as there are cores, at least four)"},
  {"begin-lost", NULL, OPTION_FLAG, FIELD(begins_lost),
   .help = "with --own: the directories of these partitions are lost for good, and so are all copies; begin anew",
   .manual = "With {Fl -own}: the directories of these partitions are lost for good, and there is no copy. They are "
             "begun anew; of their URLs those are lost that the start URLs, and what other partitions still have to "
             "send, do not lead to."},
  {"snapshot-to", "DIR", OPTION_STRING, FIELD(snapshot_to),
   .help = "copy this machine's partitions there, so that one whose disk is lost can be restored",
   .manual = "Copy this machine's partitions to {Ar DIR}, which is another disk or another machine's, so that one that "
             "is lost can be restored: see {Sx MANY MACHINES}. Others keep what they sent until a copy has it. The "
             "last copy is made when the crawl is over."},
  {"snapshot-every", "DURATION", OPTION_CALL, .take = take_snapshot_every,
   .help = "how often, as 90s, 30m, 1h (default 24h)",
   .manual = "How often a partition is copied: {Cm 90s}, {Cm 30m}, {Cm 1h}; {Cm 24h} if not given."},
  {"snapshot-with", "COMMAND", OPTION_STRING, FIELD(snapshot_with),
   .help = "run by sh for each copy, whose path is in STRATA_SNAPSHOT; the copy counts once it returned 0",
   .manual = "Have {Xr sh 1} run {Ar COMMAND} for each copy, whose path is in {Ev STRATA_SNAPSHOT}, as to send it to "
             "another machine. The copy counts only if it returned 0."},
  {"cluster-password-file", "FILE", OPTION_STRING, FIELD(cluster_password_file),
   .help = "its first line is the password for Redis (or the environment's STRATA_CLUSTER_PASSWORD)"},
  {.kind = OPTION_TEXT, .help = "\nPoliteness"},
  {"delay", "S", OPTION_SECONDS, FIELD(crawl.delay_ms), .is_first = true, .keeping = KEPT_VALUE,
   .help = "seconds between requests to one host (default 1.0); a longer Crawl-delay overrides it"},
  {"per-host", "N", OPTION_COUNT, FIELD(per_host), .low = 1, .high = 1000, .keeping = KEPT_VALUE,
   .help = "parallel requests to one host (default 1)"},
  {"per-address", "N", OPTION_COUNT, FIELD(crawl.per_address), GIVEN(per_address_given), .low = 0, .high = 10000,
   .keeping = KEPT_VALUE,
   .help = "parallel requests to one address, and requests per --delay, for all its hosts\n"
           "(default 8 * --per-host; 0: no limit)",
   .manual = "Parallel requests to one address, or to one /64 network of IPv6, for all its hosts; eight times "
             "{Fl -per-host} if not given, and 0 for no limit. It also gets no more requests than {Ar N} hosts: "
             "{Ar N} within each {Fl -delay}. With {Fl -proxy} there is no such limit."},
  {"connections", "N", OPTION_COUNT, FIELD(crawl.fetch.connections), .low = 1, .high = 10000, .keeping = KEPT_VALUE,
   .help = "parallel requests over all hosts (default 64)",
   .manual = "Parallel requests over all hosts; 64 if not given."},
  {"keep-alive", "BYTES", OPTION_BYTES, FIELD(keep_bytes), .low = 0, .high = (uint64_t)1 << 40,
   .help = "memory for idle connections kept for the next request to their host (default 64M, enough\n"
           "for 1600 of them, or for 800 with HTTP/2, which is used if --per-host is over 1)",
   .manual = "Memory for idle connections that stay open for the next request to their host; 64M if not given. A "
             "connection takes 40 KiB, or 80 KiB with HTTP/2, so 64M is enough for 1,600 or 800. Beyond that, the one "
             "idle longest is closed if it was idle for five seconds; else the newest is closed. HTTP/2 is requested "
             "if {Fl -per-host} is over 1: with one request at a time there is nothing to multiplex."},
  {"readers", "N", OPTION_COUNT, FIELD(crawl.fetch.readers), .low = 0, .high = READERS_MAX,
   .help = "threads that read pages, beside the two that crawl and fetch (default: fewer than cores)",
   .manual = "Threads that read pages, beside the one that fetches and the one that crawls, which reads when it has "
             "nothing else to do. If not given, and at most, one fewer than there are cores. With one core, or "
             "{Fl -no-store}, one thread does everything."},
  {"robots-memory", "BYTES", OPTION_BYTES, FIELD(crawl.robots_bytes), .low = 1 << 20, .high = (uint64_t)1 << 40,
   .help = "memory for the rules of robots.txt files (default 32M); sixteen times as much on disk",
   .manual =
     "Memory for the rules of robots.txt files; 32M if not given. Rules that were not needed for longest are "
     "moved to a nameless file of up to sixteen times that size in the crawl's directory; those that do not fit "
     "there, or have more than 64 KiB, are requested again when the next page of their host is to be fetched."},
  {"user-agent", "TEXT", OPTION_CALL, .take = take_user_agent, .keeping = KEPT_VALUE,
   .help = "default strata/" STRATA_VERSION "; the robots.txt rules for \"strata\" apply with any value",
   .manual = "Value of the User-Agent header; {Ql strata/} and the version if not given. The robots.txt rules for "
             "{Ql strata} apply with any value."},
  {"contact", "WHO", OPTION_CALL, .take = take_contact, .is_first = true, .keeping = KEPT_VALUE,
   .help = "a URL or a mail address for questions about this crawl; it is added to the User-Agent",
   .manual = "A URL or a mail address for questions about this crawl. It is added to the User-Agent, as in "
             "{Dq strata/" STRATA_VERSION " (+https://example.org/crawl)}."},
  {"tries", "N", OPTION_COUNT, FIELD(crawl.tries), .low = 1, .high = 100, .keeping = KEPT_VALUE,
   .help = "requests for a URL with a temporary error: no response, 408, 425, 429, 500, 502-504, 520-527\n"
           "(default 3); the host or page waits between them, at least as long as Retry-After says",
   .manual =
     "Maximum number of requests for a URL whose error may be temporary: no response, or status 408, 425, 429, 500, "
     "502, 503, 504 or 520 to 527; 3 if not given. After no response, 429 or 503 its host waits longer each time, "
     "after other errors for its delay once more, or, with next to none, the page alone for 100 milliseconds; a "
     "Retry-After can make the wait longer, up to an hour. A robots.txt with a server error, 429 or 408 is requested "
     "as often at most, for all URLs of its host together, which wait 1, 16 and 256 seconds, or as long as "
     "Retry-After says. Then they are skipped, and robots.txt is requested again for those that are due minutes "
     "later. A page that its server or {Fl -timeout} cuts short is one without a response, but what came of it in the"
     " last of its requests is used."},
  {"ignore-robots", NULL, OPTION_FLAG, FIELD(crawl.ignore_robots), .keeping = KEPT_VALUE,
   .help = "do not read robots.txt", .manual = "Fetch what robots.txt forbids. Only for your own sites."},
  {"follow-nofollow", NULL, OPTION_FLAG, FIELD(crawl.follows_nofollow), .keeping = KEPT_VALUE,
   .help = "also links with rel=nofollow, and all links of pages with nofollow in meta robots or X-Robots-Tag",
   .manual = "Also follow links with rel=nofollow, and all links of pages with nofollow or none in meta robots or "
             "X-Robots-Tag. Without this option they are counted as skipped."},
  {"allow-private", NULL, OPTION_FLAG, FIELD(crawl.fetch.allow_private), .is_first = true, .keeping = KEPT_VALUE,
   .help = "also addresses that are not public: 127.0.0.1, 10.x, 192.168.x, ...",
   .manual = "Also connect to private, loopback and link-local addresses, which are refused otherwise."},
  {"timeout", "S", OPTION_SECONDS, FIELD(crawl.fetch.timeout_ms), .low = 1, .keeping = KEPT_VALUE,
   .help = "seconds for one fetch (default 30)",
   .manual = "Give up on a request after {Ar S} seconds; 30 if not given. The body of a redirect is waited for no "
             "longer than a second, unless it is stored."},
  {"max-body", "BYTES", OPTION_BYTES, FIELD(crawl.fetch.max_body), .low = 1, .high = (uint64_t)1 << 50,
   .keeping = KEPT_VALUE, .help = "read at most this many bytes of a page (default 16M; with K, M or G)",
   .manual = "Read at most this many bytes of one decoded page; 16M if not given. The number may end in K, M or G. "
             "Longer pages are cut and counted; a larger number, with {Fl -recrawl-after Cm 1s}, fetches them whole."},
  {.kind = OPTION_TEXT, .help = "\nText of pages"},
  {"no-similar", NULL, OPTION_FLAG, FIELD(no_similar), .keeping = KEPT_VALUE,
   .help = "do not store the text of pages; without this option near-duplicates are reported, and\n"
           "strata like finds similar pages",
   .manual = "Do not store the text of pages. Otherwise the text of HTML and plain text is stored in "
             "{Pa contents/}, so that {Nm strata like} finds similar pages, and a near-duplicate of an earlier page "
             "is marked in {Pa pages.jsonl} {Pq Va near}. Some 10 bytes are stored for each of a page's first 250 "
             "words, and 2 for each further one, 64 bytes of memory are used per page, and a crawl without delays "
             "takes 1.3 to 1.7 times the CPU time."},
  {"near-last", NULL, OPTION_FLAG, FIELD(crawl.near_last), .keeping = KEPT_VALUE,
   .help = "fetch the links of near-duplicate pages after all others"},
  {"digests", NULL, OPTION_FLAG, FIELD(digests), .keeping = KEPT_VALUE,
   .help = "write similarity digests of bodies that are not HTML to DIR/digests.sdbf; see strata report",
   .manual = "Append a similarity digest of each body that is not HTML and has at least 512 bytes to "
             "{Pa digests.sdbf}, one line each, which {Nm strata digest} and sdhash 4.0 read; {Nm strata report} lists "
             "similar ones. The name of a digest is the URL with %, : and | written as %25, %3A and %7C. Bodies are "
             "held in memory until they are complete, up to 64 MiB in all; bodies that do not fit get no digest."},
  {.kind = OPTION_TEXT,
   .help = "\nAccess (user, headers and cookies of FILE go to the schemes, hosts and ports of start URLs only)"},
  {"user", "NAME:PASSWORD", OPTION_CALL, .take = take_user, .keeping = KEPT_NAME, .help = "basic authentication",
   .manual = "Basic authentication, only for the schemes, hosts and ports of start URLs: not by http where they have "
             "https, and not where they redirect to."},
  {"header", "'NAME: VALUE'", OPTION_CALL, .take = take_header, .letter = 'H', .keeping = KEPT_NAME,
   .help = "a request header, in place of the usual one of that name, if any; may be repeated",
   .manual =
     "A request header, as {Fl -user} only for the schemes, hosts and ports of start URLs. May be repeated. It "
     "replaces the header of that name which strata sends by itself: User-Agent (but robots.txt is read for "
     "the name of {Fl -user-agent}), Accept, Authorization, Cookie ({Fl -cookies} then sends none there), "
     "If-None-Match, If-Modified-Since. Without a value, {Dq NAME:}, no such header is sent. Passwords, cookies of "
     "requests and headers given here are never written to the files of the crawl, and {Dq To go on} shows SECRET in "
     "their place."},
  {"cookies", "FILE", OPTION_FILE, FIELD(crawl.fetch.cookie_file), .keeping = KEPT_NAME,
   .help = "cookies in Netscape's format; those that servers set are sent back during this run",
   .manual = "Send the cookies in {Ar FILE}, in Netscape's format, to the hosts they are for, as {Fl -user} only for "
             "the schemes, hosts and ports of start URLs, and send back those that servers set during this run: 50 of "
             "a host and 3,000 in all, the last ones used, none of https by http. A URL that redirects to itself and "
             "sets a cookie is requested again with it, up to twenty times. {Ar FILE} may be empty."},
  {"proxy", "URL", OPTION_CALL, .take = take_proxy, .keeping = KEPT_VALUE,
   .help = "through this proxy (http, https, socks5h, ...); none is taken from the environment",
   .manual = "Connect through this proxy: http, https, socks4, socks4a, socks5 or socks5h. None is taken from the "
             "environment. Only the proxy sees the addresses of hosts: without {Fl -allow-private}, localhost and "
             "private addresses written in a URL are still refused, but the proxy must refuse names that resolve to "
             "one."},
  {"ca-file", "FILE", OPTION_FILE, FIELD(ca_file), .keeping = KEPT_NAME,
   .help = "certificates (PEM) to trust; default: those in SSL_CERT_FILE, else the system's",
   .manual = "Trust the certificates in {Ar FILE} {Pq PEM} instead of the system's. Without this option, the file "
             "named by {Ev SSL_CERT_FILE} and the directory named by {Ev SSL_CERT_DIR} replace the system's. The same "
             "holds for an https proxy. Certificates are read once. A server must have a valid certificate for its "
             "name from a trusted issuer; revocation is not checked."},
  {.kind = OPTION_TEXT, .help = "\nFilter of seen URLs (fixed for a directory)"},
  {"filter", "KIND", OPTION_CALL, .take = take_filter, GIVEN(filter_given),
   .help = "mlbf (default), bloom, line; or exact, exact:bloom, exact:line, which miss no URL",
   .manual = "What tells new URLs from seen ones: {Cm mlbf} (the default), a filter with layers for the segments of a "
             "URL and one for the whole; {Cm bloom}, a classic Bloom filter; {Cm line}, one that keeps all bits of a "
             "URL in one or two cache lines. What a filter calls new is new, but it calls a few new URLs seen, and "
             "those are missed. With {Cm exact}, {Cm exact:bloom} or {Cm exact:line} none is missed: {Cm mlbf}, "
             "{Cm bloom} or {Cm line} answers first, and what it calls seen is compared later with the keys of all "
             "URLs, which are kept sorted on disk, 16 bytes each. A URL that is not among them is new after all, and "
             "is fetched late: minutes later in a large crawl, at once when there is nothing else to fetch."},
  {"expect", "N", OPTION_COUNT, FIELD(expect), .low = 1, .high = (uint64_t)1 << 40, .is_once = true,
   .help = "URLs for which the filter is made (default 1000000); it grows by itself",
   .manual = "Distinct URLs to expect; 1000000 if not given. The filter grows by itself beyond that."},
  {"fp", "P", OPTION_RATE, FIELD(rate), GIVEN(rate_given),
   .help = "probability that a new URL is called seen and missed (default 1e-6); with exact, that it\n"
           "comes late (default 1e-2)",
   .manual = "Probability that a new URL is called seen. Then it is missed, and the default is 1e-6; with {Cm exact} "
             "it comes late, and the default is 1e-2."},
  {"profile", "RULES", OPTION_PROFILE, FIELD(profile), GIVEN(profile_given),
   .help = "which spellings of a URL are one page: strict (default), or no-www, sort-query, ...",
   .manual = "Rules by which spellings of a URL are one page; see {Nm} {Cm url}."},
  {"secret", "FILE", OPTION_CALL, .take = take_secret, .is_once = true,
   .help = "key the hashes of URLs with the 32 bytes of this file, or 64 hexadecimal digits (default:\n"
           "32 random bytes, which the directory keeps); for crawls that are to be merged",
   .manual =
     "Key the hashes of URLs and hosts with the 32 bytes in {Ar FILE}, or 64 hexadecimal digits. If not given, "
     "a new directory gets 32 random bytes and keeps them, readable for its owner alone. Whoever knows them can "
     "choose links that hide a page from the crawl. One secret for several crawls lets {Nm} {Cm merge} and "
     "{Nm} {Cm inlinks} add up their in-link counts, and merge what is left of a crawl after a repair."},
  {.kind = OPTION_TEXT, .help = "\nReport"},
  {"summary", "FILE", OPTION_STRING, FIELD(summary), .help = "write the final counters as one JSON object"},
  {"metrics", "PORT|FILE", OPTION_CALL, .take = take_metrics,
   .help = "counters in Prometheus' text format: digits are a port of 127.0.0.1, path /metrics (0: any free\n"
           "one); all else is a file that is replaced once a second",
   .manual =
     "Counters in Prometheus' text format, while the crawl runs. Digits are a port of 127.0.0.1, where "
     "{Pa /metrics} answers HTTP requests; 0 is any port that is free, and is said. All else is a file, which "
     "is replaced once a second at most, and at the end; other files of its directory can then be written, too, "
     "by a crawl that is confined."},
  {"progress", NULL, OPTION_FLAG, FIELD(progress),
   .help = "a plain line every five seconds; the default if stderr is not a terminal",
   .manual = "Print a plain line every five seconds instead of the panel. This is the default if standard error is not "
             "a terminal. The panel is in colour unless {Ev NO_COLOR} is set."},
  {"quiet", NULL, OPTION_FLAG, FIELD(quiet), .is_first = true, .help = "print errors only"},
};

_Static_assert(sizeof option_rows / sizeof *option_rows <= CRAWL_OPTIONS_MAX, "a use for each row");

const option_table cmd_crawl_options = {
  .command = "crawl",
  .column = 23,
  OPTION_ROWS(option_rows),
  .uses = offsetof(crawl_args, uses),
  .before =
    "Usage: strata crawl [OPTION]... URL...\n"
    "Crawl the pages that can be reached from the URLs, each page once. Stop it at any moment, even with\n"
    "kill -9; the same command continues the crawl.\n"
    "\n"
    "  strata crawl https://example.org/                 the whole site, politely, into ./strata-example.org/\n"
    "  strata crawl --max-pages 500 https://example.org/ the first 500 pages\n"
    "  strata crawl --scope prefix https://example.org/docs/\n"
    "  strata crawl --dir strata-example.org             continue a crawl, as it was begun\n"
    "  strata crawl --delay 0 --per-host 16 --allow-private http://127.0.0.1:8080/    your own server, at full speed\n",
  .exits = "0 done, or a limit was reached; 1 failed; 2 usage; 3 stopped by a signal, resumable; 4 with --audit:\n"
           "links are broken",
};

/* ---- the command line ----------------------------------------------------------------------------------- */

/* "strata/1.0 (+https://example.org/crawl)", as crawlers say it. false: out of memory. */
static bool name_agent(crawl_args *args)
{
  const char *contact = args->contact;
  free(args->agent);
  args->agent = NULL;
  if (contact &&
      asprintf(&args->agent, "%s (+%s%s)", args->product, strchr(contact, '/') ? "" : "mailto:", contact) < 0)
    args->agent = NULL;
  args->crawl.fetch.user_agent = args->agent ? args->agent : args->product;
  return args->agent || !contact;
}

/* What was not named: a filter that needs no directory with --no-store; and a rate by what its errors cost, which is a
 * page each, or some minutes. */
static void settle_filter(crawl_args *a)
{
  if (a->no_store && !a->filter_given)
    a->exact = false;
  if (!a->rate_given)
    a->rate = a->exact ? 1e-2 : 1e-6;
}

static bool is_consistent(const crawl_args *a)
{
  const struct {
    bool is_broken;
    const char *sentence;
  } rules[] = {
    {a->no_store && a->directory, "--no-store keeps nothing, so it takes no --dir"},
    {a->quiet && a->progress, "--quiet and --progress: one of them, please"},
    {a->no_store && a->exact, "--filter exact keeps all keys in the directory; leave it or --no-store out"},
    {a->no_store && a->audit, "--no-store keeps nothing, so there can be no --audit"},
    {a->no_store && a->warc, "--no-store keeps nothing, so there can be no --warc"},
    {a->no_store && a->digests, "--no-store keeps nothing, so there can be no --digests"},
    {a->crawl.near_last && a->no_store, "--near-last is for near-duplicates; without --no-store they are found"},
    {a->crawl.near_last && a->no_similar, "--near-last is for near-duplicates; without --no-similar they are found"},
    {a->cluster && a->no_store, "--no-store keeps nothing, and in a --cluster each partition is a directory"},
    {a->cluster && a->seeds && strcmp(a->seeds, "-") == 0,
     "--cluster reads start URLs in each of its processes: a file, please, not standard input"},
    {a->cluster && a->metrics, "--metrics is of one process; strata cluster stat --json is of a --cluster"},
    {a->cluster && a->audit, "--audit joins the links of one directory, and a --cluster has many"},
    {a->cluster && a->previous, "--previous is for a crawl of one process; leave it or --cluster out"},
    {a->cluster && a->retry_failed, "--retry-failed is for one directory: --dir DIR/p-000, without --cluster"},
    {!a->cluster && (a->own || a->cluster_password_file), "--own and --cluster-password-file are for a --cluster"},
    {!a->cluster && a->snapshot_to, "--snapshot-to is for a --cluster; strata snapshot copies a crawl of one process"},
    {!a->snapshot_to && (a->snapshot_ms || a->snapshot_with), "--snapshot-to DIR says where snapshots go"},
    {!a->own && a->begins_lost, "--begin-lost needs --own, which names the partitions that are lost"},
    {a->no_store && a->crawl.recrawl_least_s, "--no-store keeps nothing, so there is nothing to --recrawl-after"},
    {a->audit && !a->url_count && !a->seeds && !a->directory,
     "no start URL; try \"strata audit https://example.org/\", or \"strata audit --help\""},
    {!a->url_count && !a->seeds && (!a->directory || a->cluster),
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
  free(args->kept.text);
  args->kept.text = NULL;
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

int crawl_args_settle(crawl_args *args)
{
  if (!args->per_address_given)
    args->crawl.per_address = HOSTS_PER_ADDRESS * args->per_host;
  args->crawl.per_host = args->per_host;
  args->crawl.fetch.multiplexes = args->per_host > 1;
  settle_filter(args);
  if (!name_agent(args)) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  return is_consistent(args) ? EXIT_DONE : EXIT_USAGE;
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
  args->urls = argv + optind;
  args->url_count = argc - optind;
  args->option_words = argv + 1;
  args->option_word_count = optind - 1;
  if (!find_standard_input(args))
    return EXIT_USAGE;
  code = crawl_args_settle(args);
  return code == EXIT_DONE ? OPTIONS_READ : code;
}
