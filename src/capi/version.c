// The library's version. Programs look for a dotted number at its start.
#include "tensorflow/c/c_api.h"

const char *TF_Version(void) { return SLUICE_VERSION "-sluice"; }
