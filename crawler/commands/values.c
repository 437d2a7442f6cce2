/* See values.h. */
#include "crawler/commands/values.h"

#include "crawler/base/message.h"
#include "mlbf/secret.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool value_refuse(const char *command, const char *option, const char *value, const char *wanted)
{
  say_error(command, "--%s \"%s\": %s", option, value, wanted);
  return false;
}

bool value_number_read(const char *text, uint64_t low, uint64_t high, bool units, uint64_t *value)
{
  char *end;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  bool is_bad = errno != 0 || end == text || strspn(text, "0123456789") != (size_t)(end - text);
  if (units && *end) {
    static const char letters[] = "KMG";
    const char *unit = strchr(letters, *end >= 'a' ? *end - 'a' + 'A' : *end);
    int shift = unit ? 10 * (int)(unit - letters + 1) : 0;
    is_bad |= !unit || number > UINT64_MAX >> shift;
    number <<= is_bad ? 0 : shift;
    end++;
  }
  if (is_bad || *end || number < low || number > high)
    return false;
  *value = number;
  return true;
}

bool value_number(const char *command, const char *option, const char *text, uint64_t low, uint64_t high, bool units,
                  uint64_t *value)
{
  if (value_number_read(text, low, high, units, value))
    return true;
  say_error(command, "--%s \"%s\": not a whole number from %llu to %llu", option, text, (unsigned long long)low,
            (unsigned long long)high);
  return false;
}

bool value_milliseconds(const char *command, const char *option, const char *text, double low, uint64_t *ms)
{
  char *end;
  double seconds = strtod(text, &end);
  if (end == text || *end || !isfinite(seconds) || seconds < low || seconds > 1e9)
    return value_refuse(command, option, text,
                        low > 0 ? "not a number of seconds above 0" : "not a number of seconds from 0 on");
  *ms = (uint64_t)(seconds * 1000 + 0.5);
  return true;
}

bool value_duration(const char *command, const char *option, const char *text, uint64_t *ms)
{
  static const char units[] = "smhdw";
  static const uint64_t seconds[] = {1, 60, 3600, 86400, 604800};
  const uint64_t most = UINT64_C(100) * 366 * 86400;
  size_t digits = strspn(text, "0123456789");
  const char *unit = digits > 0 && text[digits] && !text[digits + 1] ? strchr(units, text[digits]) : NULL;
  errno = 0;
  unsigned long long number = strtoull(text, NULL, 10);
  if (!unit || errno != 0 || number == 0 || number > most / seconds[unit - units])
    return value_refuse(command, option, text, "not a duration such as 90s, 30m, 1h, 7d or 2w");
  *ms = number * seconds[unit - units] * 1000;
  return true;
}

bool value_kind_read(const char *text, mlbf_kind *kind)
{
  bool is_one = strcmp(text, "mlbf") == 0 || strcmp(text, "bloom") == 0 || strcmp(text, "line") == 0;
  return is_one && mlbf_kind_from_name(text, kind);
}

bool value_secret(const char *command, const char *option, const char *path, uint8_t secret[MLBF_SECRET_BYTES])
{
  mlbf_status status = mlbf_secret_read(path, secret);
  return status == MLBF_OK ||
         value_refuse(command, option, path,
                      status == MLBF_IO ? strerror(errno)
                                        : "the file holds neither 32 bytes nor 64 hexadecimal digits");
}

bool value_rate(const char *command, const char *option, const char *text, double *rate)
{
  char *end;
  double value = strtod(text, &end);
  if (end == text || *end || !(value >= 1e-12 && value <= 0.5))
    return value_refuse(command, option, text, "not a rate from 1e-12 to 0.5");
  *rate = value;
  return true;
}
