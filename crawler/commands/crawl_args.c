/* See crawl_args.h. One table row an option. */
#include "crawler/commands/crawl_args.h"

#include "crawler/commands/cmd.h"
#include "crawler/base/message.h"
#include "crawler/commands/values.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
  OPT_DIR = 256, OPT_SEEDS, OPT_SCOPE, OPT_INCLUDE, OPT_EXCLUDE, OPT_SITEMAPS, OPT_IMAGES, OPT_MAX_PAGES, OPT_MAX_BYTES,
  OPT_MAX_DEPTH, OPT_MAX_SECONDS, OPT_RECRAWL_AFTER, OPT_TRAP_BUDGET, OPT_RETRY_FAILED, OPT_WARC, OPT_WARC_SIZE,
  OPT_NO_STORE, OPT_DELAY, OPT_PER_HOST, OPT_PER_ADDRESS, OPT_CONNECTIONS, OPT_KEEP_ALIVE, OPT_USER_AGENT,
  OPT_CONTACT, OPT_TRIES, OPT_IGNORE_ROBOTS, OPT_FOLLOW_NOFOLLOW, OPT_ALLOW_PRIVATE, OPT_TIMEOUT, OPT_MAX_BODY,
  OPT_USER, OPT_COOKIES, OPT_PROXY, OPT_CA_FILE, OPT_FILTER, OPT_EXPECT, OPT_FP, OPT_PROFILE, OPT_SUMMARY, OPT_QUIET,
  OPT_PROGRESS, OPT_HELP, OPT_NO_SIMILAR, OPT_NEAR_LAST, OPT_DIGESTS,
};

static const struct option options[] = {
  {"dir", required_argument, NULL, OPT_DIR},
  {"seeds", required_argument, NULL, OPT_SEEDS},
  {"scope", required_argument, NULL, OPT_SCOPE},
  {"max-pages", required_argument, NULL, OPT_MAX_PAGES},
  {"max-depth", required_argument, NULL, OPT_MAX_DEPTH},
  {"max-seconds", required_argument, NULL, OPT_MAX_SECONDS},
  {"trap-budget", required_argument, NULL, OPT_TRAP_BUDGET},
  {"no-store", no_argument, NULL, OPT_NO_STORE},
  {"delay", required_argument, NULL, OPT_DELAY},
  {"per-host", required_argument, NULL, OPT_PER_HOST},
  {"per-address", required_argument, NULL, OPT_PER_ADDRESS},
  {"connections", required_argument, NULL, OPT_CONNECTIONS},
  {"keep-alive", required_argument, NULL, OPT_KEEP_ALIVE},
  {"user-agent", required_argument, NULL, OPT_USER_AGENT},
  {"contact", required_argument, NULL, OPT_CONTACT},
  {"sitemaps", required_argument, NULL, OPT_SITEMAPS},
  {"tries", required_argument, NULL, OPT_TRIES},
  {"images", no_argument, NULL, OPT_IMAGES},
  {"follow-nofollow", no_argument, NULL, OPT_FOLLOW_NOFOLLOW},
  {"ignore-robots", no_argument, NULL, OPT_IGNORE_ROBOTS},
  {"allow-private", no_argument, NULL, OPT_ALLOW_PRIVATE},
  {"timeout", required_argument, NULL, OPT_TIMEOUT},
  {"max-body", required_argument, NULL, OPT_MAX_BODY},
  {"filter", required_argument, NULL, OPT_FILTER},
  {"expect", required_argument, NULL, OPT_EXPECT},
  {"fp", required_argument, NULL, OPT_FP},
  {"profile", required_argument, NULL, OPT_PROFILE},
  {"warc", no_argument, NULL, OPT_WARC},
  {"warc-size", required_argument, NULL, OPT_WARC_SIZE},
  {"quiet", no_argument, NULL, OPT_QUIET},
  {"progress", no_argument, NULL, OPT_PROGRESS},
  {"summary", required_argument, NULL, OPT_SUMMARY},
  {"help", no_argument, NULL, OPT_HELP},
  {"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
  {"include", required_argument, NULL, OPT_INCLUDE},
  {"exclude", required_argument, NULL, OPT_EXCLUDE},
  {"user", required_argument, NULL, OPT_USER},
  {"header", required_argument, NULL, 'H'},
  {"cookies", required_argument, NULL, OPT_COOKIES},
  {"ca-file", required_argument, NULL, OPT_CA_FILE},
  {"recrawl-after", required_argument, NULL, OPT_RECRAWL_AFTER},
  {"proxy", required_argument, NULL, OPT_PROXY},
  {"retry-failed", no_argument, NULL, OPT_RETRY_FAILED},
  {"no-similar", no_argument, NULL, OPT_NO_SIMILAR},
  {"near-last", no_argument, NULL, OPT_NEAR_LAST},
  {"digests", no_argument, NULL, OPT_DIGESTS},
  {NULL, 0, NULL, 0},
};

/* ---- values --------------------------------------------------------------------------------------------- */

static bool refuse(const char *option, const char *value, const char *wanted)
{
  return value_refuse("crawl", option, value, wanted);
}

/* Without the value: it may be a password, or half of one. */
static bool refuse_secret(const char *option, const char *wanted)
{
  say_error("crawl", "--%s: %s", option, wanted);
  return false;
}

static bool parse_filter(const char *text, crawl_args *args)
{
  args->exact = strcmp(text, "exact") == 0;
  if (!args->exact && strcmp(text, "mlbf") != 0 && strcmp(text, "bloom") != 0 && strcmp(text, "line") != 0)
    return refuse("filter", text, "mlbf, bloom, line or exact, please");
  args->filter_given = true;
  return mlbf_kind_from_name(args->exact ? "mlbf" : text, &args->filter);
}

static bool parse_scope(const char *text, crawl_args *args)
{
  args->scope_given = true;
  return scope_kind_from_name(text, &args->scope) || refuse("scope", text, "host, prefix, domain or any, please");
}

static bool parse_sitemaps(const char *text, crawl_args *args)
{
  static const char *const names[] = {
    [SITEMAPS_NONE] = "none", [SITEMAPS_ROBOTS] = "robots", [SITEMAPS_GUESS] = "guess"};
  for (int i = SITEMAPS_NONE; i <= SITEMAPS_GUESS; i++)
    if (strcmp(text, names[i]) == 0) {
      args->crawl.sitemaps = (crawl_sitemaps)i;
      return true;
    }
  return refuse("sitemaps", text, "none, robots or guess, please");
}

static bool parse_profile(const char *text, crawl_args *args)
{
  args->profile_given = true;
  return url_profile_parse(text, &args->profile) ||
         refuse("profile", text, "no such rules; \"strata url --help\" lists them");
}

static bool parse_pattern(const char *name, const char *text, crawl_args *args)
{
  char message[PATTERNS_MESSAGE];
  return patterns_add(args->patterns, strcmp(name, "include") == 0, text, message) || refuse(name, text, message);
}

static bool has_control(const char *text)
{
  for (; *text; text++)
    if ((unsigned char)*text < 0x20 || *text == 0x7F)
      return true;
  return false;
}

/* There is room for one in each word. */
static void note_secret(crawl_args *args, const char *value, size_t begin, size_t end)
{
  args->secrets[args->secret_count++] = (crawl_secret){value, begin, end - begin};
}

/* A name is a token (RFC 9110, 5.6.2). Host and what frames a message are libcurl's to write. */
static bool parse_header(const char *text, crawl_args *args)
{
  static const char token[] = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  static const char *const ours[] = {"host", "content-length", "transfer-encoding", "connection", "accept-encoding"};
  size_t size = strspn(text, token), count = 0;
  if (!size || text[size] != ':' || has_control(text))
    return refuse_secret("header", "not a header; 'Name: value', please");
  for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
    if (strlen(ours[i]) == size && strncasecmp(ours[i], text, size) == 0)
      return refuse_secret("header", "Host, Connection and what frames a message are not to be changed");
  while (args->headers[count])
    count++;
  if (count == CRAWL_HEADERS_MAX)
    return refuse_secret("header", "there are too many");
  note_secret(args, text, size + 1 + strspn(text + size + 1, " "), strlen(text));
  args->headers[count] = text;
  args->crawl.fetch.headers = args->headers;
  return true;
}

static bool parse_user(const char *text, crawl_args *args)
{
  if (!strchr(text, ':') || has_control(text))
    return refuse_secret("user", "NAME:PASSWORD, please");
  note_secret(args, text, strcspn(text, ":") + 1, strlen(text));
  args->crawl.fetch.user = text;
  return true;
}

static bool parse_file(const char *name, const char *text, const char **file)
{
  if (access(text, R_OK) != 0) {
    say_error("crawl", "--%s %s: %s", name, text, strerror(errno));
    return false;
  }
  *file = text;
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

static bool parse_proxy(const char *text, crawl_args *args)
{
  static const char *const schemes[] = {"http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"};
  for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
    size_t size = strlen(schemes[i]);
    if (strncmp(text, schemes[i], size) == 0 && text[size] && !has_control(text)) {
      note_proxy_secret(args, text, size);
      args->crawl.fetch.proxy = text;
      return true;
    }
  }
  return refuse_secret("proxy", "not a proxy's URL; http://HOST:PORT or socks5h://HOST:PORT, please");
}

static bool parse_user_agent(const char *text, crawl_args *args)
{
  if (has_control(text))
    return refuse("user-agent", text, "control characters do not belong in a header");
  args->crawl.fetch.user_agent = text;
  return true;
}

/* A URL of the web, or what looks like a mail address; of bytes that mean nothing in the comment of a header (RFC 9110,
 * 5.6.5). */
static bool parse_contact(const char *text, crawl_args *args)
{
  enum { CONTACT_MAX = 200 };
  static const char plain[] = "!#$%&'*+-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
  size_t size = strlen(text);
  bool is_url = (strncmp(text, "http://", 7) == 0 && text[7]) || (strncmp(text, "https://", 8) == 0 && text[8]);
  const char *at = strchr(text, '@');
  bool is_mail = at && at > text && at[1] && !strchr(at + 1, '@') && !strpbrk(text, "/:");
  if (size > CONTACT_MAX || strspn(text, plain) != size || (!is_url && !is_mail))
    return refuse("contact", text, "http://..., https://... or NAME@HOST, please");
  args->contact = text;
  return true;
}

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

/* "7d", or "1d..30d": a page that changed rests half as long as before, one that did not twice as long. */
static bool parse_rest(const char *text, crawl_args *args)
{
  char least[32];
  const char *dots = strstr(text, "..");
  size_t size = dots ? (size_t)(dots - text) : strlen(text);
  uint64_t least_ms, most_ms;
  if (size >= sizeof least)
    return refuse("recrawl-after", text, "not a duration such as 90s, 30m, 1h, 7d or 2w");
  memcpy(least, text, size);
  least[size] = '\0';
  if (!value_duration("crawl", "recrawl-after", least, &least_ms) ||
      !value_duration("crawl", "recrawl-after", dots ? dots + 2 : least, &most_ms))
    return false;
  if (least_ms > most_ms)
    return refuse("recrawl-after", text, "the shorter duration first, please");
  args->crawl.recrawl_least_s = least_ms / 1000;
  args->crawl.recrawl_most_s = most_ms / 1000;
  return true;
}

/* URLs of one host that look like a trap's, taken if nothing else is said. A book of 80 pages in 30 languages looks
 * like one with 2,800 of them; a calendar of 1,000 years has 365,000. */
enum { TRAP_BUDGET = 10000 };

/* Hosts of one address that are asked at once, if nothing else is said. Virtual hosts are many, their server is one;
 * yet one that serves thousands is made for more than one page at a time. */
enum { HOSTS_PER_ADDRESS = 8 };

/* ---- the command line ----------------------------------------------------------------------------------- */

static bool take_option(int option, const char *name, char *value, crawl_args *a)
{
  uint64_t number = 0;
  bool good = true;
  switch (option) {
  case OPT_DIR: a->directory = value; return *value || refuse(name, value, "a directory's name, please");
  case OPT_SEEDS: a->seeds = value; return true;
  case OPT_SCOPE: return parse_scope(value, a);
  case OPT_MAX_PAGES: return value_number("crawl", name, value, 1, UINT64_MAX, false, &a->crawl.max_pages);
  case OPT_MAX_DEPTH:
    good = value_number("crawl", name, value, 0, UINT16_MAX, false, &number);
    a->crawl.max_depth = (uint16_t)number;
    return good;
  case OPT_MAX_SECONDS: return value_milliseconds("crawl", name, value, 0.001, &a->crawl.max_ms);
  case OPT_RECRAWL_AFTER: return parse_rest(value, a);
  case OPT_TRAP_BUDGET: return value_number("crawl", name, value, 0, UINT64_MAX, false, &a->trap_budget);
  case OPT_NO_STORE: a->no_store = true; return true;
  case OPT_QUIET: a->quiet = true; return true;
  case OPT_PROGRESS: a->progress = true; return true;
  case OPT_WARC: a->warc = true; return true;
  case OPT_WARC_SIZE: return value_number("crawl", name, value, 1, (uint64_t)1 << 50, true, &a->warc_bytes);
  case OPT_DELAY: return value_milliseconds("crawl", name, value, 0, &a->crawl.delay_ms);
  case OPT_PER_HOST:
    good = value_number("crawl", name, value, 1, 1000, false, &number);
    a->per_host = (unsigned)number;
    return good;
  case OPT_PER_ADDRESS:
    good = value_number("crawl", name, value, 0, 10000, false, &number);
    a->crawl.per_address = (unsigned)number;
    a->per_address_given = true;
    return good;
  case OPT_CONNECTIONS:
    good = value_number("crawl", name, value, 1, 10000, false, &number);
    a->crawl.fetch.connections = (unsigned)number;
    return good;
  case OPT_KEEP_ALIVE: return value_number("crawl", name, value, 0, (uint64_t)1 << 40, true, &a->keep_bytes);
  case OPT_USER_AGENT: return parse_user_agent(value, a);
  case OPT_CONTACT: return parse_contact(value, a);
  case OPT_SITEMAPS: return parse_sitemaps(value, a);
  case OPT_TRIES:
    good = value_number("crawl", name, value, 1, 100, false, &number);
    a->crawl.tries = (unsigned)number;
    return good;
  case OPT_IMAGES: a->crawl.wants_images = true; return true;
  case OPT_FOLLOW_NOFOLLOW: a->crawl.follows_nofollow = true; return true;
  case OPT_IGNORE_ROBOTS: a->crawl.ignore_robots = true; return true;
  case OPT_ALLOW_PRIVATE: a->crawl.fetch.allow_private = true; return true;
  case OPT_TIMEOUT:
    good = value_milliseconds("crawl", name, value, 0.001, &number);
    a->crawl.fetch.timeout_ms = (long)number;
    return good;
  case OPT_MAX_BODY: return value_number("crawl", name, value, 1, (uint64_t)1 << 50, true, &a->crawl.fetch.max_body);
  case OPT_FILTER: return parse_filter(value, a);
  case OPT_EXPECT: return value_number("crawl", name, value, 1, (uint64_t)1 << 40, false, &a->expect);
  case OPT_FP: a->rate_given = true; return value_rate("crawl", name, value, &a->rate);
  case OPT_PROFILE: return parse_profile(value, a);
  case OPT_INCLUDE: case OPT_EXCLUDE: return parse_pattern(name, value, a);
  case OPT_MAX_BYTES: return value_number("crawl", name, value, 1, UINT64_MAX, true, &a->crawl.max_bytes);
  case 'H': return parse_header(value, a);
  case OPT_USER: return parse_user(value, a);
  case OPT_COOKIES: return parse_file(name, value, &a->crawl.fetch.cookie_file);
  case OPT_CA_FILE: return parse_file(name, value, &a->ca_file);
  case OPT_PROXY: return parse_proxy(value, a);
  case OPT_RETRY_FAILED: a->retry_failed = true; return true;
  case OPT_NO_SIMILAR: a->no_similar = true; return true;
  case OPT_DIGESTS: a->digests = true; return true;
  case OPT_NEAR_LAST: a->crawl.near_last = true; return true;
  case OPT_SUMMARY: a->summary = value; return true;
  case OPT_HELP: a->help = true; return true;
  default: return false; /* getopt has said it */
  }
}

static bool is_consistent(const crawl_args *a)
{
  if (a->no_store && a->directory) {
    say_error("crawl", "--no-store keeps nothing, so it takes no --dir");
    return false;
  }
  if (a->quiet && a->progress) {
    say_error("crawl", "--quiet and --progress: one of them, please");
    return false;
  }
  if (a->no_store && a->exact) {
    say_error("crawl", "--filter exact keeps its table in the directory; leave it or --no-store out");
    return false;
  }
  if (a->no_store && a->warc) {
    say_error("crawl", "--no-store keeps nothing, so there can be no --warc");
    return false;
  }
  if (a->no_store && a->digests) {
    say_error("crawl", "--no-store keeps nothing, so there can be no --digests");
    return false;
  }
  if (a->crawl.near_last && (a->no_store || a->no_similar)) {
    say_error("crawl", "--near-last is for near-duplicates; without %s they are found",
              a->no_store ? "--no-store" : "--no-similar");
    return false;
  }
  if (a->no_store && a->crawl.recrawl_least_s) {
    say_error("crawl", "--no-store keeps nothing, so there is nothing to --recrawl-after");
    return false;
  }
  if (a->url_count || a->seeds || a->directory)
    return true;
  say_error("crawl", "no start URL; try \"strata crawl https://example.org/\", or \"strata crawl --help\"");
  return false;
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

int crawl_args_parse(int argc, char **argv, crawl_args *args)
{
  *args = (crawl_args){
    .crawl = {.max_pages = UINT64_MAX, .max_bytes = UINT64_MAX, .max_ms = UINT64_MAX, .max_depth = UINT16_MAX,
              .delay_ms = 1000, .tries = 3, .sitemaps = SITEMAPS_ROBOTS,
              .fetch = {.user_agent = "strata/" STRATA_VERSION, .connections = 64, .timeout_ms = 30000,
                        .max_body = 16 << 20}},
    .filter = MLBF_KIND_MLBF, .expect = 1000000, .rate = 1e-6, .per_host = 1, .scope = SCOPE_HOST,
    .trap_budget = TRAP_BUDGET,
    .warc_bytes = (uint64_t)1 << 30, .keep_bytes = 64 << 20,
  };
  args->patterns = patterns_create();
  args->secrets = calloc((size_t)argc + 1, sizeof *args->secrets);
  if (!args->patterns || !args->secrets) {
    say_error("crawl", "out of memory");
    return EXIT_FAILED;
  }
  args->crawl.patterns = args->patterns;
  for (int option, index = 0; (option = getopt_long(argc, argv, "H:", options, &index)) != -1;)
    if (!take_option(option, options[index].name, optarg, args)) {
      if (option == '?')
        fprintf(stderr, "Try \"strata crawl --help\".\n");
      return EXIT_USAGE;
    }
  if (args->help)
    return EXIT_DONE;
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
  for (int i = 0; i < args->url_count; i++)
    if (strcmp(args->urls[i], "-") == 0) { /* start URLs from standard input, wherever it stands */
      if (args->seeds) {
        say_error("crawl", "start URLs come from %s or from -, not from both", args->seeds);
        return EXIT_USAGE;
      }
      args->seeds = "-";
      args->urls[i] = args->urls[--args->url_count];
      i--;
    }
  return is_consistent(args) ? EXIT_DONE : EXIT_USAGE;
}
