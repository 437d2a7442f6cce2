#include "datasets/replay/cut.h"

enum { HOST_BEGIN = 2 }; /* behind "//" */

size_t cut_key(key_cut how, const char *key, size_t size, mlbf_span segments[MLBF_LAYERS_MAX])
{
  char delimiter = '/';
  size_t count = 0, begin = 0;
  for (size_t i = HOST_BEGIN; i < size && count < MLBF_LAYERS_MAX - 1; i++) {
    bool is_query = key[i] == '?' && delimiter == '/' && how == CUT_LAYERS;
    if (key[i] == delimiter || is_query) {
      segments[count++] = (mlbf_span){key + begin, i - begin};
      begin = i;
    }
    if (is_query)
      delimiter = '&';
  }
  segments[count++] = (mlbf_span){key + begin, size - begin};
  return count;
}
