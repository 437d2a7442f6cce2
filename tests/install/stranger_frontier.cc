// A stranger's C++ program on the frontier library.
#include <frontier/url.h>

#include <cstdio>
#include <cstring>

int main()
{
  std::printf("%s\n", url_status_name(URL_OK));
  return std::strcmp(url_status_name(URL_OK), "ok");
}
