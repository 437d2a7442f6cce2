/* JSON as we write it: one growing buffer, one function that escapes.
 *
 *     json_begin(&j); json_put_string(&j, "url", url); json_put_number(&j, "status", 200); json_end(&j);
 *     -> {"url":"http://...","status":200}
 *
 * Out of memory is remembered, not reported per call: `failed` is set and the text is not to be used. */
#ifndef STRATA_CRAWLER_JSON_H
#define STRATA_CRAWLER_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct json {
  char *text; /* not NUL-terminated */
  size_t size, room;
  bool failed;
} json;

void json_free(json *j);
void json_clear(json *j); /* empty, keeps its memory */

void json_begin(json *j); /* { of the outermost object, or of one in an array */
void json_begin_object(json *j, const char *name);
void json_end(json *j); /* } */
void json_begin_array(json *j, const char *name);
void json_add_string(json *j, const char *value); /* to an array */
void json_end_array(json *j);
/* Bytes that are not UTF-8 become U+FFFD; what utf8_is_control says is escaped: so a line is one line, and the text is
 * harmless on a terminal. */
void json_put_string(json *j, const char *name, const char *value);
void json_put_number(json *j, const char *name, uint64_t value);
/* 0 to 10^9, or the nearest; 1 to 9 decimals */
void json_put_real(json *j, const char *name, double value, int decimals);
void json_put_rate(json *j, const char *name, double value); /* shortest form that reads back, such as 1e-06 */
void json_put_bool(json *j, const char *name, bool value);
void json_put_raw(json *j, const char *text); /* as it is, between objects; ends with a blank or a line feed */

#endif
