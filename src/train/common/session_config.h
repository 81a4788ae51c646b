// The options of a program as the ConfigProto of its sessions and servers.
#ifndef SLI_TRAIN_COMMON_SESSION_CONFIG_H_
#define SLI_TRAIN_COMMON_SESSION_CONFIG_H_

#include <stdbool.h>

#include "base/string.h"
#include "sluice/config.h"

// Appends the fields of |config| (NULL: none) to a ConfigProto. Returns whether they include device filters.
bool sli_session_config_append(const sl_config_t *config, sli_string_t *out);

#endif  // SLI_TRAIN_COMMON_SESSION_CONFIG_H_
