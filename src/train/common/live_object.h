// A list of the objects that a program creates once and need not release (scopes,
// servers, sessions). Listed objects stay reachable, so that leak checkers do not
// report them. Thread-safe.
#ifndef SLI_TRAIN_COMMON_LIVE_OBJECT_H_
#define SLI_TRAIN_COMMON_LIVE_OBJECT_H_

#include <stdbool.h>

void sli_live_object_add(void *object);
// When |object| is released.
void sli_live_object_remove(void *object);
// Whether |object|, which may have been released, is listed.
bool sli_live_object_is_listed(const void *object);

#endif  // SLI_TRAIN_COMMON_LIVE_OBJECT_H_
