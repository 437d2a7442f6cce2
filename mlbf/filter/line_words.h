/* mlbf/filter/line_words.h: the primitives of line_path.h, for paths that go through a line word by word. Such a file
 * defines, for one set of lanes, and then includes this one once:
 *
 *   static bool lanes_test(const uint64_t *line, uint64_t number, unsigned lanes);
 *   static bool lanes_insert(uint64_t *line, uint64_t number, unsigned lanes); */
MLBF_LINE_INLINE bool line_test(const uint64_t *line, uint64_t number, unsigned hashes)
{
  if (hashes <= 8)
    return lanes_test(line, number, hashes);
  return lanes_test(line, number, 8) && lanes_test(line, mlbf_line_four_more(number), 4);
}

MLBF_LINE_INLINE bool line_insert(uint64_t *line, uint64_t number, unsigned hashes)
{
  if (hashes <= 8)
    return lanes_insert(line, number, hashes);
  bool eight_new = lanes_insert(line, number, 8), four_new = lanes_insert(line, mlbf_line_four_more(number), 4);
  return eight_new || four_new;
}

#include "mlbf/filter/line_path.h"
