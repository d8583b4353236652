/* What the hardware allows: read event files, check every checksum, decode the scalars, and no more than one must.
 *
 *     cc -O3 -march=native -pthread floor.c -o floor
 *     ./floor MODE THREADS FILE...
 *
 * MODE   read    read(2) every file into a reused buffer
 *        walk    read, then follow the record framing
 *        crc     walk, checking both masked CRC32Cs of every record
 *        decode  walk, decoding scalar events into per-tag columns (all kept)
 *        all     crc + decode
 *
 * Files are shared out over the threads, one file at a time. Prints one JSON line. Needs a CPU with CRC32C
 * instructions (x86-64 with SSE4.2, ARM64 with CRC). Not a product: no error handling, trusts its input. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#if defined(__aarch64__)
#include <arm_acle.h>
#define CRC_WORD(c, w) __crc32cd((uint32_t)(c), (w))
#define CRC_BYTE(c, b) __crc32cb((uint32_t)(c), (b))
#else
#include <nmmintrin.h>
#define CRC_WORD(c, w) _mm_crc32_u64((c), (w))
#define CRC_BYTE(c, b) _mm_crc32_u8((uint32_t)(c), (b))
#endif

typedef struct {
  const uint8_t *name;
  size_t len, n, cap;
  int64_t *step;
  double *wall;
  float *value;
} Series;

typedef struct {
  Series series[256]; /* per file; the floor does not need a real hash map */
  int count, next;
} Table;

static char **files;
static int nfiles, next_file;
static const char *mode;
static uint64_t g_records, g_bytes, g_points, g_bad;

static uint32_t crc32c(const uint8_t *p, size_t n) {
  uint64_t c = 0xffffffff, w;
  for (; n >= 8; n -= 8, p += 8) {
    memcpy(&w, p, 8);
    c = CRC_WORD(c, w);
  }
  for (; n; n--) c = CRC_BYTE(c, *p++);
  c ^= 0xffffffff;
  return (((uint32_t)c >> 15) | ((uint32_t)c << 17)) + 0xa282ead8u;
}

static inline uint64_t varint(const uint8_t **p) {
  uint64_t v = 0;
  for (int s = 0;; s += 7) {
    uint8_t b = *(*p)++;
    v |= (uint64_t)(b & 127) << s;
    if (b < 128) return v;
  }
}

static inline const uint8_t *skip(const uint8_t *p, int wire) {
  if (wire == 0) varint(&p);
  else if (wire == 1) p += 8;
  else if (wire == 5) p += 4;
  else { uint64_t n = varint(&p); p += n; }
  return p;
}

static Series *lookup(Table *t, const uint8_t *name, size_t len) {
  /* Writers cycle through their tags: guess the next one first. */
  for (int i = 0; i < t->count; i++) {
    int at = t->next + i;
    if (at >= t->count) at -= t->count;
    Series *s = &t->series[at];
    if (s->len == len && !memcmp(s->name, name, len)) {
      t->next = at + 1 == t->count ? 0 : at + 1;
      return s;
    }
  }
  Series *s = &t->series[t->count++];
  uint8_t *copy = malloc(len);
  memcpy(copy, name, len);
  s->name = copy;
  s->len = len;
  t->next = 0;
  return s;
}

static void keep(Table *t, const uint8_t *name, size_t len, int64_t step, double wall, float value) {
  Series *s = lookup(t, name, len);
  if (s->n == s->cap) {
    s->cap = s->cap ? s->cap * 2 : 1024;
    s->step = realloc(s->step, s->cap * 8);
    s->wall = realloc(s->wall, s->cap * 8);
    s->value = realloc(s->value, s->cap * 4);
  }
  s->step[s->n] = step;
  s->wall[s->n] = wall;
  s->value[s->n++] = value;
}

static void decode(Table *t, const uint8_t *p, const uint8_t *end) {
  double wall = 0;
  int64_t step = 0;
  while (p < end) {
    uint8_t key = *p++;
    if (key == 0x09) { memcpy(&wall, p, 8); p += 8; continue; }
    if (key == 0x10) { step = varint(&p); continue; }
    if (key != 0x2a) { p = skip(p, key & 7); continue; }
    uint64_t n = varint(&p);
    const uint8_t *send = p + n;
    while (p < send) {
      uint8_t k = *p++;
      if (k != 0x0a) { p = skip(p, k & 7); continue; }
      uint64_t m = varint(&p);
      const uint8_t *vend = p + m, *name = p;
      size_t len = 0;
      float value = 0;
      int have = 0;
      while (p < vend) {
        uint8_t f = *p++;
        if (f == 0x0a) { len = varint(&p); name = p; p += len; }
        else if (f == 0x15) { memcpy(&value, p, 4); p += 4; have = 1; }
        else if (f == 0x42) {
          uint64_t q = varint(&p);
          const uint8_t *tend = p + q;
          while (p < tend) {
            uint8_t g = *p++;
            if (g != 0x22 && g != 0x2a) { p = skip(p, g & 7); continue; }
            uint64_t z = varint(&p);
            if (z == 4) { memcpy(&value, p, 4); have = 1; }
            p += z;
          }
        } else p = skip(p, f & 7);
      }
      if (have) keep(t, name, len, step, wall, value);
    }
  }
}

static void *worker(void *arg) {
  (void)arg;
  size_t cap = 4 << 20;
  uint8_t *buf = malloc(cap + 64);
  uint64_t records = 0, bytes = 0, points = 0, bad = 0;
  int walk = strcmp(mode, "read");
  int crc = !strcmp(mode, "crc") || !strcmp(mode, "all");
  int dec = !strcmp(mode, "decode") || !strcmp(mode, "all");
  for (;;) {
    int i = __sync_fetch_and_add(&next_file, 1);
    if (i >= nfiles) break;
    int fd = open(files[i], O_RDONLY);
    Table *t = calloc(1, sizeof *t);
    size_t have = 0;
    for (;;) {
      if (have == cap) { cap *= 2; buf = realloc(buf, cap + 64); }
      ssize_t n = read(fd, buf + have, cap - have);
      if (n <= 0) break;
      bytes += n;
      have += n;
      if (!walk) { have = 0; continue; }
      size_t at = 0;
      while (have - at >= 16) {
        uint64_t len;
        memcpy(&len, buf + at, 8);
        if (have - at < len + 16) break;
        const uint8_t *body = buf + at + 12;
        if (crc) {
          uint32_t a, b;
          memcpy(&a, buf + at + 8, 4);
          memcpy(&b, body + len, 4);
          bad += a != crc32c(buf + at, 8);
          bad += b != crc32c(body, len);
        }
        if (dec) decode(t, body, body + len);
        records++;
        at += len + 16;
      }
      memmove(buf, buf + at, have - at);
      have -= at;
    }
    close(fd);
    for (int k = 0; k < t->count; k++) points += t->series[k].n;
    /* The table is kept on purpose: everything stays in memory. */
  }
  __sync_fetch_and_add(&g_records, records);
  __sync_fetch_and_add(&g_bytes, bytes);
  __sync_fetch_and_add(&g_points, points);
  __sync_fetch_and_add(&g_bad, bad);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  mode = argv[1];
  int threads = atoi(argv[2]);
  files = argv + 3;
  nfiles = argc - 3;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  pthread_t th[64];
  if (threads < 1 || threads > 64) return 2;
  for (int i = 0; i < threads; i++) pthread_create(&th[i], 0, worker, 0);
  for (int i = 0; i < threads; i++) pthread_join(th[i], 0);
  clock_gettime(CLOCK_MONOTONIC, &b);
  struct rusage ru;
  getrusage(RUSAGE_SELF, &ru);
  printf("{\"wall_s\": %.6f, \"cpu_s\": %.6f, \"bytes\": %llu, \"records\": %llu, \"points\": %llu, \"bad\": %llu}\n",
         (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9,
         ru.ru_utime.tv_sec + ru.ru_stime.tv_sec + (ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) / 1e6,
         (unsigned long long)g_bytes, (unsigned long long)g_records, (unsigned long long)g_points,
         (unsigned long long)g_bad);
  return g_bad != 0;
}
