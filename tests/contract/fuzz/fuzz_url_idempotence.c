/* key(key(x)) = key(x), and the key of a fetch URL is the key of its href, under any profile (the first two
 * bytes, then "base LF href"). */
#include "tests/contract/fuzz/url_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static url first, second;
  if (size < 2)
    return 0;
  url_profile profile = (data[0] | (url_profile)data[1] << 8) & URL_EVERY_RULE;
  pair input = split_pair(data + 2, size - 2);
  url_base *base = url_base_create();
  CHECK(base);
  bool has_base = url_base_set(base, input.base, input.base_size) == URL_OK;
  if (url_resolve(has_base ? base : NULL, input.href, input.href_size, profile, &first) == URL_OK) {
    CHECK(url_parse(first.key, first.key_size, profile, &second) == URL_OK);
    CHECK(strcmp(first.key, second.key) == 0);
    CHECK(url_parse(first.fetch, first.fetch_size, profile, &second) == URL_OK);
    CHECK(strcmp(first.key, second.key) == 0 && strcmp(first.fetch, second.fetch) == 0);
  }
  url_base_free(base);
  return 0;
}
