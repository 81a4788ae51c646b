// Paths as text: nothing here touches a file system. New strings belong to the
// caller. Thread-safe.
#ifndef SLI_IO_PATH_H_
#define SLI_IO_PATH_H_

#include <stdbool.h>

#include "base/string.h"

// "a/b" of "a/b/c", "" of "c", "/" of "/c".
char *sli_path_directory(const char *path);
// |name| when it is absolute, else |directory|/|name|; an empty directory is left out.
char *sli_path_join(const char *directory, const char *name);
// Starts with '/' or has a scheme.
bool sli_path_is_absolute(const char *path);
// The part behind the last '/', inside |path|.
const char *sli_path_base(const char *path);

// Splits "scheme://rest"; without a scheme |*out_scheme| is empty and |*out_rest| all of |path|.
void sli_path_split_scheme(const char *path, sli_view_t *out_scheme, const char **out_rest);

#endif  // SLI_IO_PATH_H_
