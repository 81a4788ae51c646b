// sluice keys: certificates for the hosts of a cluster, and the authority that signs them.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "cli/common/cli.h"

enum { AUTHORITY_DAYS = 3650, DAY = 24 * 60 * 60, HOUR = 60 * 60 };

static struct {
  const char *hosts;
  int64_t days;
} flags = {.days = 365};

static const sli_option_t option_table[] = {
    {.name = "hosts",
     .kind = SLI_OPTION_TEXT,
     .value = &flags.hosts,
     .argument = "HOST[+NAME…],…",
     .help = "a certificate for each HOST, with further names or addresses of it behind '+'"},
    {.name = "days",
     .kind = SLI_OPTION_INT,
     .value = &flags.days,
     .argument = "N",
     .minimum = 1,
     .maximum = 36500,
     .help = "how long the certificates are valid"},
    {0}};

static const sli_options_t spec = {
    .program = "sluice keys",
    .operands = "DIR",
    .summary = "Make certificates for the hosts of a cluster",
    .description =
        "Makes an authority, DIR/ca.pem and DIR/ca-key.pem, unless they exist, and for each host DIR/HOST.pem and "
        "DIR/HOST-key.pem, which the authority signs. Every certificate is also for localhost, 127.0.0.1 and ::1. "
        "Give each task SLUICE_TLS_CA=ca.pem, SLUICE_TLS_CERT=HOST.pem and SLUICE_TLS_KEY=HOST-key.pem. The key of the "
        "authority is needed only to make more certificates: keep it away from the tasks.",
    .examples =
        "  sluice keys keys --hosts ps0,worker0,worker1\n"
        "  sluice keys keys --hosts ps0+10.0.0.7+ps0.example.org --days 90\n",
    .options = option_table,
};

typedef struct {
  X509 *cert;
  EVP_PKEY *key;
} pair_t;

static void pair_deinitialize(pair_t *pair) {
  X509_free(pair->cert);
  EVP_PKEY_free(pair->key);
  *pair = (pair_t){0};
}

static int fail_openssl(const char *what) {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof(text));
  return sli_cli_fail(SLI_CLI_FAILED, "cannot make %s: %s", what, text);
}

// --- Files ---

static char *path_of(const char *directory, const char *name, const char *ending) {
  return sli_format("%s/%s%s", directory, name, ending);
}

static int write_pem(const char *path, X509 *cert, EVP_PKEY *key) {
  unlink(path);  // it may be read-only, or have other rights
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, key ? 0600 : 0644);
  FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
  bool good = stream && (cert ? PEM_write_X509(stream, cert)
                              : PEM_write_PKCS8PrivateKey(stream, key, NULL, NULL, 0, NULL, NULL)) == 1;
  int error = errno;
  if (stream && fclose(stream) != 0) good = false;
  if (good) return SLI_CLI_OK;
  return sli_cli_fail(SLI_CLI_FAILED, "cannot write %s: %s", path, strerror(error));
}

static int write_pair(const char *directory, const char *name, const pair_t *pair) {
  char *cert = path_of(directory, name, ".pem"), *key = path_of(directory, name, "-key.pem");
  int code = write_pem(key, NULL, pair->key);
  if (!code) code = write_pem(cert, pair->cert, NULL);
  if (!code) printf("%s, %s\n", cert, key);
  free(cert);
  free(key);
  return code;
}

// Reads the authority. Leaves |out| empty if neither file exists.
static int read_authority(const char *directory, pair_t *out) {
  char *cert = path_of(directory, "ca", ".pem"), *key = path_of(directory, "ca", "-key.pem");
  bool exists = access(cert, F_OK) == 0 || access(key, F_OK) == 0;
  FILE *cert_file = fopen(cert, "re"), *key_file = fopen(key, "re");
  if (cert_file) out->cert = PEM_read_X509(cert_file, NULL, NULL, NULL);
  if (key_file) out->key = PEM_read_PrivateKey(key_file, NULL, NULL, NULL);
  if (cert_file) fclose(cert_file);
  if (key_file) fclose(key_file);
  int code = SLI_CLI_OK;
  if (exists && (!out->cert || !out->key || X509_check_private_key(out->cert, out->key) != 1))
    code = sli_cli_fail(SLI_CLI_FAILED,
                        "%s and %s are not an authority's certificate and its key: both are needed to sign, or neither",
                        cert, key);
  free(cert);
  free(key);
  return code;
}

// --- Certificates ---

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  bool good = extension && X509_add_ext(cert, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return good;
}

// A certificate for a new key. It begins an hour ago, since clocks differ.
static bool make_unsigned(pair_t *pair, const char *name, int64_t days) {
  unsigned char number[16];
  pair->key = EVP_EC_gen("P-256");
  pair->cert = X509_new();
  if (!pair->key || !pair->cert || RAND_bytes(number, sizeof(number)) != 1) return false;
  number[0] &= 0x7f;  // positive
  BIGNUM *serial = BN_bin2bn(number, sizeof(number), NULL);
  bool good = serial && BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(pair->cert));
  BN_free(serial);
  return good && X509_set_version(pair->cert, X509_VERSION_3) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(pair->cert), -HOUR) &&
         X509_gmtime_adj(X509_getm_notAfter(pair->cert), (long)(days * DAY)) &&
         X509_set_pubkey(pair->cert, pair->key) == 1 &&
         X509_NAME_add_entry_by_txt(X509_get_subject_name(pair->cert), "CN", MBSTRING_UTF8, (const unsigned char *)name,
                                    -1, -1, 0) == 1;
}

static int make_authority(pair_t *out) {
  X509 *cert;
  unsigned char number[4] = {0};
  char name[32];
  RAND_bytes(number, sizeof(number));  // names of authorities differ, so that errors tell them apart
  snprintf(name, sizeof(name), "Sluice %02x%02x%02x%02x", number[0], number[1], number[2], number[3]);
  bool good = make_unsigned(out, name, AUTHORITY_DAYS) && (cert = out->cert) &&
              X509_set_issuer_name(cert, X509_get_subject_name(cert)) == 1 &&
              add_extension(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
              add_extension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign") &&
              add_extension(cert, cert, NID_subject_key_identifier, "hash") && X509_sign(cert, out->key, EVP_sha256());
  return good ? SLI_CLI_OK : fail_openssl("the authority");
}

static bool is_number(const char *name) {
  unsigned char bytes[sizeof(struct in6_addr)];
  return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

// A name must not be able to add a field to the certificate, or a directory to a path.
static bool is_name(const char *name) {
  bool is_plain = *name && *name != '-' && *name != '.';
  for (const char *at = name; *at && is_plain; at++)
    is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '-' ||
               *at == '.' || *at == '_' || (*at == '*' && at == name);
  return is_number(name) || is_plain;
}

// Makes the pair of "HOST+NAME+…" and writes it as HOST.
static int make_host(const char *directory, const pair_t *authority, sli_view_t names) {
  sli_string_t alternatives = {0};
  sli_string_append_text(&alternatives, "DNS:localhost,IP:127.0.0.1,IP:::1");
  char *host = NULL;
  int code = SLI_CLI_OK;
  sli_view_t part;
  for (bool more = true; more && !code;) {
    more = sli_view_split(names, '+', &part, &names);
    char *name = sli_strndup(part.data, part.size);
    if (!is_name(name)) code = sli_cli_fail(SLI_CLI_USAGE, "--hosts: '%s' is not a host name or address", name);
    if (strcmp(name, "localhost") != 0)
      sli_string_append_format(&alternatives, ",%s:%s", is_number(name) ? "IP" : "DNS", name);
    if (host)
      free(name);
    else
      host = name;
  }
  if (!code && !strcmp(host, "ca")) code = sli_cli_fail(SLI_CLI_USAGE, "--hosts: 'ca' is the name of the authority");
  pair_t pair = {0};
  X509 *cert;
  if (!code && !(make_unsigned(&pair, host, flags.days) && (cert = pair.cert) &&
                 X509_set_issuer_name(cert, X509_get_subject_name(authority->cert)) == 1 &&
                 add_extension(cert, authority->cert, NID_basic_constraints, "critical,CA:FALSE") &&
                 add_extension(cert, authority->cert, NID_key_usage, "critical,digitalSignature") &&
                 add_extension(cert, authority->cert, NID_ext_key_usage, "serverAuth,clientAuth") &&
                 add_extension(cert, authority->cert, NID_authority_key_identifier, "keyid") &&
                 add_extension(cert, authority->cert, NID_subject_alt_name, sli_string_text(&alternatives)) &&
                 X509_sign(cert, authority->key, EVP_sha256())))
    code = fail_openssl("a certificate");
  if (!code) code = write_pair(directory, host, &pair);
  pair_deinitialize(&pair);
  free(host);
  sli_string_deinitialize(&alternatives);
  return code;
}

static int make_all(const char *directory, sli_view_t hosts) {
  if (mkdir(directory, 0700) != 0 && errno != EEXIST)
    return sli_cli_fail(SLI_CLI_FAILED, "cannot make the directory %s: %s", directory, strerror(errno));
  pair_t authority = {0};
  int code = read_authority(directory, &authority);
  if (!code && !authority.cert) {
    code = make_authority(&authority);
    if (!code) code = write_pair(directory, "ca", &authority);
  }
  sli_view_t host;
  for (bool more = hosts.size > 0; more && !code;) {
    more = sli_view_split(hosts, ',', &host, &hosts);
    code = make_host(directory, &authority, sli_view_trim(host));
  }
  pair_deinitialize(&authority);
  return code;
}

static int run(int argc, char **argv) {
  if (argc != 2) return sli_cli_fail(SLI_CLI_USAGE, "keys needs one DIR; see 'sluice keys --help'");
  return make_all(argv[1], sli_view(flags.hosts ? flags.hosts : ""));
}

const sli_cli_command_t sli_cli_keys = {.name = "keys", .options = &spec, .run = run};
