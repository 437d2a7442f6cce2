// A stranger's C++ program on the frontier library: a URL in three spellings is queued once and leased once.
#include <frontier/text.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

// Names that the library has inside: nobody's business but its own.
extern "C" {
int store_open = 1;
int seen_free = 2;
void entry_create() {}
void commit_batch() {}
}

int main()
{
  frontier_options options{};
  options.filter = MLBF_KIND_MLBF;
  options.expected_urls = 1000;
  options.rate = 1e-6;
  options.per_host = 1;
  options.depth_cap = 10;

  frontier *queue;
  char message[FRONTIER_MESSAGE_SIZE];
  if (frontier_open(nullptr, &options, &queue, message) != FRONTIER_OK) {
    std::fprintf(stderr, "%s\n", message);
    return 1;
  }
  unsigned fresh = 0;
  std::unique_ptr<url> parsed(new url); // 50 KiB, no guest for a stack
  const char *const spellings[] = {"http://example.org/a", "HTTP://EXAMPLE.ORG:80/./a"};
  for (const char *text : spellings) {
    frontier_verdict verdict;
    if (url_parse(text, std::strlen(text), URL_STRICT, parsed.get()) != URL_OK ||
        frontier_add(queue, parsed.get(), frontier_origin{}, 0, &verdict) != FRONTIER_OK)
      return 1;
    fresh += verdict.outcome != FRONTIER_SEEN;
  }
  frontier_text again{}; // a third spelling, as a text
  again.href = "//example.org/b/../a";
  again.href_size = std::strlen(again.href);
  frontier_text_rules rules{};
  std::unique_ptr<url_base, void (*)(url_base *)> page(url_base_create(), url_base_free);
  rules.base = page.get();
  frontier_answer answer;
  std::size_t settled = 0;
  if (url_base_set(page.get(), spellings[0], std::strlen(spellings[0])) != URL_OK ||
      frontier_add_texts(queue, &rules, &again, 1, 0, &answer, &settled) != FRONTIER_OK || settled != 1 ||
      answer.url != URL_OK || answer.verdict.outcome != FRONTIER_SEEN)
    return 1;

  frontier_lease leases[2];
  std::size_t count = 0;
  std::int64_t wait_ms;
  if (frontier_next(queue, 0, leases, 2, &count, &wait_ms) != FRONTIER_OK || count != 1 ||
      frontier_done(queue, leases[0].id, FRONTIER_DONE, 200, "", 0, 0) != FRONTIER_OK)
    return 1;
  bool finished = frontier_is_finished(queue);
  std::printf("new: %u, leased: %zu, finished: %d\n", fresh, count, finished);
  return frontier_close(queue) != FRONTIER_OK || fresh != 1 || !finished;
}
