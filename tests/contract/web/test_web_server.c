/* web_server as libcurl meets it: latencies and endings are what the web says, certificates are good where they should
 * be, by HTTP/1.1, HTTP/2 and as a proxy. */
#include "tests/support/test.h"
#include "tests/contract/web/box.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

typedef enum way { BY_PROXY, BY_HTTP1, BY_HTTP2 } way;

typedef struct answer {
  CURLcode code;
  long status, version;
  double seconds;
  text body;
} answer;

static size_t take(char *bytes, size_t one, size_t size, void *context)
{
  text_add_bytes(context, bytes, one * size);
  return size;
}

/* Every name leads to the server, but for a proxy's client, who asks no further. */
static void aim(CURL *easy, const box *b, const char *url, way how, struct curl_slist **rules)
{
  char rule[64];
  *rules = NULL;
  if (how == BY_PROXY) {
    curl_easy_setopt(easy, CURLOPT_PROXY, b->proxy);
    return;
  }
  snprintf(rule, sizeof rule, "::127.0.0.1:%d", strncmp(url, "https", 5) == 0 ? b->https : b->http);
  *rules = curl_slist_append(NULL, rule);
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, *rules);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   how == BY_HTTP1 ? (long)CURL_HTTP_VERSION_1_1 : (long)CURL_HTTP_VERSION_2TLS);
}

static answer get(const box *b, const char *url, way how)
{
  answer got = {0};
  struct curl_slist *rules;
  CURL *easy = curl_easy_init();
  assert_non_null(easy);
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_CAINFO, b->authority);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 3000L);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &got.body);
  aim(easy, b, url, how, &rules);
  got.code = curl_easy_perform(easy);
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &got.status);
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &got.version);
  curl_easy_getinfo(easy, CURLINFO_TOTAL_TIME, &got.seconds);
  curl_easy_cleanup(easy);
  curl_slist_free_all(rules);
  return got;
}

static web_reply expect(const box *b, const char *url)
{
  web_reply reply = {0};
  bool is_https = strncmp(url, "https", 5) == 0;
  const char *host = url + (is_https ? 8 : 7), *target = strchr(host, '/');
  web_answer(b->w,
             &(web_request){.is_https = is_https,
                            .host = host,
                            .host_size = (size_t)(target - host),
                            .target = target,
                            .target_size = strlen(target)},
             &reply);
  return reply;
}

/* Word for word what web_answer says, by each way, and no sooner. */
CASE(pages_arrive)
{
  static const long versions[] = {
    [BY_HTTP1] = CURL_HTTP_VERSION_1_1, [BY_HTTP2] = CURL_HTTP_VERSION_2_0, [BY_PROXY] = CURL_HTTP_VERSION_2_0};
  box *b = box_open("seed=6,hosts=8,pages=4,https=0.5,failing=0.2,latency=30-60");
  for (uint32_t host = 0; host < 8; host++)
    for (uint32_t page = 0; page < 4; page++)
      for (way how = BY_PROXY; how <= BY_HTTP2; how++) {
        text url = {0};
        web_url(b->w, host, page, &url);
        web_reply reply = expect(b, url.bytes);
        answer got = get(b, url.bytes, how);
        assert_int_equal(got.code, CURLE_OK);
        assert_int_equal(got.status, reply.status);
        assert_int_equal(got.body.size, reply.body.size);
        assert_memory_equal(got.body.bytes, reply.body.bytes, reply.body.size);
        assert_true(got.seconds * 1000 + 2 >= reply.latency_ms);
        assert_int_equal(got.version, web_host_is_https(b->w, host) ? versions[how] : CURL_HTTP_VERSION_1_1);
        web_reply_free(&reply);
        text_free(&got.body);
        text_free(&url);
      }
  box_close(b);
}

static CURLcode code_of(const box *b, uint32_t host, way how)
{
  text url = {0};
  web_url(b->w, host, 0, &url);
  answer got = get(b, url.bytes, how);
  text_free(&got.body);
  text_free(&url);
  return got.code;
}

/* What a client sees of a host with this share, which host 1 has. */
CASE(hosts_that_are_not_there)
{
  static const struct {
    const char *line;
    CURLcode by_http1;
  } rows[] = {
    {"hosts=2,refused=1", CURLE_RECV_ERROR},
    {"hosts=2,silent=1", CURLE_OPERATION_TIMEDOUT},
    {"hosts=2,distrusted=1", CURLE_PEER_FAILED_VERIFICATION},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    box *b = box_open(rows[i].line);
    assert_int_equal(code_of(b, 0, BY_HTTP1), CURLE_OK);
    assert_int_equal(code_of(b, 1, BY_HTTP1), rows[i].by_http1);
    box_close(b);
  }
  box *b = box_open("hosts=2,nameless=1");
  answer got = get(b, "http://site1.test/", BY_PROXY);
  assert_int_equal(got.status, 502);
  text_free(&got.body);
  box_close(b);
}

/* In bad times resets and cuts, in good ones 200, over either version. Of a stream that was cut, libcurl may give back
 * less than it got. */
CASE(pages_that_are_flaky)
{
  box *b = box_open("seed=1,hosts=1,pages=40,flaky=1,period=600,https=1");
  unsigned resets = 0, cuts = 0, later = 0, good = 0;
  for (uint32_t page = 1; page < 40; page++)
    for (way how = BY_HTTP1; how <= BY_HTTP2; how++) {
      text url = {0};
      web_url(b->w, 0, page, &url);
      web_reply reply = expect(b, url.bytes);
      answer got = get(b, url.bytes, how);
      resets += reply.ending == WEB_RESET && got.code != CURLE_OK && !got.body.size;
      bool is_cut = how == BY_HTTP1 ? got.body.size == reply.sent : got.body.size <= reply.sent;
      cuts += reply.ending == WEB_CUT && got.code != CURLE_OK && is_cut;
      later += reply.ending == WEB_WHOLE && reply.status != 200 && got.status == reply.status;
      good += reply.status == 200 && reply.ending == WEB_WHOLE && got.code == CURLE_OK;
      web_reply_free(&reply);
      text_free(&got.body);
      text_free(&url);
    }
  assert_int_equal(resets + cuts + later + good, 78);
  assert_true(resets > 2 && cuts > 2 && later > 2 && good > 20);
  box_close(b);
}

static int prepare(void **state)
{
  (void)state;
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return 0;
}

EACH_CASE(prepare, NULL)
