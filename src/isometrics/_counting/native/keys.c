/* Keys spread over buckets, sorted and counted; see `compiled_kernel.py`. */

#include "loops.h"

#include <stdlib.h>
#include <string.h>

API int32_t layout(void)
{
    return LAYOUT;
}

/* Longest stretch of keys that is sorted by insertion alone. */
#define INSERTED 24

/* Weights that are added up together, as `numpy_kernel.running_sum` does. */
#define WIDTH 1024

#define JOINED(name, suffix) name##_##suffix
#define SUFFIXED(name, suffix) JOINED(name, suffix)

/* The bucket of a key that lies so far from the lowest one; see `BucketPlan`. */
static inline uint64_t bucket_of(uint64_t offset, uint64_t shift, const uint64_t *entries)
{
    uint64_t entry = entries[offset >> shift];
    uint64_t inside = offset & (((uint64_t)1 << shift) - 1);
    return (entry >> 8) + (inside >> (entry & 255));
}

#define BITS 32
#define KEY uint32_t
#define SIGNED int32_t
#define HIGHEST INT32_MAX
#include "keys_of_width.h"
#undef BITS
#undef KEY
#undef SIGNED
#undef HIGHEST

#define BITS 64
#define KEY uint64_t
#define SIGNED int64_t
#define HIGHEST INT64_MAX
#include "keys_of_width.h"

#define WEIGHT int64_t
#define NAME(name) name##_int64
#include "weights_of_type.h"
#undef WEIGHT
#undef NAME

#define WEIGHT double
#define NAME(name) name##_float64
#include "weights_of_type.h"
