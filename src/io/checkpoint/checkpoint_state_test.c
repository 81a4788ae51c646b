#include "io/checkpoint/checkpoint_state.h"

#include "base/alloc.h"
#include "base/test.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/file/atomic_file.h"
#include "io/file/path.h"

static char *temporary(const char *name) { return sli_path_join(sli_test_temporary_dir(), name); }

static void write_text(const char *directory, const char *text) {
  char *path = sli_path_join(directory, "checkpoint");
  SLI_EXPECT_OK(sli_file_make_directories(directory));
  SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view(text)));
  free(path);
}

SLI_TEST(test_checkpoint_state_golden_resolves_relative_paths) {
  char *directory = sli_format("%s/checkpoints/several", sli_test_golden_dir());
  char *newest = sli_path_join(directory, "model.ckpt-30"), *oldest = sli_path_join(directory, "model.ckpt-20");
  sli_checkpoint_state_t state;
  SLI_REQUIRE_OK(sli_checkpoint_state_read(directory, NULL, &state));
  SLI_EXPECT_TEXT(state.model_checkpoint_path, newest);
  SLI_REQUIRE(state.count == 2);
  SLI_EXPECT_TEXT(state.all_paths[0], oldest);
  SLI_EXPECT_TEXT(state.all_paths[1], newest);

  // Written again, it is the same text.
  char *copy = temporary("again"), *path = sli_path_join(copy, "checkpoint"),
       *source = sli_path_join(directory, "checkpoint");
  for (size_t i = 0; i < 2; i++) {
    free(state.all_paths[i]);
    state.all_paths[i] = sli_path_join(copy, i ? "model.ckpt-30" : "model.ckpt-20");
  }
  free(state.model_checkpoint_path);
  state.model_checkpoint_path = sli_path_join(copy, "model.ckpt-30");
  SLI_REQUIRE_OK(sli_checkpoint_state_write(copy, NULL, &state, true));
  sli_string_t written, wanted;
  SLI_REQUIRE_OK(sli_file_read_whole(path, 1 << 20, &written));
  SLI_REQUIRE_OK(sli_file_read_whole(source, 1 << 20, &wanted));
  SLI_EXPECT_TEXT(sli_string_text(&written), sli_string_text(&wanted));
  sli_string_deinitialize(&written);
  sli_string_deinitialize(&wanted);
  sli_checkpoint_state_deinitialize(&state);

  char *latest = sli_checkpoint_latest(directory, NULL);
  SLI_EXPECT_TEXT(latest, newest);
  free(latest);
  SLI_EXPECT(sli_checkpoint_latest(copy, NULL) == NULL);  // its files are not there
  free(source);
  free(path);
  free(copy);
  free(oldest);
  free(newest);
  free(directory);
}

SLI_TEST(test_checkpoint_state_text_format_is_understood) {
  char *directory = temporary("text");
  write_text(directory,
             "# a comment\nmodel_checkpoint_path : \"/a/\\\"b\\\"\" 'c\\x2d\\061'\n"
             "all_model_checkpoint_paths: \"x\", all_model_checkpoint_paths:\"/y\" ;\n"
             "all_model_checkpoint_timestamps: 1.5 all_model_checkpoint_timestamps: 2e3\nlast_preserved_timestamp: -7");
  sli_checkpoint_state_t state;
  SLI_REQUIRE_OK(sli_checkpoint_state_read(directory, NULL, &state));
  SLI_EXPECT_TEXT(state.model_checkpoint_path, "/a/\"b\"c-1");
  SLI_REQUIRE(state.count == 2 && state.timestamps);
  SLI_EXPECT_TEXT(state.all_paths[1], "/y");
  SLI_EXPECT_NEAR(state.timestamps[1], 2000, 0);
  SLI_EXPECT_NEAR(state.last_preserved_timestamp, -7, 0);

  sli_checkpoint_state_t again;
  SLI_REQUIRE_OK(sli_checkpoint_state_write(directory, "other", &state, false));
  SLI_REQUIRE_OK(sli_checkpoint_state_read(directory, "other", &again));
  SLI_EXPECT_TEXT(again.model_checkpoint_path, state.model_checkpoint_path);
  SLI_EXPECT_INT(again.count, 3);  // the newest was not among them
  SLI_EXPECT_TEXT(again.all_paths[2], state.model_checkpoint_path);
  sli_checkpoint_state_deinitialize(&again);
  sli_checkpoint_state_deinitialize(&state);
  free(directory);
}

SLI_TEST(test_checkpoint_state_bad_text_is_an_error_with_its_line) {
  static const char *const bad[] = {"model_checkpoint_path: \"a",
                                    "model_checkpoint_path: a",
                                    "model_checkpoint_path \"a\"",
                                    "model_checkpoint_path: \"\\q\"",
                                    "model_checkpoint_path: \"a\nb\"",
                                    "model_checkpoint_path: \"a\\000b\"",
                                    "all_model_checkpoint_timestamps: x",
                                    "unknown: 3",
                                    ":",
                                    "\"",
                                    "model_checkpoint_path: \"\\"};
  char *directory = temporary("bad");
  sli_checkpoint_state_t state;
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    write_text(directory, bad[i]);
    SLI_EXPECT_STATUS(sli_checkpoint_state_read(directory, NULL, &state), SLI_DATA_LOSS);
    SLI_EXPECT(state.model_checkpoint_path == NULL && state.count == 0);
  }
  write_text(directory, "model_checkpoint_path: \"a\"\n\n  what: 1\n");
  sli_status_t *status = sli_checkpoint_state_read(directory, NULL, &state);
  SLI_EXPECT_CONTAINS(sli_status_message(status), "checkpoint:3: ");
  sli_status_release(status);
  SLI_EXPECT_STATUS(sli_checkpoint_state_read("/no/such", NULL, &state), SLI_NOT_FOUND);
  free(directory);
}

SLI_TEST(test_checkpoint_delete_removes_its_files_only) {
  char *directory = temporary("many");
  SLI_REQUIRE_OK(sli_file_make_directories(directory));
  static const char *const names[] = {"m[1]-1.index",
                                      "m[1]-1.data-00000-of-00002",
                                      "m[1]-1.data-00001-of-00002",
                                      "m[1]-1.meta",
                                      "m[1]-10.index",
                                      "m1-1.index",
                                      "m[1]-1.data"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char *path = sli_path_join(directory, names[i]);
    SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view("")));
    free(path);
  }
  char *prefix = sli_path_join(directory, "m[1]-1");
  SLI_EXPECT(sli_checkpoint_exists(prefix));
  SLI_EXPECT_OK(sli_checkpoint_delete(prefix));
  SLI_EXPECT(!sli_checkpoint_exists(prefix));
  SLI_EXPECT_OK(sli_checkpoint_delete(prefix));
  sli_path_list_t left;
  SLI_REQUIRE_OK(sli_file_list(directory, &left));
  SLI_REQUIRE(left.count == 3);
  SLI_EXPECT_TEXT(left.items[0], "m1-1.index");
  SLI_EXPECT_TEXT(left.items[1], "m[1]-1.data");
  SLI_EXPECT_TEXT(left.items[2], "m[1]-10.index");
  sli_path_list_deinitialize(&left);
  free(prefix);
  free(directory);
}

SLI_TEST_MAIN(test_checkpoint_state_golden_resolves_relative_paths, test_checkpoint_state_text_format_is_understood,
              test_checkpoint_state_bad_text_is_an_error_with_its_line, test_checkpoint_delete_removes_its_files_only)
