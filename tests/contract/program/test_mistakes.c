/* Mistakes that newcomers make. Each gets its exit code and one sentence on standard error, which says what is wrong,
 * where, and what to do. */
#include "tests/site/small.h"
#include "tests/support/scratch.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static small served;

typedef struct mistake {
  int code;
  const char *words[9];     /* of strata, run where the files are that make_files makes; "URL" is the served site */
  const char *wrong, *next; /* parts of the sentence */
} mistake;

#define WEB "https://a.test/"

static const mistake mistakes[] = {
  /* the command */
  {2, {"crwal", WEB}, "no command \"crwal\"", "did you mean \"crawl\"?"},
  {2, {"status", "made"}, "no command \"status\"", "did you mean \"stat\"?"},
  {2, {"xyzzy"}, "no command \"xyzzy\"", "\"strata help\" lists them"},
  {2, {WEB}, "\"" WEB "\" is no command", "strata crawl " WEB},
  {2, {"help", "crawll"}, "no command \"crawll\"", "did you mean \"crawl\"?"},
  {2, {"-x"}, "no command \"-x\"", "\"strata help\" lists them"},
  /* options */
  {2, {"crawl", "--alow-private", WEB}, "no such option: --alow-private", "did you mean --allow-private?"},
  {2, {"crawl", "--depth", "3", WEB}, "no such option: --depth", "did you mean --max-depth?"},
  {2, {"crawl", "--page", "3", WEB}, "no such option: --page", "did you mean --max-pages?"},
  {2, {"crawl", "-r", WEB}, "no such option: -r", "\"strata help crawl\" lists the options"},
  {2, {"crawl", "--max", "3", WEB}, "--max may be --max-pages, --max-bytes", "which one"},
  {2, {"crawl", "--warc=yes", WEB}, "--warc takes no value", "leave \"=yes\" out"},
  {2, {"crawl", WEB, "--dir"}, "--dir needs a value", "strata help crawl"},
  {2, {"crawl", "--delay", "fast", WEB}, "--delay \"fast\"", "a number of seconds"},
  {2, {"crawl", "--delay", "-1", WEB}, "--delay \"-1\"", "seconds from 0 on"},
  {2, {"crawl", "--max-pages", "10k", WEB}, "--max-pages \"10k\"", "a whole number from 1"},
  {2, {"crawl", "--max-body", "1X", WEB}, "--max-body \"1X\"", "a whole number"},
  {2, {"crawl", "--scope", "site", WEB}, "--scope \"site\"", "host, prefix, domain or any"},
  {2, {"crawl", "--recrawl-after", "7", WEB}, "--recrawl-after \"7\"", "30m, 1h, 7d"},
  {2, {"crawl", "--include", "*.html", WEB}, "--include \"*.html\"", "quantifier"},
  {2, {"crawl", "--header", "Authorization", WEB}, "--header", "'Name: value', please"},
  {2, {"crawl", "--user", "anna", WEB}, "--user", "NAME:PASSWORD, please"},
  {2, {"crawl", "--proxy", "localhost:3128", WEB}, "--proxy", "http://HOST:PORT"},
  {2, {"crawl", "--no-store", "--warc", WEB}, "--no-store keeps nothing", "no --warc"},
  {2, {"crawl", "--filter", "blooom", WEB}, "--filter \"blooom\"", "mlbf, bloom, line"},
  {2, {"crawl", "--ca-file", "absent.pem", WEB}, "--ca-file absent.pem", "No such file"},
  /* URLs */
  {2, {"crawl"}, "no start URL", "try \"strata crawl https://example.org/\""},
  {2, {"crawl", "a.test"}, "\"a.test\" is not a whole URL", "did you mean https://a.test/ ?"},
  {2, {"crawl", "localhost:8000"}, "\"localhost:8000\" is not a whole URL", "did you mean http://localhost:8000/ ?"},
  {2, {"crawl", "page.html"}, "page.html is a file here", "python3 -m http.server"},
  {2, {"crawl", "ftp://a.test/"}, "\"ftp://a.test/\"", "only http and https"},
  {2, {"crawl", "https://"}, "\"https://\" is not a URL", "https://example.org/"},
  {1, {"crawl", "--quiet", "--tries", "1", "URL"}, "not a public address", "--allow-private"},
  {1,
   {"crawl", "--quiet", "--tries", "1", "--allow-private", "http://127.0.0.1:1/"},
   "127.0.0.1:1/: ",
   "server runs there"},
  /* files and directories */
  {1, {"crawl", "--seeds", "absent.txt"}, "absent.txt", "No such file"},
  {1, {"crawl", "--seeds", "empty.txt"}, "empty.txt", "no start URL in it"},
  {1, {"crawl", "--dir", "page.html", WEB}, "page.html", "choose another directory"},
  {1, {"crawl", "--dir", "other", WEB}, "other is not a crawl: it holds \"file\"", "--dir"},
  {1, {"crawl", "--dir", "absent/deep", WEB}, "absent/deep: the directory around it is not there", "--dir"},
  {1, {"crawl", "--dir", "absent"}, "absent holds no crawl to go on with", "give a start URL"},
  {1, {"crawl", "--previous", "absent", WEB}, "--previous absent", "No such file"},
  {2, {"crawl", "--dir", "made", "--filter", "bloom"}, "made was made with mlbf", "choose another --dir"},
  {2, {"stat"}, "one directory, please", "strata stat DIR"},
  {1, {"stat", "absent"}, "absent is not the directory of a crawl: No such file", "strata crawl URL --dir DIR"},
  {1, {"report", "page.html"}, "page.html is not the directory of a crawl: it is a file", "strata crawl URL"},
  {1, {"export", "other"}, "other is not the directory of a crawl: nothing in it", "strata crawl URL"},
  {2, {"export", "made", "--state", "broken"}, "--state \"broken\"", "done, failed or skipped"},
  {2, {"seen", "made"}, "a directory and URLs, please", "strata seen DIR URL"},
  {1, {"show", "made", WEB}, "made has no WARC", "--warc"},
  {2, {"merge", "made"}, "where to, please", "-o DIR"},
  {1, {"merge", "made", "-o", "made"}, "made: a crawl is there already", "-o"},
  {2, {"snapshot", "made"}, "the new one, please", "strata snapshot DIR TO"},
  {1, {"snapshot", "made", "other"}, "other is there already", "a name that is not"},
  {2, {"forget", "made"}, "", "strata forget DIR URL"},
  {2, {"plan"}, "how many URLs", "--urls N --fp P"},
  {2, {"plan", "--urls", "many", "--fp", "1e-6"}, "--urls \"many\"", "a whole number"},
  {1, {"links", "absent.html"}, "absent.html", "No such file"},
  {2, {"robots", "page.html"}, "FILE and URL are needed", "robots"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void make_files(void)
{
  const char *const made[] = {"crawl", "--dir", "made", "--delay", "0", "--allow-private", "--quiet", "URL", NULL};
  assert_int_equal(chdir(served.trial->home), 0);
  scratch_write("page.html", "<p>words", 8);
  scratch_write("empty.txt", "# nothing\n", 10);
  assert_int_equal(mkdir("other", 0777), 0);
  scratch_write("other/file", "", 0);
  assert_int_equal(small_strata(&served, made, 0), 0);
}

static bool is_one_line(const char *said)
{
  const char *end = strchr(said, '\n');
  return strncmp(said, "strata", 6) == 0 && end && !end[1];
}

CASE(each_gets_one_sentence)
{
  unsigned faults = 0;
  assert_true(MISTAKES >= 40);
  make_files();
  for (const mistake *m = mistakes; m < mistakes + MISTAKES; m++) {
    int code = trial_strata(served.trial, m->words);
    const char *err = served.trial->err.bytes;
    bool is_good = code == m->code && is_one_line(err) && strstr(err, m->wrong) && strstr(err, m->next) &&
                   !*served.trial->out.bytes;
    if (!is_good)
      print_error("strata %s %s %s: %d, %s", m->words[0], m->words[1] ? m->words[1] : "",
                  m->words[1] && m->words[2] ? m->words[2] : "", code, err);
    faults += !is_good;
  }
  assert_int_equal(faults, 0);
}

static int end(void **state)
{
  (void)state;
  assert_int_equal(chdir("/"), 0);
  small_close(&served);
  return 0;
}

static int begin(void **state)
{
  static const small_page page[] = {{"/", SMALL_LEAF}, {NULL, NULL}};
  (void)state;
  served = small_open(page);
  return 0;
}

EACH_CASE(begin, end)
