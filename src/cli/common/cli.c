#include "cli/common/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"

int sli_cli_fail(int exit_code, const char *format, ...) {
  sli_string_t line = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_text(&line, "sluice: ");
  sli_string_append_format_v(&line, format, args);
  va_end(args);
  fprintf(stderr, "%s\n", line.data);
  sli_string_deinitialize(&line);
  return exit_code;
}

int sli_cli_check_target(const char *target) {
  const char *address = sli_string_starts_with(target, "grpc://") ? target + strlen("grpc://") : target;
  const char *colon = strrchr(address, ':');
  int64_t port;
  bool is_bare_ip6 = colon && address[0] != '[' && memchr(address, ':', (size_t)(colon - address));
  if (colon && colon > address && !is_bare_ip6 && sli_view_to_int64(sli_view(colon + 1), &port) && port > 0 &&
      port <= UINT16_MAX)
    return SLI_CLI_OK;
  return sli_cli_fail(SLI_CLI_USAGE, "TARGET must be HOST:PORT or grpc://HOST:PORT, got '%s'", target);
}

bool sli_cli_colours(int descriptor) {
  const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
  return isatty(descriptor) && !(no_color && no_color[0]) && !(terminal && !strcmp(terminal, "dumb"));
}

sli_cli_tls_t sli_cli_tls;

static void set_variable(const char *name, const char *value) {
  if (value) setenv(name, value, 1);
}

void sli_cli_use_tls(void) {
  set_variable("SLUICE_TLS_CERT", sli_cli_tls.cert);
  set_variable("SLUICE_TLS_KEY", sli_cli_tls.key);
  set_variable("SLUICE_TLS_CA", sli_cli_tls.ca);
}
