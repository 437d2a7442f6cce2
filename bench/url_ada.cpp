// The WHATWG parser ada as bench_url's opponent: parse against a parsed base, give the href.
#include <ada.h>

extern "C" {

void *ada_bench_base(const char *text, size_t size)
{
  auto base = ada::parse<ada::url_aggregator>(std::string_view(text, size));
  return base ? new ada::url_aggregator(std::move(*base)) : nullptr;
}

void ada_bench_free(void *base)
{
  delete static_cast<ada::url_aggregator *>(base);
}

// Bytes of the href without fragment, 0 when refused; `*check` makes sure it was made.
size_t ada_bench_resolve(const void *base, const char *href, size_t size, unsigned *check)
{
  const auto *parsed = static_cast<const ada::url_aggregator *>(base);
  auto url = ada::parse<ada::url_aggregator>(std::string_view(href, size), parsed);
  if (!url)
    return 0;
  std::string_view text = url->get_href();
  *check += static_cast<unsigned char>(text[text.size() - 1]);
  uint32_t hash = url->get_components().hash_start;
  return hash == ada::url_components::omitted ? text.size() : hash;
}

}
