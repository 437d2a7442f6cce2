/* What makes the tables of a report sortable, by a click on a heading, and gives those of more than five rows a filter.
 * Without scripts they stay as they are. */
#ifndef STRATA_CRAWLER_REPORT_SCRIPT_H
#define STRATA_CRAWLER_REPORT_SCRIPT_H

extern const char report_script[];

/* Its SHA-256 in base64, which the policy of the page names; as html_head's style_hash. */
#define REPORT_SCRIPT_HASH "lRzcA2za8pZEbsXd3TVs+qIRV4R8nX6XuTq0AQ0Z5IQ="

#endif
