/* crawler/commands/crawl_args.c: what the options make of a crawl, and what is refused by name. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/crawl_args.h"
#include "tests/support/test.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static crawl_args args;
static char said[4096]; /* on stderr */

/* Parse a line of words; what is said goes into `said`. */
static int parse(const char *line)
{
  static char words[1024];
  static char *argv[32];
  int argc = 0, saved = dup(STDERR_FILENO);
  FILE *err = tmpfile();
  snprintf(words, sizeof words, "crawl %s", line);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  argv[argc] = NULL;
  optind = 0; /* glibc: begin anew */
  fflush(stderr);
  dup2(fileno(err), STDERR_FILENO);
  crawl_args_free(&args);
  int code = crawl_args_parse(argc, argv, &args);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(err);
  said[fread(said, 1, sizeof said - 1, err)] = '\0';
  fclose(err);
  return code;
}

static void good(const char *line)
{
  if (parse(line) != OPTIONS_READ || *said)
    fail_msg("\"%s\" is refused: %s", line, said);
}

CASE(defaults_are_polite)
{
  good("http://h/");
  assert_int_equal(args.crawl.delay_ms, 1000);
  assert_int_equal(args.per_host, 1);
  assert_int_equal(args.crawl.per_address, 8);
  assert_int_equal(args.crawl.fetch.connections, 64);
  assert_false(args.crawl.ignore_robots);
  assert_false(args.crawl.fetch.allow_private);
  assert_int_equal(args.filter, MLBF_KIND_MLBF);
  assert_int_equal(args.expect, 1000000);
  assert_true(args.rate == 1e-6);
  assert_int_equal(args.scope, SCOPE_HOST);
  assert_false(args.filter_given || args.rate_given || args.scope_given || args.profile_given);
  assert_int_equal(args.url_count, 1);
}

CASE(options_are_understood)
{
  good("--dir d --max-pages 7 --max-depth 3 --max-seconds 1.5 --delay 0.25 --per-host 4 --connections 9 http://h/");
  assert_string_equal(args.directory, "d");
  assert_int_equal(args.crawl.max_pages, 7);
  assert_int_equal(args.crawl.max_depth, 3);
  assert_int_equal(args.crawl.max_ms, 1500);
  assert_int_equal(args.crawl.delay_ms, 250);
  assert_int_equal(args.per_host, 4);
  assert_int_equal(args.crawl.per_address, 32); /* eight times that of a host */
  assert_int_equal(args.crawl.fetch.connections, 9);
  good("http://a/ --filter bloom --fp 0.01 --expect 5 --scope prefix --profile no-www http://b/ --timeout 0.5");
  assert_int_equal(args.filter, MLBF_KIND_BLOOM);
  assert_true(args.rate == 0.01 && args.rate_given && args.filter_given && args.scope_given && args.profile_given);
  assert_int_equal(args.scope, SCOPE_PREFIX);
  assert_int_equal(args.profile, URL_NO_WWW);
  assert_int_equal(args.crawl.fetch.timeout_ms, 500);
  assert_int_equal(args.url_count, 2);
  assert_string_equal(args.urls[1], "http://b/");
  good("--per-address 0 --per-host 4 http://h/");
  assert_int_equal(args.crawl.per_address, 0);
}

CASE(a_filter_and_its_rate)
{
  static const struct {
    const char *line;
    mlbf_kind filter;
    bool exact;
    double rate;
    const char *name;
  } rows[] = {
    {"--filter mlbf", MLBF_KIND_MLBF, false, 1e-6, "mlbf"},
    {"--filter bloom", MLBF_KIND_BLOOM, false, 1e-6, "bloom"},
    {"--filter line --fp 1e-2", MLBF_KIND_LINE, false, 1e-2, "line"},
    {"--filter exact", MLBF_KIND_MLBF, true, 1e-2, "exact:mlbf"},
    {"--filter exact:mlbf", MLBF_KIND_MLBF, true, 1e-2, "exact:mlbf"},
    {"--filter exact:bloom", MLBF_KIND_BLOOM, true, 1e-2, "exact:bloom"},
    {"--fp 0.5 --filter exact:line", MLBF_KIND_LINE, true, 0.5, "exact:line"},
    {"--filter exact --filter mlbf", MLBF_KIND_MLBF, false, 1e-6, "mlbf"},
    {"--filter mlbf --no-store", MLBF_KIND_MLBF, false, 1e-6, "mlbf"},
    {"--no-store", MLBF_KIND_MLBF, false, 1e-6, "mlbf"},
    {"--no-store --fp 1e-3", MLBF_KIND_MLBF, false, 1e-3, "mlbf"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[128];
    snprintf(line, sizeof line, "%s http://h/", rows[i].line);
    good(line);
    if (args.filter != rows[i].filter || args.exact != rows[i].exact || args.rate != rows[i].rate)
      fail_msg("\"%s\": %s, %g", line, crawl_filter_name(args.filter, args.exact), args.rate);
    assert_string_equal(crawl_filter_name(args.filter, args.exact), rows[i].name);
  }
}

CASE(sizes_have_units)
{
  static const struct {
    const char *text;
    uint64_t bytes;
  } rows[] = {
    {"1", 1}, {"1000", 1000}, {"2K", 2048}, {"2k", 2048}, {"3M", 3 << 20}, {"1G", 1 << 30},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char line[64];
    snprintf(line, sizeof line, "--max-body %s http://h/", rows[i].text);
    good(line);
    assert_int_equal(args.crawl.fetch.max_body, rows[i].bytes);
  }
}

CASE(start_urls_may_come_from_standard_input)
{
  good("- --delay 2");
  assert_string_equal(args.seeds, "-");
  assert_int_equal(args.url_count, 0);
  good("http://a/ - http://b/");
  assert_string_equal(args.seeds, "-");
  assert_int_equal(args.url_count, 2);
}

CASE(who_asks)
{
  static const struct {
    const char *line, *agent;
  } rows[] = {
    {"http://h/", "strata/" STRATA_VERSION},
    {"--contact https://example.org/crawl http://h/", "strata/" STRATA_VERSION " (+https://example.org/crawl)"},
    {"--contact me@example.org http://h/", "strata/" STRATA_VERSION " (+mailto:me@example.org)"},
    {"--contact me@example.org --user-agent examiner/7 http://h/", "examiner/7 (+mailto:me@example.org)"},
    {"--contact a@b --contact http://c/ http://h/", "strata/" STRATA_VERSION " (+http://c/)"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    good(rows[i].line);
    assert_string_equal(args.crawl.fetch.user_agent, rows[i].agent);
  }
}

CASE(the_rest_is_refused_by_name)
{
  static const struct {
    const char *line, *named;
  } rows[] = {
    {"", "no start URL"},
    {"--max-bytes 0 http://h/", "--max-bytes"},
    {"--recrawl-after soon http://h/", "--recrawl-after \"soon\""},
    {"--filter mlbf-paper http://h/", "mlbf, bloom, line, exact, exact:bloom or exact:line"},
    {"--filter exact: http://h/", "--filter \"exact:\""},
    {"--filter exact:exact http://h/", "--filter \"exact:exact\""},
    {"--filter exactly http://h/", "--filter \"exactly\""},
    {"--filter line:exact http://h/", "--filter \"line:exact\""},
    {"--filter exact:line --no-store http://h/", "--filter exact keeps all keys in the directory"},
    {"--filter exact --no-store http://h/", "--no-store"},
    {"--filter magic http://h/", "--filter \"magic\""},
    {"--scope moon http://h/", "--scope \"moon\""},
    {"--profile nonsense http://h/", "--profile \"nonsense\""},
    {"--max-pages 0 http://h/", "--max-pages \"0\""},
    {"--max-pages -1 http://h/", "--max-pages \"-1\""},
    {"--max-pages +5 http://h/", "--max-pages \"+5\""},
    {"--max-pages 5x http://h/", "--max-pages \"5x\""},
    {"--max-pages 99999999999999999999 http://h/", "--max-pages"},
    {"--max-depth 70000 http://h/", "--max-depth"},
    {"--max-seconds 0 http://h/", "--max-seconds"},
    {"--delay -1 http://h/", "--delay"},
    {"--delay nan http://h/", "--delay"},
    {"--delay inf http://h/", "--delay"},
    {"--delay 1s http://h/", "--delay"},
    {"--per-host 0 http://h/", "--per-host"},
    {"--per-address -1 http://h/", "--per-address"},
    {"--connections 1000000 http://h/", "--connections"},
    {"--timeout 0 http://h/", "--timeout"},
    {"--max-body 1T http://h/", "--max-body"},
    {"--max-body 99999999999999G http://h/", "--max-body"},
    {"--fp 0 http://h/", "--fp"},
    {"--fp 1 http://h/", "--fp"},
    {"--fp x http://h/", "--fp"},
    {"--expect 0 http://h/", "--expect"},
    {"--include ( http://h/", "--include"},
    {"--exclude [a http://h/", "--exclude"},
    {"--header novalue http://h/", "--header"},
    {"-H Host:x http://h/", "--header"},
    {"--header a\x01:b http://h/", "--header"},
    {"--user nobody http://h/", "--user"},
    {"--proxy ftp://p http://h/", "--proxy"},
    {"--cookies /no/such/file http://h/", "--cookies"},
    {"--ca-file /no/such/file http://h/", "--ca-file"},
    {"--sitemaps some http://h/", "--sitemaps"},
    {"--tries 0 http://h/", "--tries"},
    {"--scope galaxy http://h/", "--scope"},
    {"--user-agent a\tb\x01 http://h/", "--user-agent"},
    {"--contact nobody http://h/", "--contact \"nobody\""},
    {"--contact @example.org http://h/", "--contact"},
    {"--contact me@ http://h/", "--contact"},
    {"--contact a@b@c http://h/", "--contact"},
    {"--contact https:// http://h/", "--contact"},
    {"--contact ftp://example.org/ http://h/", "--contact"},
    {"--contact http://h/) http://h/", "--contact"},
    {"--contact me@h\x1b http://h/", "--contact"},
    {"--contact m\xc3\xa9@h http://h/", "--contact"},
    {"--no-store --dir d http://h/", "--no-store"},
    {"--no-store --warc http://h/", "--warc"},
    {"--warc-size 0 http://h/", "--warc-size"},
    {"--quiet --progress http://h/", "--quiet"},
    {"--seeds f -", "not from both"},
    {"--nonsense http://h/", "--nonsense"},
    {"--dir", "--dir"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (parse(rows[i].line) != EXIT_USAGE)
      fail_msg("\"%s\" is taken", rows[i].line);
    if (!strstr(said, rows[i].named))
      fail_msg("\"%s\": nothing about %s in \"%s\"", rows[i].line, rows[i].named, said);
  }
}
