// Operations on the text of paths; nothing here accesses a file system. The caller owns returned `char *` strings.
// Thread-safe.
#ifndef SLI_IO_FILE_PATH_H_
#define SLI_IO_FILE_PATH_H_

#include <stdbool.h>

#include "base/string.h"

// The directory part: "a/b" for "a/b/c", "" for "c", "/" for "/c".
char *sli_path_directory(const char *path);
// |name| if it is absolute or |directory| is empty, else |directory|/|name|.
char *sli_path_join(const char *directory, const char *name);
// Whether |path| starts with '/' or has a scheme.
bool sli_path_is_absolute(const char *path);
// The part after the last '/'; points into |path|.
const char *sli_path_base(const char *path);

// Splits "scheme://rest". Without a scheme |*out_scheme| is empty and |*out_rest| is |path|.
void sli_path_split_scheme(const char *path, sli_view_t *out_scheme, const char **out_rest);

#endif  // SLI_IO_FILE_PATH_H_
