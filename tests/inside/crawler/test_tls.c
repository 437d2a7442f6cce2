/* https as the fetcher does it: who is believed, what is said of the others, which connections are kept, which sessions
 * are resumed. */
#include "crawler/http/fetch.h"
#include "crawler/http/trust.h"
#include "tests/support/scratch.h"
#include "tests/site/process.h"
#include "tests/site/raw.h"
#include "tests/site/tls_server.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

/* ---- a fetcher and its answers ---------------------------------------------------------------------------- */

typedef struct answer {
  bool has_ended;
  fetch_error error;
  long status;
  char explanation[256];
} answer;

static char scratch[SCRATCH_PATH], ca[SCRATCH_PATH + 16], other_ca[SCRATCH_PATH + 16];

static void finish(void *context, const fetch_response *response)
{
  answer *a = context;
  a->has_ended = true;
  a->error = response->error;
  a->status = response->status;
  snprintf(a->explanation, sizeof a->explanation, "%s", response->explanation);
}

static void pass_over(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  (void)context;
  (void)response;
  (void)bytes;
  (void)size;
}

static answer fetch_one(fetcher *f, const char *scheme, const char *host, unsigned port, bool is_last)
{
  char address[128];
  answer a = {0};
  snprintf(address, sizeof address, "%s://%s:%u/", scheme, host, port);
  assert_true(fetch_start(f, address,
                          (fetch_receiver){.body = pass_over, .finished = finish, .context = &a, .is_last = is_last}));
  while (!a.has_ended)
    fetch_poll(f, 100);
  return a;
}

static const fetch_options usual = {
  .user_agent = "test", .connections = 4, .timeout_ms = 20000, .max_body = 1000, .allow_private = true};

/* One fetch by a fetcher of its own, which believes `ca_file`, or what the environment says. */
static answer fetch_alone(const char *ca_file, const char *scheme, const char *host, unsigned port)
{
  char message[TRUST_MESSAGE];
  fetch_options options = usual;
  options.trust = trust_create(ca_file, message);
  assert_non_null(options.trust);
  fetcher *f = fetcher_create(&options);
  assert_non_null(f);
  answer a = fetch_one(f, scheme, host, port, false);
  fetcher_free(f);
  trust_free(options.trust);
  return a;
}

static void expect(answer a, fetch_error error, const char *words)
{
  if (a.error != error || (words && !strstr(a.explanation, words)))
    fail_msg("%s: \"%s\", and not %s: \"%s\"", fetch_error_name(a.error), a.explanation, fetch_error_name(error),
             words ? words : "");
}

/* ---- who is believed -------------------------------------------------------------------------------------- */

CASE(who_is_believed)
{
  static const struct {
    tls_flaw flaw;
    const char *host;
    fetch_error error;
    const char *words;
  } rows[] = {
    {TLS_GOOD, "localhost", FETCH_OK, NULL},
    {TLS_GOOD, "127.0.0.1", FETCH_OK, NULL},
    {TLS_GOOD, "ten.localhost", FETCH_TLS, "another host's"},
    {TLS_OTHER_HOST, "localhost", FETCH_TLS, "another host's"},
    {TLS_OTHER_HOST, "127.0.0.1", FETCH_TLS, "another host's"},
    {TLS_EXPIRED, "localhost", FETCH_TLS, "has expired"},
    {TLS_NOT_YET, "localhost", FETCH_TLS, "not valid yet"},
    {TLS_SELF_SIGNED, "localhost", FETCH_TLS, "self-signed; to believe it, give it to --ca-file"},
    {TLS_UNKNOWN, "localhost", FETCH_TLS, "an issuer that is not trusted here; --ca-file"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    tls_server s = {0};
    tls_start(&s, rows[i].flaw);
    expect(fetch_alone(ca, "https", rows[i].host, s.port), rows[i].error, rows[i].words);
    assert_int_equal(s.counts->requests, rows[i].error == FETCH_OK); /* who is not believed is not asked */
    tls_stop(&s);
  }
}

/* The first that is given: the file, the environment, the system. */
CASE(whose_word_counts)
{
  tls_server s = {0};
  char directory[SCRATCH_PATH + 16];
  snprintf(directory, sizeof directory, "%s/hashed", scratch);
  tls_start(&s, TLS_GOOD);
  expect(fetch_alone(NULL, "https", "localhost", s.port), FETCH_TLS, "not trusted here");
  setenv("SSL_CERT_FILE", ca, 1);
  expect(fetch_alone(NULL, "https", "localhost", s.port), FETCH_OK, NULL);
  expect(fetch_alone(other_ca, "https", "localhost", s.port), FETCH_TLS, "not trusted here");
  setenv("SSL_CERT_FILE", other_ca, 1);
  expect(fetch_alone(NULL, "https", "localhost", s.port), FETCH_TLS, "not trusted here");
  setenv("SSL_CERT_DIR", directory, 1);
  expect(fetch_alone(NULL, "https", "localhost", s.port), FETCH_OK, NULL);
  unsetenv("SSL_CERT_FILE");
  expect(fetch_alone(NULL, "https", "localhost", s.port), FETCH_OK, NULL);
  unsetenv("SSL_CERT_DIR");
  tls_stop(&s);
}

CASE(a_file_that_cannot_be_believed)
{
  static const struct {
    const char *option, *variable, *words;
  } rows[] = {
    {"/no/such.pem", NULL, "--ca-file: /no/such.pem: No such file"},
    {"/dev/null", NULL, "--ca-file: /dev/null: no certificate"},
    {NULL, "SSL_CERT_FILE", "SSL_CERT_FILE: /no/such: No such file"},
    {NULL, "SSL_CERT_DIR", "SSL_CERT_DIR: /no/such: No such file"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char message[TRUST_MESSAGE] = "";
    if (rows[i].variable)
      setenv(rows[i].variable, "/no/such", 1);
    assert_null(trust_create(rows[i].option, message));
    if (strncmp(message, rows[i].words, strlen(rows[i].words)) != 0)
      fail_msg("%s", message);
    if (rows[i].variable)
      unsetenv(rows[i].variable);
  }
}

/* ---- certificates are parsed once ------------------------------------------------------------------------- */

int __real_X509_STORE_load_file(X509_STORE *store, const char *file);
int __wrap_X509_STORE_load_file(X509_STORE *store, const char *file);
static unsigned files_read;

int __wrap_X509_STORE_load_file(X509_STORE *store, const char *file)
{
  files_read++;
  return __real_X509_STORE_load_file(store, file);
}

/* ---- connections and sessions ----------------------------------------------------------------------------- */

typedef struct visit_row {
  const char *host;
  bool is_last;
  unsigned connections, resumed; /* that the server had by then */
} visit_row;

static void go_round(tls_server *s, unsigned connections, unsigned kept, const visit_row rows[], size_t count)
{
  char message[TRUST_MESSAGE];
  fetch_options options = usual;
  options.connections = connections;
  options.kept = kept;
  options.trust = trust_create(ca, message);
  files_read = 0;
  fetcher *f = fetcher_create(&options);
  for (size_t i = 0; i < count; i++) {
    expect(fetch_one(f, "https", rows[i].host, s->port, rows[i].is_last), FETCH_OK, NULL);
    if (s->counts->connections != rows[i].connections || s->counts->resumed != rows[i].resumed)
      fail_msg("%zu, %s: %u connections, %u of them resumed, and not %u, %u", i, rows[i].host, s->counts->connections,
               s->counts->resumed, rows[i].connections, rows[i].resumed);
  }
  assert_int_equal(files_read, 0); /* but when `trust` was made */
  fetcher_free(f);
  trust_free(options.trust);
}

/* Who comes when there are as many as may be is not kept, as none of the others is idle for long. */
CASE(no_more_are_kept_than_told)
{
  static const visit_row rows[] = {
    {"one.localhost", false, 1, 0}, {"two.localhost", false, 2, 0},   {"three.localhost", false, 3, 0},
    {"one.localhost", false, 3, 0}, {"four.localhost", false, 4, 0},  {"one.localhost", false, 4, 0},
    {"two.localhost", false, 4, 0}, {"three.localhost", false, 4, 0}, {"four.localhost", false, 5, 1},
    {"one.localhost", false, 5, 1},
  };
  tls_server s = {0};
  tls_start(&s, TLS_GOOD);
  go_round(&s, 1, 2, rows, sizeof rows / sizeof *rows);
  assert_int_equal(s.counts->offered_http2, 0);
  tls_stop(&s);
}

/* Of hosts that are not kept each session spares the next handshake. */
CASE(sessions_are_resumed)
{
  static const visit_row rows[] = {
    {"one.localhost", false, 1, 0}, {"two.localhost", false, 2, 0},   {"one.localhost", false, 2, 0},
    {"two.localhost", false, 3, 1}, {"three.localhost", false, 4, 1}, {"two.localhost", false, 5, 2},
    {"one.localhost", false, 5, 2}, {"three.localhost", false, 6, 3},
  };
  tls_server s = {0};
  tls_start(&s, TLS_GOOD);
  go_round(&s, 1, 0, rows, sizeof rows / sizeof *rows);
  tls_stop(&s);
}

CASE(what_is_not_wanted_soon_is_not_kept)
{
  static const visit_row wanted[] = {
    {"one.localhost", true, 1, 0}, {"one.localhost", false, 2, 1}, {"one.localhost", false, 2, 1}};
  static const visit_row resting[] = {{"two.localhost", false, 1, 0}, {"two.localhost", false, 2, 1}};
  tls_server s = {0};
  tls_start(&s, TLS_GOOD);
  go_round(&s, 4, 4, wanted, sizeof wanted / sizeof *wanted);
  tls_stop(&s);
  s.head = "HTTP/1.1 503 Later\r\nRetry-After: 3600\r\n";
  tls_start(&s, TLS_GOOD);
  go_round(&s, 4, 4, resting, sizeof resting / sizeof *resting);
  tls_stop(&s);
}

CASE(http2_is_asked_for_where_it_pays)
{
  char message[TRUST_MESSAGE];
  tls_server s = {0};
  fetch_options options = usual;
  options.multiplexes = true;
  options.trust = trust_create(ca, message);
  tls_start(&s, TLS_GOOD);
  fetcher *f = fetcher_create(&options);
  expect(fetch_one(f, "https", "localhost", s.port, false), FETCH_OK, NULL);
  assert_int_equal(s.counts->offered_http2, 1);
  fetcher_free(f);
  trust_free(options.trust);
  tls_stop(&s);
}

/* ---- between two requests --------------------------------------------------------------------------------- */

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

static void give_many_keys(SSL *ssl)
{
  for (int i = 0; i < 100; i++)
    give_key(ssl);
}

static void say_bytes(SSL *ssl)
{
  static const char late[] = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n";
  SSL_write(ssl, late, (int)strlen(late));
}

static void give_ticket_and_bytes(SSL *ssl)
{
  give_ticket(ssl);
  say_bytes(ssl);
}

/* Tickets and keys are no answer to anything, and no reason to leave; bytes and a goodbye are one. */
CASE(what_comes_over_an_idle_connection)
{
  enum { FETCHES = 3, LATER_MS = 50 };
  static const struct {
    void (*idle)(SSL *ssl);
    bool is_kept;
  } rows[] = {
    {NULL, true},
    {give_ticket, true},
    {give_key, true},
    {ask_for_key, true},
    {say_bytes, false},
    {give_ticket_and_bytes, false},
    {give_many_keys, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char message[TRUST_MESSAGE];
    tls_server s = {.idle = rows[i].idle};
    fetch_options options = usual;
    options.kept = 4;
    options.trust = trust_create(ca, message);
    tls_start(&s, TLS_GOOD);
    fetcher *f = fetcher_create(&options);
    for (unsigned n = 1; n <= FETCHES; n++) {
      expect(fetch_one(f, "https", "localhost", s.port, false), FETCH_OK, NULL);
      assert_int_equal(s.counts->connections, rows[i].is_kept ? 1 : n);
      assert_int_equal(s.counts->requests, n);
      usleep(LATER_MS * 1000);
    }
    fetcher_free(f);
    trust_free(options.trust);
    tls_stop(&s);
  }
}

/* ---- servers that are none -------------------------------------------------------------------------------- */

CASE(a_server_that_speaks_http)
{
  tls_server s = {0};
  tls_start(&s, TLS_PLAIN);
  expect(fetch_alone(ca, "https", "localhost", s.port), FETCH_TLS,
         "does not speak TLS on this port; does http:// work?");
  tls_stop(&s);
}

CASE(a_handshake_that_never_ends)
{
  char message[TRUST_MESSAGE];
  fetch_options options = usual;
  tls_server s = {0};
  options.timeout_ms = 300;
  options.trust = trust_create(ca, message);
  tls_start(&s, TLS_SILENT);
  fetcher *f = fetcher_create(&options);
  expect(fetch_one(f, "https", "localhost", s.port, false), FETCH_TIMEOUT, "the TLS handshake did not end in time");
  fetcher_free(f);
  trust_free(options.trust);
  tls_stop(&s);
}

static void refuse(int fd, const char *target)
{
  (void)target;
  raw_send_string(fd, "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

CASE(a_proxy_that_does_not_connect)
{
  unsigned port;
  char message[TRUST_MESSAGE], proxy[64];
  pid_t server = raw_start(refuse, &port);
  snprintf(proxy, sizeof proxy, "http://127.0.0.1:%u", port);
  fetch_options options = usual;
  options.proxy = proxy;
  options.trust = trust_create(ca, message);
  fetcher *f = fetcher_create(&options);
  expect(fetch_one(f, "https", "localhost", 443, false), FETCH_CONNECT,
         "the proxy does not connect to it: it answered 403");
  fetcher_free(f);
  trust_free(options.trust);
  process_kill(server);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

/* As SSL_CERT_DIR wants them: named by the hash of whose they are. */
static void make_hashed(void)
{
  char command[5 * SCRATCH_PATH];
  snprintf(command, sizeof command, "mkdir %s/hashed && cp %s %s/hashed/ && openssl rehash %s/hashed", scratch, ca,
           scratch, scratch);
  assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
  (void)state;
  scratch_make(scratch);
  snprintf(ca, sizeof ca, "%s/ca.pem", scratch);
  snprintf(other_ca, sizeof other_ca, "%s/other.pem", scratch);
  assert_true(tls_authority(other_ca));
  assert_true(tls_authority(ca));
  make_hashed();
  return 0;
}

static int end(void **state)
{
  (void)state;
  scratch_remove(scratch);
  return 0;
}

static int prepare(void **state)
{
  unsetenv("SSL_CERT_FILE");
  unsetenv("SSL_CERT_DIR");
  return begin(state);
}

EACH_CASE(prepare, end)
