/* A seen-test alone: keys in, verdicts out. */
#include "mlbf/filter.h"

#include <stdio.h>

int main(void)
{
  mlbf_options options = MLBF_OPTIONS_DEFAULT; /* a million keys, one new one in a million called seen */
  options.signals = true;
  mlbf_filter *filter;
  if (mlbf_create(&options, &filter) != MLBF_OK)
    return 1;
  static const char *const keys[][3] = {
    {"http://a.example", "/x", "/1"}, {"http://a.example", "/x", "/1"}, {"http://a.example", "/x", "/2"},
    {"http://a.example", "/y", "/1"}, {"http://a.example", "/y", "/2"}, {"http://b.example", "/x", "/1"},
  };
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    mlbf_span segments[3] = {{keys[i][0], 16}, {keys[i][1], 2}, {keys[i][2], 2}};
    mlbf_key key = {segments, 3};
    mlbf_verdict verdict;
    mlbf_insert(filter, &key, 1, &verdict);
    printf("%s%s%s: ", keys[i][0], keys[i][1], keys[i][2]);
    if (verdict.outcome == MLBF_SEEN)
      puts("seen");
    else if (verdict.outcome == MLBF_NEW_COMBINATION)
      puts("new, of known segments");
    else
      printf("new from segment %u on\n", (unsigned)verdict.layer);
  }
  mlbf_free(filter);
}
