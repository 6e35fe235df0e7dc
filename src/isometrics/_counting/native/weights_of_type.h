/* The loops over weights of one type, those of negatives being below 0; `keys.c` includes this.

   Rows are taken from the last one on: the last of tied rows comes first in the NumPy kernel, and
   sums of floats depend on it. */

/* Add up the weights of both classes in each block; `sums` has one row for each class. */
API void NAME(block_sums)(const WEIGHT *weights, int64_t size, WEIGHT *sums, int64_t blocks)
{
    for (int64_t block = 0; block < blocks; block++) {
        WEIGHT positive = 0, negative = 0;
        int64_t end = (block + 1) * WIDTH < size ? (block + 1) * WIDTH : size;
        for (int64_t row = block * WIDTH; row < end; row++) {
            WEIGHT weight = weights[size - 1 - row];
            positive += weight > 0 ? weight : 0;
            negative += weight < 0 ? -weight : 0;
        }
        sums[block] = positive;
        sums[blocks + block] = negative;
    }
}

#define FILL_WEIGHTED(KEY, bits)                                                                   \
    API int64_t SUFFIXED(NAME(fill_weighted), bits)(                                               \
        KEY * keys, const WEIGHT *weights, int64_t size, const WEIGHT *before, int64_t blocks,     \
        WEIGHT *tp, WEIGHT *fp)                                                                    \
    {                                                                                              \
        int64_t distinct = 0;                                                                      \
        WEIGHT tps = 0, fps = 0;                                                                   \
        for (int64_t block = 0; block < blocks; block++) {                                         \
            WEIGHT positive = 0, negative = 0;                                                     \
            int64_t end = (block + 1) * WIDTH < size ? (block + 1) * WIDTH : size;                 \
            for (int64_t row = block * WIDTH; row < end; row++) {                                  \
                int64_t at = size - 1 - row;                                                       \
                WEIGHT weight = weights[at];                                                       \
                positive += weight > 0 ? weight : 0;                                               \
                negative += weight < 0 ? -weight : 0;                                              \
                /* Two roundings of one sum may differ in the last bit across a border; counts     \
                   never fall. */                                                                  \
                WEIGHT hits = positive + before[block], alarms = negative + before[blocks + block]; \
                tps = hits > tps ? hits : tps;                                                     \
                fps = alarms > fps ? alarms : fps;                                                 \
                tp[distinct] = tps;                                                                \
                fp[distinct] = fps;                                                                \
                keys[size - 1 - distinct] = keys[at];                                              \
                distinct += at == 0 || keys[at - 1] != keys[at];                                   \
            }                                                                                      \
        }                                                                                          \
        return distinct;                                                                           \
    }

/* Fill in the sums of the weights of sorted keys up to each score; return their number.

   `before` has the sums of all blocks before each. Distinct keys are moved to the end. */
FILL_WEIGHTED(uint32_t, 32)
FILL_WEIGHTED(uint64_t, 64)
#undef FILL_WEIGHTED
