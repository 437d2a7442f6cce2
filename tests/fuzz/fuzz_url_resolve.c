/* Any bytes as "base LF href": a refusal or a sound URL, the same when resolved twice, and the same page when
 * what it says to fetch is read again. */
#include "tests/fuzz/url_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static url first, second;
  pair input = split_pair(data, size);
  url_base *base = url_base_create();
  CHECK(base);
  bool has_base = url_base_set(base, input.base, input.base_size) == URL_OK;
  url_status status = url_resolve(has_base ? base : NULL, input.href, input.href_size, URL_STRICT, &first);
  if (status == URL_OK) {
    check_url(&first, URL_STRICT);
    CHECK(url_resolve(base, input.href, input.href_size, URL_STRICT, &second) == URL_OK);
    CHECK(strcmp(first.fetch, second.fetch) == 0 && strcmp(first.key, second.key) == 0);
    CHECK(url_parse(first.fetch, first.fetch_size, URL_STRICT, &second) == URL_OK);
    CHECK(strcmp(first.fetch, second.fetch) == 0 && strcmp(first.key, second.key) == 0);
    CHECK(url_base_set(base, first.fetch, first.fetch_size) == URL_OK); /* and an empty link leads back to it */
    CHECK(url_resolve(base, "", 0, URL_STRICT, &second) == URL_OK && strcmp(first.fetch, second.fetch) == 0);
  }
  url_base_free(base);
  return 0;
}
