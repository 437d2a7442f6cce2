#include "tests/support/story.h"

char story_directory[SCRATCH_PATH];

int story_begin(void **state)
{
  (void)state;
  scratch_make_fast(story_directory);
  return 0;
}

int story_end(void **state)
{
  (void)state;
  scratch_remove(story_directory);
  return 0;
}
