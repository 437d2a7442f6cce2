/* See fetch_error.h. */
#include "crawler/http/fetch_error.h"

#include <curl/curl.h>

const char *fetch_error_name(fetch_error error)
{
  static const char *const names[FETCH_ERRORS] = {"ok",      "name",   "connect",  "private", "tls",
                                                  "timeout", "broken", "encoding", "other",   "limit"};
  return (unsigned)error < FETCH_ERRORS ? names[error] : "other";
}

fetch_error fetch_error_of(int code)
{
  switch (code) {
  case CURLE_OK: return FETCH_OK;
  case CURLE_COULDNT_RESOLVE_HOST: return FETCH_NAME;
  case CURLE_COULDNT_CONNECT: return FETCH_CONNECT;
  case CURLE_OPERATION_TIMEDOUT: return FETCH_TIMEOUT;
  case CURLE_SSL_CONNECT_ERROR:
  case CURLE_PEER_FAILED_VERIFICATION:
  case CURLE_SSL_CERTPROBLEM:
  case CURLE_SSL_CACERT_BADFILE: return FETCH_TLS;
  case CURLE_GOT_NOTHING:
  case CURLE_RECV_ERROR:
  case CURLE_SEND_ERROR:
  case CURLE_PARTIAL_FILE:
  case CURLE_HTTP2:
  case CURLE_HTTP2_STREAM:
  case CURLE_WEIRD_SERVER_REPLY:
  case CURLE_BAD_FUNCTION_ARGUMENT: /* of a line that libcurl's list of header fields does not take */
  case CURLE_UNSUPPORTED_PROTOCOL: return FETCH_BROKEN;
  case CURLE_BAD_CONTENT_ENCODING: return FETCH_ENCODING;
  default: return FETCH_OTHER;
  }
}
