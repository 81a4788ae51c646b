// Updaters in shared libraries (sluice/updater.h). A library is loaded once and stays. Thread-safe.
#ifndef SLI_OPS_EMBEDDING_UPDATER_LIBRARY_H_
#define SLI_OPS_EMBEDDING_UPDATER_LIBRARY_H_

#include "ops/embedding/updater.h"

// Fills in |out_updater| from the library |name|, "clipped.so", and its |parameters|. PERMISSION_DENIED unless the
// library is a file of the directory in SLUICE_UPDATERS; INVALID_ARGUMENT says what is wrong with it, or with the
// parameters; UNIMPLEMENTED for values that are no floats. Blocks.
sli_status_t *sli_updater_library_open(sli_view_t name, sli_view_t parameters, sli_dtype_t dtype,
                                       sli_updater_t *out_updater);

#endif  // SLI_OPS_EMBEDDING_UPDATER_LIBRARY_H_
