// Marks the symbols that the library exports, in C and C++.
#ifndef SLUICE_EXPORT_H_
#define SLUICE_EXPORT_H_

// All headers have this line: a macro with options by name may be called without any, which before C23 -Wpedantic
// accepts only of macros of system headers. Clang needs -Wno-gnu-zero-variadic-macro-arguments instead.
#pragma GCC system_header

#define SL_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
#define SL_BEGIN_DECLS extern "C" {
#define SL_END_DECLS }
#else
#define SL_BEGIN_DECLS
#define SL_END_DECLS
#endif

#endif  // SLUICE_EXPORT_H_
