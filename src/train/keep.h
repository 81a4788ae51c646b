// Objects that a program makes once and need not release (scopes, servers):
// they stay reachable until they are released or the process ends. Thread-safe.
#ifndef SLI_TRAIN_KEEP_H_
#define SLI_TRAIN_KEEP_H_

void sli_keep(void *object);
void sli_keep_no_more(void *object);

#endif  // SLI_TRAIN_KEEP_H_
