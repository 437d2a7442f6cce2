/* Servers whose TLS records carry nothing of an answer, as fast as they can: they end with a reason, and the pages
 * beside them are fetched as if they were not there. */
#include "tests/site/pages.h"
#include "tests/support/test.h"
#include "tests/support/tls_site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>

enum { FLOODS = 4, GOOD = 20, BATCH = 500 };

/* Many in one piece, so that the server is faster than the client. */
static void send_records(SSL *ssl, void (*record)(SSL *ssl))
{
  BIO *memory = BIO_new(BIO_s_mem());
  int fd = SSL_get_fd(ssl);
  SSL_set0_wbio(ssl, memory);
  for (;;) {
    char *bytes;
    for (int i = 0; i < BATCH; i++)
      record(ssl);
    long size = BIO_get_mem_data(memory, &bytes);
    for (long sent = 0, got; sent < size; sent += got)
      if ((got = write(fd, bytes + sent, (size_t)(size - sent))) <= 0)
        _exit(0);
    BIO_reset(memory);
  }
}

static void new_key(SSL *ssl)
{
  SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED);
  SSL_do_handshake(ssl);
}

static void new_ticket(SSL *ssl)
{
  SSL_new_session_ticket(ssl);
  SSL_do_handshake(ssl);
}

/* It asks for one of ours, too, which nobody reads. */
static void new_keys_of_both(SSL *ssl)
{
  SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl);
}

static void keys(SSL *ssl)
{
  send_records(ssl, new_key);
}

static void tickets(SSL *ssl)
{
  send_records(ssl, new_ticket);
}

static void both_keys(SSL *ssl)
{
  send_records(ssl, new_keys_of_both);
}

/* Behind a part of an answer. */
static void keys_in_a_head(SSL *ssl)
{
  static const char begin[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  SSL_write(ssl, begin, (int)strlen(begin));
  send_records(ssl, new_key);
}

static void answer(int fd, const char *target)
{
  text page = {0};
  text_add(&page, SMALL_HTML);
  for (unsigned i = 0; strcmp(target, "/") == 0 && i < GOOD; i++)
    text_addf(&page, "<a href=/page-%u>x</a>", i);
  raw_send(fd, page.bytes, page.size);
  text_free(&page);
}

static int begin(void **state)
{
  (void)state;
  tls_site = small_open_with(answer);
  return 0;
}

/* One kind of flood from several servers, beside the good pages. With half a second a page it is no flood that makes
 * them late. */
static void crawl_beside(void (*flood)(SSL *ssl))
{
  tls_server servers[FLOODS];
  char addresses[FLOODS][64];
  const char *words[32] = {"crawl", "--dir",     "DIR", "--delay",   "0",    "--ignore-robots", "--tries",
                           "1",     "--timeout", "20",  "--ca-file", tls_ca, "--allow-private", "URL"};
  size_t used = 0;
  while (words[used])
    used++;
  for (size_t i = 0; i < FLOODS; i++) {
    servers[i] = (tls_server){.instead = flood};
    tls_start(&servers[i], TLS_GOOD);
    snprintf(addresses[i], sizeof addresses[i], "https://localhost:%u/", servers[i].port);
    words[used++] = addresses[i];
  }
  assert_int_equal(small_strata(&tls_site, words, 0), 0);
  page_log log = pages_read(tls_site.trial->pages);
  unsigned good = 0, limits = 0;
  for (size_t i = 0; i < pages_count(&log); i++) {
    const char *reason = json_string_value(json_object_get(json_array_get(log.list, i), "reason"));
    good += pages_number(&log, i, "status") == 200;
    limits += reason && strstr(reason, "too many TLS records for no byte") != NULL;
  }
  assert_int_equal(good, GOOD + 1);
  assert_int_equal(limits, FLOODS);
  pages_free(&log);
  for (size_t i = 0; i < FLOODS; i++)
    tls_stop(&servers[i]);
}

CASE(a_flood_of_keys)
{
  crawl_beside(keys);
}

CASE(a_flood_of_keys_of_both)
{
  crawl_beside(both_keys);
}

CASE(a_flood_of_keys_in_a_head)
{
  crawl_beside(keys_in_a_head);
}

CASE(a_flood_of_tickets)
{
  crawl_beside(tickets);
}

ALL_CASES(tls_group_begin, tls_group_end)
EACH_CASE(begin, tls_site_end)
