// What a user gets from `make install` and `make deb`: the files, programs made with pkg-config and with CMake, and
// headers that compile without warnings.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "io/file/file.h"
#include "tests/support/tool.h"

// Runs |script| by bash in the folder "install" of this test run; expects exit code 0.
static void run_script(const char *script) {
  const char *folder = tool_scratch("install");
  SLI_REQUIRE_OK(sli_file_make_directories(folder));
  char *whole = sli_format(
      "cd '%s' && SOURCE='%s' BUILD='%s' && unset LD_LIBRARY_PATH PKG_CONFIG_PATH && set -eu\n(%s\n) > output 2>&1",
      folder, SLI_SOURCE_DIR, SLI_BUILD_DIR, script);
  char *argument = sli_format("bash -c \"$SCRIPT\"");
  setenv("SCRIPT", whole, 1);
  int code = system(argument);
  sli_string_t output = tool_read_file(tool_path_in(folder, "output"));
  if (code != 0) sli_test_fail(__FILE__, __LINE__, "code %d of:\n%s\n%s", code, script, sli_string_text(&output));
  sli_string_deinitialize(&output);
  free(argument);
  free(whole);
}

static const char program[] =
    "#include <stdio.h>\n"
    "#include \"sluice/sluice.h\"\n"
    "int main(void) {\n"
    "  sl_scope_t *g = sl_graph_scope();\n"
    "  sl_dense(g, sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 4)), 3, .name = \"hidden\");\n"
    "  bool good = sl_scope_code(g) == TF_OK && TF_GraphOperationByName(sl_scope_graph(g), \"hidden/kernel\");\n"
    "  sl_scope_release(g);\n"
    "  puts(good ? \"built a graph\" : \"failed\");\n"
    "  return !good;\n"
    "}\n";

static void write_program(void) {
  SLI_REQUIRE_OK(sli_file_make_directories(tool_scratch("install")));
  tool_write_file(tool_path_in(tool_scratch("install"), "trainer.c"), program, strlen(program));
}

// As README.md says: cc with pkg-config gives a program that starts, wherever the prefix is.
SLI_TEST(test_installed_library_is_found_by_a_program) {
  write_program();
  run_script(
      "cmake --install \"$BUILD\" --prefix \"$PWD/prefix\"\n"
      "prefix/bin/sluice --version\n"
      "test -r prefix/share/man/man1/sluice-help.1\n"
      "export PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig\n"
      "cc trainer.c $(pkg-config --cflags --libs sluice)\n"
      "./a.out | grep 'built a graph'\n");
}

SLI_TEST(test_installed_cmake_package_is_found) {
  static const char lists[] =
      "cmake_minimum_required(VERSION 3.20)\n"
      "project(trainer LANGUAGES C)\n"
      "find_package(sluice REQUIRED)\n"
      "add_executable(trainer ../trainer.c)\n"
      "target_link_libraries(trainer sluice::sluice)\n";
  write_program();
  SLI_REQUIRE_OK(sli_file_make_directories(tool_scratch("install/project")));
  tool_write_file(tool_scratch("install/project/CMakeLists.txt"), lists, strlen(lists));
  run_script(
      "cmake --install \"$BUILD\" --prefix \"$PWD/prefix\"\n"
      "cmake -S project -B project/build -DCMAKE_PREFIX_PATH=\"$PWD/prefix\"\n"
      "cmake --build project/build\n"
      "project/build/trainer | grep 'built a graph'\n");
}

// The package is installed in a folder of its own, with a database of its own, and removed from it.
SLI_TEST(test_debian_package_is_installed_and_removed) {
  write_program();
  run_script(
      "cpack -G DEB --config \"$BUILD/CPackConfig.cmake\" -B \"$PWD/packages\"\n"
      "dpkg-deb --info packages/sluice_*.deb\n"
      "dpkg-deb --field packages/sluice_*.deb Depends | grep libnghttp2\n"
      "mkdir -p root/var/lib/dpkg/info root/var/lib/dpkg/updates root/var/lib/dpkg/triggers\n"
      "touch root/var/lib/dpkg/status root/var/lib/dpkg/available\n"
      "own=\"dpkg --root=$PWD/root --force-not-root --force-depends --force-script-chrootless --log=/dev/null\"\n"
      "mkdir -p fake && printf '#!/bin/sh\\n' > fake/ldconfig && chmod +x fake/ldconfig  # not that of this machine\n"
      "PATH=$PWD/fake:$PATH:/usr/sbin:/sbin\n"
      "$own --install packages/sluice_*.deb\n"
      "root/usr/bin/sluice --version\n"
      "export PKG_CONFIG_PATH=$PWD/root/usr/lib/pkgconfig\n"
      "cc trainer.c -o packaged $(pkg-config --cflags --libs sluice)\n"
      "./packaged | grep 'built a graph'\n"
      "$own --purge sluice\n"
      "left=$(find root/usr ! -type d 2> /dev/null || true); echo \"left: $left\"; test -z \"$left\"\n");
}

#define PEDANTIC "-Wall -Wextra -Wpedantic -Werror "
#define STRICT PEDANTIC "-fsyntax-only -I bare"
#define ALL_HEADERS "(cd \"$SOURCE/include\" && ls sluice/*.h sluice/ops/*.h tensorflow/c/*.h)"
// The headers without the line that hides warnings about them.
#define BARE_HEADERS                                \
  "rm -rf bare && cp -r \"$SOURCE/include\" bare\n" \
  "sed -i '/^#pragma GCC system_header/d' $(find bare -name '*.h')\n"

SLI_TEST(test_headers_compile_in_every_c) {
  SLI_REQUIRE_OK(sli_file_make_directories(tool_scratch("install")));
  run_script(BARE_HEADERS "for header in $" ALL_HEADERS
                          "; do\n"
                          "  printf '#include \"%s\"\\nint used;\\n' $header | cc -std=c11 " STRICT
                          " -x c - || exit 1\n"
                          "done\n"
                          "for standard in c17 c2x; do\n"
                          "  for header in $" ALL_HEADERS
                          "; do printf '#include \"%s\"\\n' $header; done |\n"
                          "    cc -std=$standard " STRICT
                          " -x c - || exit 1\n"
                          "done\n");
}

// The preprocessor warns about a macro that is called without its variable arguments; types do not matter for that. A
// macro that only calls another, as sl_sharded_input does SL_SHARDED_INPUT_, has arguments that are no options.
SLI_TEST(test_macros_need_no_options) {
  SLI_REQUIRE_OK(sli_file_make_directories(tool_scratch("install")));
  run_script(
      "(printf '#include \"sluice/sluice.h\"\\n#include \"sluice/ops.h\"\\n'\n"
      "cat \"$SOURCE\"/include/sluice/*.h \"$SOURCE\"/include/sluice/ops/*.h | sed -E ':a; /\\\\$/{N; s/\\\\\\n *//; "
      "ba}' |\n"
      "sed -nE '/[)] SL_[A-Z_]+_[(]/d; s/^#define ([A-Za-z_0-9]+)[(]([^)]+), [.]{3}[)].*/\\1(\\2)/p') > macros.c\n"
      "test $(wc -l < macros.c) -gt 800\n"
      "test -z \"$(grep -L '^#pragma GCC system_header' \"$SOURCE\"/include/sluice/*.h "
      "\"$SOURCE\"/include/sluice/ops/*.h)\"\n"
      "for standard in c11 c17 c2x; do cc -std=$standard " PEDANTIC
      "-E -I \"$SOURCE/include\" macros.c > /dev/null || exit 1; done\n");
}

// C++ has no designated initialisers with these rules and no _Generic, so the macros are for C; the functions are for
// both.
SLI_TEST(test_functions_compile_and_run_as_cpp) {
  static const char cpp[] =
      "#include <cstdio>\n"
      "int main() {\n"
      "  sl_scope_t *g = sl_graph_scope();\n"
      "  sl_dense_options_t options = {};\n"
      "  options.struct_size = sizeof(options);\n"
      "  options.name = \"hidden\";\n"
      "  sl_op_options_t plain = {};\n"
      "  plain.struct_size = sizeof(plain);\n"
      "  float values[] = {1, 2};\n"
      "  sl_shape_t shape = {};\n"
      "  shape.rank = 2, shape.dims[0] = 1, shape.dims[1] = 2;\n"
      "  TF_Output x = sl_constant_with(g, TF_FLOAT, shape, values, &plain);\n"
      "  sl_dense_with(g, x, 3, &options);\n"
      "  bool good = sl_scope_code(g) == TF_OK && TF_GraphOperationByName(sl_scope_graph(g), \"hidden/kernel\");\n"
      "  sl_scope_release(g);\n"
      "  return !good;\n"
      "}\n";
  SLI_REQUIRE_OK(sli_file_make_directories(tool_scratch("install")));
  tool_write_file(tool_scratch("install/main.cpp"), cpp, strlen(cpp));
  run_script(BARE_HEADERS
             "(for header in $" ALL_HEADERS
             "; do printf '#include \"%s\"\\n' $header; done; cat main.cpp) > whole.cpp\n"
             "c++ -std=c++17 " STRICT
             " whole.cpp\n"
             "c++ -std=c++17 -I \"$SOURCE/include\" whole.cpp -o cpp -L\"$BUILD\" -lsluice -Wl,-rpath,\"$BUILD\"\n"
             "./cpp\n");
}

SLI_TEST_MAIN(test_installed_library_is_found_by_a_program, test_installed_cmake_package_is_found,
              test_debian_package_is_installed_and_removed, test_headers_compile_in_every_c,
              test_macros_need_no_options, test_functions_compile_and_run_as_cpp)
