/* Any bytes as an absolute URL, under any profile (the first two bytes): a refusal, or a sound URL. */
#include "tests/contract/fuzz/url_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static url out;
  if (size < 2)
    return 0;
  url_profile profile = (data[0] | (url_profile)data[1] << 8) & URL_EVERY_RULE;
  url_status status = url_parse((const char *)data + 2, size - 2, profile, &out);
  CHECK((unsigned)status < URL_STATUS_COUNT);
  if (status == URL_OK)
    check_url(&out, profile);
  return 0;
}
