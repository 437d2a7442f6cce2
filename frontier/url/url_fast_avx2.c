/* The fast path compiled for processors with AVX2. */
#define URL_FAST_PATH url_fast_avx2
#include "frontier/url/url_fast_path.h"
