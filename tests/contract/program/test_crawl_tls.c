/* A crawl over https: servers that prove who they are and others, and what its user is told. */
#include "tests/site/pages.h"
#include "tests/support/test.h"
#include "tests/support/tls_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>

#define CRAWL "crawl", "--dir", "DIR", "--delay", "0", "--ignore-robots", "--tries", "1", "--allow-private"

static void address_of(const tls_server *server, char address[64])
{
  snprintf(address, 64, "https://localhost:%u/", server->port);
}

/* The line of pages.jsonl about this URL. */
static json_t *line_of(const page_log *log, const char *address)
{
  for (size_t i = 0; i < pages_count(log); i++)
    if (strcmp(pages_url(log, i), address) == 0)
      return json_array_get(log->list, i);
  fail_msg("no line about %s", address);
  return NULL;
}

static void expect_line(const page_log *log, const char *address, const char *error, const char *reason)
{
  const json_t *line = line_of(log, address);
  const char *is = json_string_value(json_object_get(line, "error"));
  const char *why = json_string_value(json_object_get(line, "reason"));
  assert_non_null(is);
  assert_string_equal(is, error);
  if (!why || !strstr(why, reason))
    fail_msg("%s: %s", address, why);
}

/* Each server that is not what it should be costs one line, and the crawl goes on. */
CASE(a_crawl_goes_on)
{
  static const struct {
    tls_flaw flaw;
    const char *error, *reason;
  } rows[] = {
    {TLS_GOOD, NULL, NULL},
    {TLS_EXPIRED, "tls", "its certificate has expired"},
    {TLS_NOT_YET, "tls", "not valid yet"},
    {TLS_OTHER_HOST, "tls", "another host's"},
    {TLS_SELF_SIGNED, "tls", "--ca-file"},
    {TLS_UNKNOWN, "tls", "not trusted here"},
    {TLS_PLAIN, "tls", "does not speak TLS on this port"},
    {TLS_SILENT, "timeout", "the TLS handshake did not end in time"},
  };
  enum { ROWS = sizeof rows / sizeof *rows };
  tls_server servers[ROWS] = {0};
  char addresses[ROWS][64];
  const char *words[32] = {CRAWL, "--ca-file", tls_ca, "--timeout", "2"};
  size_t used = 0;
  while (words[used])
    used++;
  for (size_t i = 0; i < ROWS; i++) {
    tls_start(&servers[i], rows[i].flaw);
    address_of(&servers[i], addresses[i]);
    words[used++] = addresses[i];
  }
  assert_int_equal(small_strata(&tls_site, words, 0), 0);
  page_log log = pages_read(tls_site.trial->pages);
  assert_int_equal(pages_count(&log), ROWS);
  assert_int_equal(log.bad, 0);
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].error)
      expect_line(&log, addresses[i], rows[i].error, rows[i].reason);
  assert_int_equal(json_integer_value(json_object_get(line_of(&log, addresses[0]), "status")), 200);
  pages_free(&log);
  for (size_t i = 0; i < ROWS; i++)
    tls_stop(&servers[i]);
}

static void expect_told(tls_flaw flaw, const char *reason)
{
  tls_server server = {0};
  char address[64], wanted[320];
  tls_start(&server, flaw);
  address_of(&server, address);
  const char *const words[] = {CRAWL, "--ca-file", tls_ca, address, NULL};
  assert_int_equal(small_strata(&tls_site, words, 1), 1);
  snprintf(wanted, sizeof wanted, "%s: %s; --ca-file FILE trusts", address, reason);
  assert_non_null(strstr(tls_site.trial->err.bytes, wanted));
  tls_stop(&server);
}

CASE(the_only_start_is_not_believed)
{
  expect_told(TLS_SELF_SIGNED, "its certificate is self-signed; to believe it, give it to --ca-file");
}

/* To its end. */
CASE(the_only_start_has_an_authority_of_its_own)
{
  expect_told(TLS_UNKNOWN, "its certificate is from an issuer that is not trusted here; --ca-file says whom to trust "
                           "instead of the system's");
}

/* What a page by https loads by http: an image and a frame, but no link. */
CASE(mixed_content_is_reported)
{
  char address[64], page[400];
  snprintf(page, sizeof page,
           "<img src='http://127.0.0.1:%u/image.png'><iframe src='http://127.0.0.1:%u/'></iframe>"
           "<a href='http://127.0.0.1:%u/'>no content</a>",
           small_port, small_port, small_port);
  tls_server server = {.page = page};
  tls_start(&server, TLS_GOOD);
  address_of(&server, address);
  const char *const words[] = {"audit",           "--dir",     "DIR",  "--delay", "0",
                               "--allow-private", "--ca-file", tls_ca, address,   NULL};
  assert_int_equal(small_strata(&tls_site, words, 4), 4);
  assert_non_null(strstr(tls_site.trial->err.bytes, "; 2 from https to http"));
  assert_int_equal(small_strata(&tls_site, (const char *const[]){"report", "DIR", "--out", "-", NULL}, 0), 0);
  const char *mixed = strstr(tls_site.trial->out.bytes, "<h2>Mixed content");
  assert_non_null(mixed);
  assert_non_null(strstr(mixed, "<td>img@src</td>"));
  assert_non_null(strstr(mixed, "<td>iframe@src</td>"));
  assert_non_null(strstr(mixed, ">2 links of https pages to what is loaded by http."));
  tls_stop(&server);
}

/* Before anything is made on disk. */
CASE(a_file_without_certificates)
{
  const char *const words[] = {CRAWL, "--ca-file", "/dev/null", "URL", NULL};
  assert_int_equal(small_strata(&tls_site, words, 1), 1);
  assert_non_null(strstr(tls_site.trial->err.bytes,
                         "strata crawl: --ca-file: /dev/null: no certificate in PEM format"));
  assert_int_not_equal(access(tls_site.trial->crawl, F_OK), 0);
}

static void give_ticket(SSL *ssl)
{
  SSL_new_session_ticket(ssl);
  SSL_do_handshake(ssl);
}

static void give_key(SSL *ssl)
{
  SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
  SSL_do_handshake(ssl);
}

static void ask_for_key(SSL *ssl)
{
  SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl);
}

/* They are no answer to anything, and no reason to leave: one connection does for all pages. */
CASE(tickets_and_keys_close_no_idle_connection)
{
  static void (*const idle[])(SSL * ssl) = {give_ticket, give_key, ask_for_key};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
    tls_server server = {.page = "<a href=/1>1</a><a href=/2>2</a>", .idle = idle[i]};
    char address[64], directory[2] = {(char)('a' + i)};
    tls_start(&server, TLS_GOOD);
    address_of(&server, address);
    char *crawl = trial_path(tls_site.trial, directory);
    const char *const words[] = {"crawl",           "--dir",     crawl,  "--delay", "0.1", "--ignore-robots",
                                 "--allow-private", "--ca-file", tls_ca, address,   NULL};
    assert_int_equal(small_strata(&tls_site, words, 0), 0);
    assert_int_equal(server.counts->requests, 3);
    assert_int_equal(server.counts->connections, 1);
    free(crawl);
    tls_stop(&server);
  }
}

ALL_CASES(tls_group_begin, tls_group_end)
EACH_CASE(tls_site_begin, tls_site_end)
