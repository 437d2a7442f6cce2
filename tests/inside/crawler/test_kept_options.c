/* crawler/commands/kept_options.c: what a directory keeps comes back as if it was typed, what is typed wins, and a
 * forged text is refused, or harmless. */
#include "crawler/commands/cmd.h"
#include "crawler/commands/kept_options.h"
#include "tests/support/test.h"
#include "tests/support/unclean.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static crawl_args args;
static char said[16384]; /* on stderr */

static int begin_listening(FILE **err)
{
  int saved = dup(STDERR_FILENO);
  *err = tmpfile();
  fflush(stderr);
  dup2(fileno(*err), STDERR_FILENO);
  return saved;
}

static void end_listening(int saved, FILE *err)
{
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  rewind(err);
  said[fread(said, 1, sizeof said - 1, err)] = '\0';
  fclose(err);
}

static void parse(const char *line)
{
  static char words[1024];
  static char *argv[64];
  int argc = 0;
  snprintf(words, sizeof words, "crawl --dir d %s", line);
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    argv[argc++] = word;
  argv[argc] = NULL;
  crawl_args_free(&args);
  assert_int_equal(crawl_args_parse(argc, argv, &args), OPTIONS_READ);
}

/* What a run with these words, in a directory with this text, says. Its exit code. */
static int go_on(const char *line, const char *text, size_t size)
{
  FILE *err;
  parse(line);
  int saved = begin_listening(&err);
  int code = kept_options_read(&args, "d", text, size);
  if (code == EXIT_DONE)
    kept_options_say(&args);
  end_listening(saved, err);
  return code;
}

static void assert_kept(const char *expected)
{
  size_t size;
  char *text = kept_options_write(&args, &size);
  assert_non_null(text);
  assert_string_equal(text, expected);
  assert_int_equal(size, strlen(text));
  free(text);
}

#define ALL                                                                                                         \
  "sitemaps guess\nimages\nwarc\nwarc-size 2G\ndelay 0.25\nper-host 3\nper-address 5\nconnections 9\nuser-agent "   \
  "it's a probe\ncontact a@b.example\ntries 2\nignore-robots\nfollow-nofollow\nallow-private\ntimeout 7\nmax-body " \
  "1M\ndigests\nproxy http://p.example:3128\n"

CASE(everything_comes_back)
{
  assert_int_equal(go_on("", ALL, strlen(ALL)), EXIT_DONE);
  const crawl_options *o = &args.crawl;
  assert_int_equal(o->sitemaps, SITEMAPS_GUESS);
  assert_true(o->wants_images && o->ignore_robots && o->follows_nofollow && o->fetch.allow_private && args.warc);
  assert_int_equal(o->delay_ms, 250);
  assert_int_equal(args.per_host, 3);
  assert_int_equal(o->per_host, 3);
  assert_true(o->fetch.multiplexes);
  assert_int_equal(o->per_address, 5);
  assert_string_equal(o->fetch.user_agent, "it's a probe (+mailto:a@b.example)");
  assert_string_equal(o->fetch.proxy, "http://p.example:3128");
  assert_int_equal(o->fetch.max_body, 1 << 20);
  assert_non_null(strstr(said, "--delay 0.25 --per-host 3 "));
  assert_non_null(strstr(said, "--user-agent 'it'\\''s a probe'"));
  assert_kept(ALL);
}

CASE(what_is_typed_wins_and_is_kept)
{
  static const char text[] = "delay 5\nper-host 2\nallow-private\nno-similar\n";
  assert_int_equal(go_on("--delay 0.5 --no-allow-private --similar --tries 9", text, strlen(text)), EXIT_DONE);
  assert_int_equal(args.crawl.delay_ms, 500);
  assert_int_equal(args.crawl.per_address, 16); /* eight times that of a host */
  assert_false(args.crawl.fetch.allow_private);
  assert_false(args.no_similar);
  assert_string_equal(said, "As it was begun: --per-host 2\n");
  assert_kept("delay 0.5\nper-host 2\ntries 9\n");
}

CASE(of_a_secret_the_name_is_kept)
{
  parse("--user me:USERSECRET -H X-Key:KEYSECRET --header X-Other:x --proxy http://me:PROXYSECRET@p.example/ "
        "--cookies /dev/null --ca-file /dev/null");
  assert_kept("user\nheader X-Key\nheader X-Other\ncookies\nproxy\nca-file\n");
  static const char text[] = "user\nheader X-Key\nheader X-Other\ncookies\nca-file\n";
  assert_int_equal(go_on("-H x-key:again --no-cookies", text, strlen(text)), EXIT_USAGE); /* for the --ca-file */
  assert_string_equal(said,
                      "strata crawl: d was begun with --user NAME:PASSWORD --header 'X-Other: ...' --ca-file FILE, of "
                      "which only the name is kept: give it again, or go on without it for good: --no-user "
                      "--no-header --no-ca-file\n");
  assert_kept("user\nheader x-key\nheader X-Other\nca-file\n");
  assert_int_equal(go_on("", "proxy\n", strlen("proxy\n")), EXIT_USAGE);
  assert_int_equal(go_on("--no-proxy", "proxy\n", strlen("proxy\n")), EXIT_DONE);
  assert_int_equal(go_on("--no-ca-file", text, strlen(text)), EXIT_DONE);
}

/* Of one run, or fixed for the directory. */
CASE(caps_are_not_kept)
{
  parse("--max-pages 3 --max-depth 2 --max-bytes 1G --max-seconds 9 --trap-budget 1 --quiet --readers 1 --scope any "
        "--exclude x --filter exact --retry-failed --recrawl-after 1d");
  assert_kept("");
}

CASE(a_forged_text_is_refused)
{
  static const char *const rows[] = {

    "delay\n",
    "delay -1\n",
    "delay 1",
    "delay 1\ndelay 2\n",
    "images yes\n",
    "per-host 0\n",
    "per-host 99999\n",
    "max-pages 1\n",
    "dir /etc\n",
    "seeds /etc/shadow\n",
    "user me:secret\n",
    "header\n",
    "\n",
    "cookies /etc/x\n",
    "nonsense\n",
    " \n",
    "user-agent a\x1b]0;owned\x07\n",
    "delay \xc2\x9b]2J\n",
    "\x1b]0;owned\x07\n",
    "user \x1b[2J\n",
    "proxy file:///x\n",
    "proxy http://a:b@c/\n",
    "contact x\n",
    "delay 0x10\n1\n",
    "DELAY 1\n",
    "del 1\n",
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int code = go_on("", rows[i], strlen(rows[i]));
    if (code == EXIT_DONE || !strstr(said, "the options it was begun with cannot be read"))
      fail_msg("\"%s\" is taken: %s", rows[i], said);
    if (first_unclean(said, strlen(said), false) < strlen(said))
      fail_msg("row %zu: a control character is shown", i);
  }
  assert_int_equal(go_on("", "delay 1\n\0", 9), EXIT_FAILED);
}

/* No list in it grows beyond what is held, and none takes long. */
CASE(a_forged_text_is_bounded)
{
  enum { LINES = 8000 };
  static char text[LINES * 16];
  size_t size = 0;
  for (unsigned i = 0; i < LINES && size + 16 < 64 << 10; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "header h%u\n", i);
  assert_int_equal(go_on("", text, size), EXIT_FAILED);
  memset(text, 'a', sizeof text);
  memcpy(text, "user-agent ", strlen("user-agent "));
  text[sizeof text - 1] = '\n';
  assert_int_equal(go_on("", text, sizeof text), EXIT_FAILED);
  static const char evil[] = "header \x1b]0;owned\x07\xc2\x9b]2J\n";
  assert_int_equal(go_on("", evil, strlen(evil)), EXIT_DONE);
  assert_int_equal(first_unclean(said, strlen(said), false), strlen(said));
}

static int end(void **state)
{
  (void)state;
  crawl_args_free(&args);
  return 0;
}

EACH_CASE(NULL, end)
