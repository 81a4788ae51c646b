// Every op of the library, one function each: sl_op_ and the op's name. sluice/math.h has the common ones under the
// names of the Python library. Generated from the op tables by tools/generate_ops; do not edit.
//
//   TF_Output y = sl_op_mat_mul(s, x, w, .transpose_b = true, .name = "scores");
//   sl_op_top_k_v2_t best = sl_op_top_k_v2(s, scores, five);        // best.values, best.indices
//   sl_op_list_t parts = sl_op_split(s, axis, x, 3);                // sl_op_at(parts, 0)
//   TF_Output both = sl_op_pack(s, ((TF_Output[]){a, b}), 2);       // an array and its length
//   TF_Output image = sl_op_conv2d(s, x, filter, SL_INTS(1, 2, 2, 1), "SAME");
//
// Arguments: the scope, the inputs, then the attributes that have no default. Attributes with a default are options,
// given by name. Attributes that follow from the inputs (T, N) are not arguments. An option that is left out has the
// op's default; one that is given counts, even if it is 0 or false, because the macros write the caller's options
// over the defaults. A caller of a _with function must set every option itself, except strings, lists, tensors and
// types, where 0 means the default.
//
// The comment of each op has its signature, its attributes in TensorFlow's notation (allowed types, defaults,
// minimum values), and whether it has a gradient. Errors are recorded in the scope (sluice/scope.h).
//
// All functions are inline over sluice/node.h. sluice/sluice.h does not include this header because it takes a while
// to compile; the header of one area can be included alone.
#ifndef SLUICE_OPS_H_
#define SLUICE_OPS_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/array.h"
#include "sluice/ops/collective.h"
#include "sluice/ops/control.h"
#include "sluice/ops/data.h"
#include "sluice/ops/embedding.h"
#include "sluice/ops/function.h"
#include "sluice/ops/image.h"
#include "sluice/ops/io.h"
#include "sluice/ops/linalg.h"
#include "sluice/ops/lookup.h"
#include "sluice/ops/math.h"
#include "sluice/ops/nn.h"
#include "sluice/ops/parse.h"
#include "sluice/ops/quantize.h"
#include "sluice/ops/queue.h"
#include "sluice/ops/ragged.h"
#include "sluice/ops/random.h"
#include "sluice/ops/sendrecv.h"
#include "sluice/ops/sparse.h"
#include "sluice/ops/spectral.h"
#include "sluice/ops/state.h"
#include "sluice/ops/string.h"
#include "sluice/ops/summary.h"
#include "sluice/ops/tensor_array.h"
#include "sluice/ops/tensor_list.h"
#include "sluice/ops/train.h"

#endif  // SLUICE_OPS_H_
