/* A stranger's C program on the filter library alone: a key is new once. */
#include <mlbf/filter.h>

#include <stdio.h>

int main(void)
{
  static const mlbf_span segments[] = {{"http://example.org", 18}, {"/a", 2}, {"/b", 2}};
  mlbf_options options = MLBF_OPTIONS_DEFAULT;
  mlbf_filter *filter;
  const mlbf_key key = {segments, 3};
  mlbf_verdict first, second;
  options.keys = 1000;

  mlbf_status status = mlbf_create(&options, &filter);
  if (status != MLBF_OK) {
    fprintf(stderr, "%s\n", mlbf_status_text(status));
    return 1;
  }
  int inserted = mlbf_insert(filter, &key, 1, &first) == MLBF_OK && mlbf_insert(filter, &key, 1, &second) == MLBF_OK;
  mlbf_free(filter);
  printf("new: %d, then seen: %d\n", first.outcome != MLBF_SEEN, second.outcome == MLBF_SEEN);
  return !(inserted && first.outcome != MLBF_SEEN && second.outcome == MLBF_SEEN);
}
