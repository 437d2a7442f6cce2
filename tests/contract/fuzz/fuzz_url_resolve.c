/* Any bytes as "base LF href": a refusal or a sound URL, the same when resolved twice, and the same page when
 * what it says to fetch is read again. What a fast path or the direct one makes of it, the slow path makes of it too,
 * byte for byte. */
#include "frontier/url/url_parts.h"
#include "tests/contract/fuzz/url_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_resolved(url_base *base, bool has_base, const pair *input)
{
  static url first, second;
  url_status status = url_resolve(has_base ? base : NULL, input->href, input->href_size, URL_STRICT, &first);
  if (status != URL_OK)
    return;
  check_url(&first, URL_STRICT);
  CHECK(url_resolve(base, input->href, input->href_size, URL_STRICT, &second) == URL_OK);
  CHECK(strcmp(first.fetch, second.fetch) == 0 && strcmp(first.key, second.key) == 0);
  CHECK(url_parse(first.fetch, first.fetch_size, URL_STRICT, &second) == URL_OK);
  CHECK(strcmp(first.fetch, second.fetch) == 0 && strcmp(first.key, second.key) == 0);
  CHECK(url_base_set(base, first.fetch, first.fetch_size) == URL_OK); /* and an empty link leads back to it */
  CHECK(url_resolve(base, "", 0, URL_STRICT, &second) == URL_OK && strcmp(first.fetch, second.fetch) == 0);
}

static void check_same(const url *fast, const url *slow)
{
  CHECK(strcmp(fast->fetch, slow->fetch) == 0 && strcmp(fast->key, slow->key) == 0);
  CHECK(fast->fetch_size == slow->fetch_size && fast->key_size == slow->key_size);
  CHECK(fast->host_begin == slow->host_begin && fast->path_begin == slow->path_begin);
  CHECK(fast->segment_count == slow->segment_count);
  for (uint32_t i = 0; i <= fast->segment_count; i++)
    CHECK(fast->segment_begin[i] == slow->segment_begin[i]);
}

static void check_paths(const url_base *base, const pair *input)
{
  static url fast, any, direct, slow;
  static url_reference reference;
  bool is_plain = url_fast_resolve(base, input->href, input->href_size, &fast);
  CHECK(url_fast_any(base, input->href, input->href_size, &any) == is_plain);
  const char *at = base ? base->parsed.fetch : NULL;
  bool is_read = url_reference_read(input->href, input->href_size, at, URL_STRICT, &reference) == URL_OK;
  CHECK(is_read || !is_plain);
  if (is_read && url_direct_resolve(base, &reference, &direct)) {
    CHECK(url_slow_resolve(base, &reference, &slow) == URL_OK);
    url_segments(URL_STRICT, &direct);
    url_segments(URL_STRICT, &slow);
    check_url(&direct, URL_STRICT);
    check_same(&direct, &slow);
  }
  if (is_plain) {
    CHECK(url_slow_resolve(base, &reference, &slow) == URL_OK);
    url_segments(URL_STRICT, &slow);
    check_url(&fast, URL_STRICT);
    check_same(&fast, &slow);
    check_same(&any, &slow);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  pair input = split_pair(data, size);
  url_base *base = url_base_create();
  CHECK(base);
  bool has_base = url_base_set(base, input.base, input.base_size) == URL_OK;
  check_paths(has_base ? base : NULL, &input);
  check_resolved(base, has_base, &input);
  url_base_free(base);
  return 0;
}
