// The library's version. Programs expect a dotted number at the start.
#include "tensorflow/c/c_api.h"

const char *TF_Version(void) { return SLUICE_VERSION "-sluice"; }
