/* What a fast path or the direct one makes of a link, the slow path makes of it too, byte for byte: "base LF href". */
#include "frontier/url/url_parts.h"
#include "tests/fuzz/url_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const url *fast, const url *slow)
{
  CHECK(strcmp(fast->fetch, slow->fetch) == 0 && strcmp(fast->key, slow->key) == 0);
  CHECK(fast->fetch_size == slow->fetch_size && fast->key_size == slow->key_size);
  CHECK(fast->host_begin == slow->host_begin && fast->path_begin == slow->path_begin);
  CHECK(fast->segment_count == slow->segment_count);
  for (uint32_t i = 0; i <= fast->segment_count; i++)
    CHECK(fast->segment_begin[i] == slow->segment_begin[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static url fast, any, direct, slow;
  static url_reference reference;
  pair input = split_pair(data, size);
  url_base *created = url_base_create(), *base = created;
  CHECK(created);
  if (url_base_set(created, input.base, input.base_size) != URL_OK)
    base = NULL;
  bool is_plain = url_fast_resolve(base, input.href, input.href_size, &fast);
  CHECK(url_fast_any(base, input.href, input.href_size, &any) == is_plain);
  const char *at = base ? base->parsed.fetch : NULL;
  bool is_read = url_reference_read(input.href, input.href_size, at, URL_STRICT, &reference) == URL_OK;
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
  url_base_free(created);
  return 0;
}
