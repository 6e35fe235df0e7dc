/* Keys spread over buckets, sorted and counted; see `compiled_kernel.py`. */

#include "loops.h"

#include <stdlib.h>
#include <string.h>

/* Longest stretch of keys that is sorted by insertion alone. */
#define INSERTED 24

/* Weights that are added up together, as `numpy_kernel.running_sum` does. */
#define WIDTH 1024

#define JOINED(name, suffix) name##_##suffix
#define SUFFIXED(name, suffix) JOINED(name, suffix)

/* The bucket of a key that lies so far from the lowest one; see `BucketPlan`.

   Scores may change while they are counted, and their keys lie beyond the plan then. */
INLINE uint64_t bucket_of(uint64_t offset, uint64_t shift, uint64_t most, const uint64_t *entries)
{
    offset = offset < most ? offset : most;
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

/* Count the corners of a short sample; returns their number, or 0 where a key has no bit to spare
   for the label.

   The scores are floats or integers of 64 bits. `room` has two words for each row and one more,
   `places` four for each row and two more, `tp` and `fp` one for each row and one more. */
API int64_t corner_counts(const int64_t *bits, const uint8_t *labels, int64_t size, int32_t floats,
                          uint64_t *room, uint32_t *places, int64_t *tp, int64_t *fp)
{
    int64_t ends[2] = {INT64_MAX, INT64_MIN};
    uint64_t unused = UINT64_MAX;
    if (size == 0)
        return 0;
    if (floats) {
        find_range_64(bits, size, ends, &unused);
    } else {
        for (int64_t row = 0; row < size; row++) {
            ends[0] = bits[row] < ends[0] ? bits[row] : ends[0];
            ends[1] = bits[row] > ends[1] ? bits[row] : ends[1];
        }
    }
    int64_t lowest = floats && ends[0] == -1 ? 0 : ends[0]; /* -0.0 */
    int64_t highest = floats && ends[1] == -1 ? 0 : ends[1];
    /* Magnitudes smaller than any that occurs are left out; see `keys.Encoding`. */
    int64_t gap = floats && lowest < 0 && highest > 0 ? (int64_t)unused : 0;
    lowest += lowest < 0 ? gap : 0;
    highest -= highest > 0 ? gap : 0;
    if ((uint64_t)highest - (uint64_t)lowest > INT64_MAX)
        return 0;
    pack_64(bits, labels, size, floats, gap, lowest, room);
    put_in_order_64(room, NULL, size, room + size, NULL, places);
    Corners_64 corners = {1, 0, 0, 0};
    tp[0] = fp[0] = 0;
    add_corners_64(&corners, room + size, 0, size, 0, 0, 0, tp, fp, NULL);
    return corners.row + corners.waits;
}

#define WEIGHT int64_t
#define NAME(name) name##_int64
#include "weights_of_type.h"
#undef WEIGHT
#undef NAME

#define WEIGHT double
#define NAME(name) name##_float64
#include "weights_of_type.h"
