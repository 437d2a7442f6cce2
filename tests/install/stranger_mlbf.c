/* A stranger's C program on the filter library alone. */
#include <mlbf/filter.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
  printf("%s: %s\n", mlbf_kind_name(MLBF_KIND_MLBF), mlbf_status_text(MLBF_FULL));
  return strcmp(mlbf_kind_name(MLBF_KIND_MLBF), "mlbf") != 0;
}
