/* The two checks of an address, each alone. Before a connection is made its address is judged, and before each request
 * that of the connection it goes out on, which may have been there already. The linker puts a liar in the place of one
 * of them (--wrap); the other must refuse. */
#include "crawler/http/fetch.h"
#include "crawler/http/ssrf_guard.h"
#include "tests/site/process.h"
#include "tests/site/raw.h"
#include "tests/site/grown_text.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <sys/mman.h>

static bool connect_check_lies, request_check_lies;
static unsigned asked_to_connect, asked_to_request;

// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
bool __real_ssrf_address_is_public(const struct sockaddr *address);
bool __wrap_ssrf_address_is_public(const struct sockaddr *address);
bool __real_ssrf_text_is_public(const char *address);
bool __wrap_ssrf_text_is_public(const char *address);

bool __wrap_ssrf_address_is_public(const struct sockaddr *address)
{
  asked_to_connect++;
  return connect_check_lies || __real_ssrf_address_is_public(address);
}

bool __wrap_ssrf_text_is_public(const char *address)
{
  asked_to_request++;
  return request_check_lies || __real_ssrf_text_is_public(address);
}
// NOLINTEND(bugprone-reserved-identifier)

static atomic_uint *requests; /* shared with the server */

static void answer(int fd, const char *target)
{
  (void)target;
  atomic_fetch_add(requests, 1);
  raw_send_string(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nprivate");
}

static void take_body(void *context, const fetch_response *response, const char *bytes, size_t size)
{
  (void)response;
  text_add_bytes(context, bytes, size);
}

typedef struct landing {
  text body;
  bool has_ended;
  fetch_error error;
} landing;

static void finish(void *context, const fetch_response *response)
{
  landing *l = context;
  l->error = response->error;
  l->has_ended = true;
}

/* How a fetch from 127.0.0.1 ends, and how many requests the server saw by then. */
static fetch_error fetch(unsigned port, unsigned *seen)
{
  const fetch_options options = {.user_agent = "test", .connections = 1, .timeout_ms = 10000, .max_body = 100};
  fetcher *f = fetcher_create(&options);
  landing l = {.has_ended = false};
  text url = {0};
  assert_non_null(f);
  text_addf(&url, "http://127.0.0.1:%u/", port);
  assert_true(fetch_start(f, url.bytes, (fetch_receiver){.body = take_body, .finished = finish, .context = &l}));
  while (!l.has_ended)
    fetch_poll(f, 100);
  fetcher_free(f);
  *seen = atomic_exchange(requests, 0);
  assert_int_equal(l.body.size > 0, l.error == FETCH_OK);
  text_free(&l.body);
  text_free(&url);
  return l.error;
}

CASE(each_alone)
{
  static const struct {
    bool connect_lies, request_lies;
    fetch_error error;
    unsigned connects_asked, requests_asked;
  } rows[] = {
    {true, true, FETCH_OK, 1, 1}, /* nobody refuses: the server is there, and answers */
    {true, false, FETCH_PRIVATE, 1, 1},
    {false, true, FETCH_PRIVATE, 1, 0},
    {false, false, FETCH_PRIVATE, 1, 0},
  };
  unsigned port, seen;
  requests = mmap(NULL, sizeof *requests, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(requests != MAP_FAILED);
  pid_t server = raw_start(answer, &port);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    connect_check_lies = rows[i].connect_lies;
    request_check_lies = rows[i].request_lies;
    asked_to_connect = asked_to_request = 0;
    assert_int_equal(fetch(port, &seen), rows[i].error);
    assert_int_equal(seen, rows[i].error == FETCH_OK);
    assert_int_equal(asked_to_connect, rows[i].connects_asked);
    assert_int_equal(asked_to_request, rows[i].requests_asked);
  }
  process_kill(server);
  munmap(requests, sizeof *requests);
}
