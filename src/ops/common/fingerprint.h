// Hashes of bytes with the values that TensorFlow computes: they end up in models, as the bucket of a feature.
#ifndef SLI_OPS_COMMON_FINGERPRINT_H_
#define SLI_OPS_COMMON_FINGERPRINT_H_

#include <stdint.h>

#include "base/string.h"

// FarmHash's Fingerprint64.
uint64_t sli_fingerprint_of(sli_view_t bytes);
// The fingerprint of two fingerprints, TensorFlow's FingerprintCat64.
uint64_t sli_fingerprint_concat(uint64_t a, uint64_t b);
// SipHash-2-4 with a key of two numbers.
uint64_t sli_fingerprint_strong(sli_view_t bytes, uint64_t key0, uint64_t key1);

#endif  // SLI_OPS_COMMON_FINGERPRINT_H_
