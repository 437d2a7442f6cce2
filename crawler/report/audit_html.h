/* What an audit says, as sections of the report. */
#ifndef STRATA_CRAWLER_AUDIT_HTML_H
#define STRATA_CRAWLER_AUDIT_HTML_H

#include "crawler/report/audit_data.h"

#include <stdio.h>

/* Reads the broken links of `a`, once. */
void audit_html_put(FILE *to, audit_data *a);

#endif
