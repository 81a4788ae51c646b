#include "runtime/plan/optimize.h"

#include <string.h>

#include "math/fp_mode.h"

// TensorFlow has two optimizers. The older one is configured by optimizer_options: level L1, the default, enables all
// of its passes, L0 only those that are enabled by name. The newer one ("meta optimizer") is configured by
// rewrite_options: all passes except those that are off, or exactly those in |optimizers|. A pass runs if either
// optimizer enables it.

typedef Tensorflow__RewriterConfig rewriter_t;

static bool is_named(const rewriter_t *rewriter, const char *name) {
  for (size_t i = 0; i < rewriter->n_optimizers; i++)
    if (!strcmp(rewriter->optimizers[i], name)) return true;
  return false;
}

static const Tensorflow__RewriterConfig__Toggle off = TENSORFLOW__REWRITER_CONFIG__TOGGLE__OFF;

static bool rewriter_enables(const rewriter_t *rewriter, const char *name, bool is_off) {
  if (!rewriter) return true;
  if (rewriter->disable_meta_optimizer) return false;
  return rewriter->n_optimizers ? is_named(rewriter, name) : !is_off;
}

sli_optimize_options_t sli_optimize_options(const Tensorflow__GraphOptions *graph_options) {
  const Tensorflow__OptimizerOptions *older = graph_options ? graph_options->optimizer_options : NULL;
  const rewriter_t *rewriter = graph_options ? graph_options->rewrite_options : NULL;
  bool is_level_1 = !older || older->opt_level >= TENSORFLOW__OPTIMIZER_OPTIONS__LEVEL__L1;
  sli_optimize_options_t options = {
      .fold = is_level_1 || older->do_constant_folding ||
              rewriter_enables(rewriter, "constfold", rewriter && rewriter->constant_folding == off),
      .merge_equal = is_level_1 || older->do_common_subexpression_elimination ||
                     rewriter_enables(rewriter, "common_subgraph_elimination",
                                      rewriter && (rewriter->common_subgraph_elimination == off ||
                                                   rewriter->arithmetic_optimization == off)),
      .skip_unread = rewriter_enables(rewriter, "dependency", rewriter && rewriter->dependency_optimization == off),
      .fuse = rewriter_enables(rewriter, "remap", rewriter && rewriter->remapping == off),
  };
  if (older && older->max_folded_constant_in_bytes > 0)
    options.max_folded_bytes = (size_t)older->max_folded_constant_in_bytes;
  return options;
}

void sli_optimize(sli_pass_pruned_t *pruned, const sli_optimize_options_t *options, sli_device_t *device) {
  if (!options->fold && !options->merge_equal && !options->skip_unread && !options->fuse) return;
  if (options->fold) {
    sli_pass_fold_options_t folding = {device, options->max_folded_bytes};
    sli_fp_mode_t mode = sli_fp_mode_flush_denormals();
    sli_pass_fold(pruned, &folding);
    sli_fp_mode_restore(mode);
  }
  if (options->merge_equal) sli_pass_merge_equal(pruned);
  if (options->fuse && options->skip_unread && options->is_for_plan) sli_pass_fuse_updates(pruned);
  if (options->skip_unread) sli_pass_skip_unread(pruned);
  if (options->fuse) sli_pass_fuse(pruned);
  sli_pass_drop_unused(pruned);
}
