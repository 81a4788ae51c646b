// Marks what the library shows to its users, in C and C++.
#ifndef SLUICE_EXPORT_H_
#define SLUICE_EXPORT_H_

#define SL_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
#define SL_BEGIN_DECLS extern "C" {
#define SL_END_DECLS }
#else
#define SL_BEGIN_DECLS
#define SL_END_DECLS
#endif

#endif  // SLUICE_EXPORT_H_
