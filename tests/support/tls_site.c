#include "tests/support/tls_site.h"

#include <stdio.h>

small tls_site;
char tls_ca[SCRATCH_PATH];
static char scratch[SCRATCH_PATH];

int tls_group_begin(void **state)
{
  (void)state;
  scratch_make(scratch);
  scratch_join(scratch, "ca.pem", tls_ca);
  return tls_authority(tls_ca) ? 0 : -1;
}

int tls_group_end(void **state)
{
  (void)state;
  scratch_remove(scratch);
  return 0;
}

int tls_site_begin(void **state)
{
  static const small_page pages[] = {{"/", SMALL_LEAF}, {NULL, NULL}};
  (void)state;
  tls_site = small_open(pages);
  return 0;
}

int tls_site_end(void **state)
{
  (void)state;
  small_close(&tls_site);
  return 0;
}
