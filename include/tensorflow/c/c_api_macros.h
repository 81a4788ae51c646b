/* What every header of TensorFlow's C API needs: visibility and small types. */
#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#if defined(_WIN32)
#define TF_CAPI_EXPORT __declspec(dllimport)
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

/* A boolean in the ABI; TF_BOOL is the element type of tensors. */
#ifndef TF_Bool
#define TF_Bool unsigned char
#endif

/* Size of a struct up to and with MEMBER: how callers say which version of a struct they know. */
#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE *)0)->MEMBER))
#endif

#endif /* TENSORFLOW_C_C_API_MACROS_H_ */
