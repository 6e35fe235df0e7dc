/* The loops over keys of BITS bits; `keys.c` includes this once for each width. */

#define NAME(name) SUFFIXED(name, BITS)

/* Widen the range of floats, given as their bits: the lowest and the highest in `ends`, as integers
   in the order of floats (see `keys.flip_negatives`), and the smallest magnitude, less 1, so that 0
   counts as the largest. */
VECTORISED
API void NAME(find_range)(const SIGNED *bits, int64_t size, SIGNED *ends, KEY *smallest)
{
    SIGNED lowest = ends[0], highest = ends[1];
    KEY least = *smallest;
    for (int64_t row = 0; row < size; row++) {
        SIGNED order = bits[row] ^ ((bits[row] >> (BITS - 1)) & HIGHEST);
        KEY magnitude = (KEY)(bits[row] & HIGHEST) - 1;
        lowest = order < lowest ? order : lowest;
        highest = order > highest ? order : highest;
        least = magnitude < least ? magnitude : least;
    }
    ends[0] = lowest;
    ends[1] = highest;
    *smallest = least;
}

/* Do what `Encoding.pack` does, from the bits of the scores. */
VECTORISED
API void NAME(pack)(const SIGNED *bits, const uint8_t *labels, int64_t size, int32_t floats,
                    int64_t gap, int64_t lowest, KEY *keys)
{
    const KEY outside = (KEY)gap, first = (KEY)lowest;
    if (!floats) {
        for (int64_t row = 0; row < size; row++)
            keys[row] = (KEY) ~((((KEY)bits[row] - first) << 1) | (labels[row] != 0));
        return;
    }
    for (int64_t row = 0; row < size; row++) {
        /* The order of floats; see `keys.flip_negatives`. -0.0 is -1 there, and nothing else. */
        SIGNED order = bits[row] ^ ((bits[row] >> (BITS - 1)) & HIGHEST);
        KEY moved = order < 0 ? (KEY)order + outside : (KEY)order - outside;
        moved = order == 0 || order == -1 ? 0 : moved;
        keys[row] = (KEY) ~(((moved - first) << 1) | (labels[row] != 0));
    }
}

/* Return the bits of the score of a key. */
static inline SIGNED NAME(bits_of)(KEY key, int32_t floats, KEY gap, KEY lowest)
{
    SIGNED order = (SIGNED)(((KEY)~key >> 1) + lowest);
    if (!floats || order == 0)
        return order;
    order = (SIGNED)(order > 0 ? (KEY)order + gap : (KEY)order - gap);
    return order ^ ((order >> (BITS - 1)) & HIGHEST);
}

/* Count the keys of each bucket, and in a second column those with the bit of a positive. */
VECTORISED
API void NAME(census)(const KEY *keys, int64_t size, uint64_t lowest, uint64_t shift, uint64_t most,
                      const uint64_t *entries, uint64_t *counts)
{
    for (int64_t row = 0; row < size; row++) {
        uint64_t bucket = bucket_of(keys[row] - lowest, shift, most, entries);
        counts[2 * bucket] += 1;
        counts[2 * bucket + 1] += ~keys[row] & 1;
    }
}

/* Move keys into their buckets, and what they carry; `places` has the next free place of each,
   and moves on. Keys that find no room among `all` are left out. */
VECTORISED
API void NAME(spread)(const KEY *keys, int64_t size, uint64_t lowest, uint64_t shift, uint64_t most,
                      const uint64_t *entries, uint64_t *places, uint64_t all, KEY *out,
                      const uint64_t *weights, uint64_t *weights_out)
{
    for (int64_t row = 0; row < size; row++) {
        uint64_t place = places[bucket_of(keys[row] - lowest, shift, most, entries)]++;
        if (place >= all)
            continue;
        out[place] = keys[row];
        if (weights != NULL)
            weights_out[place] = weights[row];
    }
}

static inline bool NAME(in_order)(const KEY *keys, int64_t size)
{
    int64_t row = 1;
    while (row < size && keys[row - 1] <= keys[row])
        row++;
    return row >= size;
}

/* Sort keys that differ in their last bit only; others are left as they are. */
static inline bool NAME(sort_labels)(KEY *keys, int64_t size)
{
    KEY differing = 0;
    int64_t even = 0;
    for (int64_t row = 0; row < size; row++) {
        differing |= keys[row] ^ keys[0];
        even += ~keys[row] & 1;
    }
    if (differing > 1)
        return false;
    const KEY first = keys[0] & ~(KEY)1;
    for (int64_t row = 0; row < size; row++)
        keys[row] = first | (KEY)(row >= even);
    return true;
}

/* Sort keys by insertion, none of which should be far from where it belongs. */
INLINE void NAME(insert)(KEY *keys, uint64_t *weights, int64_t size)
{
    if (weights == NULL) {
        for (int64_t row = 1; row < size; row++) {
            KEY key = keys[row];
            int64_t place = row;
            for (; place > 0 && keys[place - 1] > key; place--)
                keys[place] = keys[place - 1];
            keys[place] = key;
        }
        return;
    }
    for (int64_t row = 1; row < size; row++) {
        KEY key = keys[row];
        uint64_t weight = weights[row];
        int64_t place = row;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
            weights[place] = weights[place - 1];
        }
        keys[place] = key;
        weights[place] = weight;
    }
}

/* Merge two runs of sorted keys that follow one another; equal keys keep their order. */
static void NAME(merge)(const KEY *keys, const uint64_t *weights, int64_t middle, int64_t size,
                        KEY *out, uint64_t *weights_out)
{
    int64_t left = 0, right = middle;
    for (int64_t row = 0; row < size; row++) {
        bool from_right = left >= middle || (right < size && keys[right] < keys[left]);
        int64_t from = from_right ? right : left;
        out[row] = keys[from];
        if (weights != NULL)
            weights_out[row] = weights[from];
        right += from_right;
        left += !from_right;
    }
}

/* Sort many keys of a narrow stretch; equal keys keep their order. Without memory for a copy they
   are left to insertion. */
static void NAME(merge_sort)(KEY *keys, uint64_t *weights, int64_t size)
{
    KEY *copy = malloc((size_t)size * sizeof(KEY));
    uint64_t *carried = weights == NULL ? NULL : malloc((size_t)size * sizeof(uint64_t));
    if (copy != NULL && (weights == NULL || carried != NULL)) {
        for (int64_t row = 0; row < size; row += INSERTED) {
            int64_t length = size - row < INSERTED ? size - row : INSERTED;
            NAME(insert)(keys + row, weights == NULL ? NULL : weights + row, length);
        }
        for (int64_t width = INSERTED; width < size; width *= 2) {
            for (int64_t row = 0; row < size; row += 2 * width) {
                int64_t length = size - row < 2 * width ? size - row : 2 * width;
                NAME(merge)(keys + row, weights == NULL ? NULL : weights + row,
                            width < length ? width : length, length, copy + row,
                            weights == NULL ? NULL : carried + row);
            }
            memcpy(keys, copy, (size_t)size * sizeof(KEY));
            if (weights != NULL)
                memcpy(weights, carried, (size_t)size * sizeof(uint64_t));
        }
    }
    free(copy);
    free(carried);
}

/* Sort the keys of one bucket into `out`; equal ones keep their order.

   The range of the keys is cut into equal parts, as many as keys or up to four times as many.
   `places` has room for where each begins. */
VECTORISED
static void NAME(put_in_order)(const KEY *keys, const uint64_t *weights, int64_t size, KEY *out,
                               uint64_t *weights_out, uint32_t *places)
{
    KEY lowest = keys[0], highest = keys[0];
    bool ordered = true;
    for (int64_t row = 1; row < size; row++) {
        KEY key = keys[row];
        ordered &= keys[row - 1] <= key;
        lowest = key < lowest ? key : lowest;
        highest = key > highest ? key : highest;
    }
    if (ordered) {
        memcpy(out, keys, (size_t)size * sizeof(KEY));
        if (weights != NULL)
            memcpy(weights_out, weights, (size_t)size * sizeof(uint64_t));
        return;
    }
    uint64_t most = 4, span = (uint64_t)highest - lowest;
    int shift = 0;
    while (most < 2 * (uint64_t)size)
        most <<= 1;
    while (span >> shift >= most)
        shift++;
    int64_t parts = (int64_t)(span >> shift) + 1;
    memset(places, 0, (size_t)(parts + 1) * sizeof(uint32_t));
    for (int64_t row = 0; row < size; row++)
        places[((KEY)(keys[row] - lowest) >> shift) + 1]++;
    uint32_t longest = 0, filled = 0;
    for (int64_t part = 0; part <= parts; part++) {
        longest = places[part] > longest ? places[part] : longest;
        filled += places[part];
        places[part] = filled;
    }
    if (weights == NULL) {
        for (int64_t row = 0; row < size; row++)
            out[places[(KEY)(keys[row] - lowest) >> shift]++] = keys[row];
    } else {
        for (int64_t row = 0; row < size; row++) {
            uint32_t place = places[(KEY)(keys[row] - lowest) >> shift]++;
            out[place] = keys[row];
            weights_out[place] = weights[row];
        }
    }
    if (longest > INSERTED) {
        int64_t begin = 0;
        for (int64_t part = 0; part < parts; part++) {
            int64_t end = places[part];
            /* Many keys in one part are often all the same, or those of one score. */
            if (end - begin > INSERTED && !NAME(in_order)(out + begin, end - begin) &&
                (weights != NULL || !NAME(sort_labels)(out + begin, end - begin)))
                NAME(merge_sort)(out + begin, weights == NULL ? NULL : weights_out + begin,
                                 end - begin);
            begin = end;
        }
    }
    NAME(insert)(out, weights == NULL ? NULL : weights_out, size);
}

/* Sort the keys of some buckets into the same places of `out`. */
API void NAME(sort_buckets)(const KEY *keys, const uint64_t *starts, int64_t first, int64_t last,
                            uint32_t *places, KEY *out, const uint64_t *weights,
                            uint64_t *weights_out)
{
    for (int64_t bucket = first; bucket < last; bucket++) {
        uint64_t start = starts[bucket], end = starts[bucket + 1];
        if (start < end)
            NAME(put_in_order)(keys + start, weights == NULL ? NULL : weights + start,
                               (int64_t)(end - start), out + start,
                               weights == NULL ? NULL : weights_out + start, places);
    }
}

/* Sort the keys of some buckets where they are, with room for one bucket besides. */
API void NAME(sort_buckets_in_place)(KEY *keys, const uint64_t *starts, int64_t first,
                                     int64_t last, uint32_t *places, KEY *room)
{
    for (int64_t bucket = first; bucket < last; bucket++) {
        uint64_t start = starts[bucket], end = starts[bucket + 1];
        if (start < end) {
            NAME(put_in_order)(keys + start, NULL, (int64_t)(end - start), room, NULL, places);
            memcpy(keys + start, room, (size_t)(end - start) * sizeof(KEY));
        }
    }
}

/* Sort some buckets and fill in a row for each score, from row `starts[first] + 1` on.

   `tps` are the positives of all buckets before. Returns the row behind the last one. `bits` may
   be the memory of the keys, from one word before them on: a bucket is read before it is filled. */
API int64_t NAME(fill_rows)(const KEY *keys, const uint64_t *starts, int64_t first, int64_t last,
                            int64_t tps, int32_t floats, int64_t gap, int64_t lowest,
                            uint32_t *places, KEY *room, int64_t *tp, int64_t *fp, SIGNED *bits)
{
    int64_t row = (int64_t)starts[first] + 1;
    for (int64_t bucket = first; bucket < last; bucket++) {
        int64_t start = (int64_t)starts[bucket], size = (int64_t)starts[bucket + 1] - start;
        if (size == 0)
            continue;
        NAME(put_in_order)(keys + start, NULL, size, room, NULL, places);
        room[size] = (KEY)~room[size - 1]; /* nothing like the last key */
        for (int64_t place = 0; place < size; place++) {
            KEY key = room[place];
            tps += ~key & 1;
            tp[row] = tps;
            fp[row] = start + place + 1 - tps;
            bits[row] = NAME(bits_of)(key, floats, (KEY)gap, (KEY)lowest);
            row += (key ^ room[place + 1]) > 1; /* of tied keys, the last one's row stays */
        }
    }
    return row;
}

/* Where the filling of corners stands. */
typedef struct {
    int64_t row;
    int64_t tps;
    int64_t reached;
    int64_t waits;
} NAME(Corners);

/* Fill in the rows of some sorted keys at which true positives rise, those before them, and the
   last; without their scores where `bits` is NULL. `start` keys came before, and one word of
   `room` is behind the last key. */
static inline void NAME(add_corners)(NAME(Corners) *corners, KEY *room, int64_t start, int64_t size,
                                     int32_t floats, KEY gap, KEY lowest, int64_t *tp, int64_t *fp,
                                     SIGNED *bits)
{
    int64_t row = corners->row, tps = corners->tps, reached = corners->reached;
    int64_t waits = corners->waits;
    room[size] = (KEY)~room[size - 1]; /* nothing like the last key */
    for (int64_t place = 0; place < size; place++) {
        KEY key = room[place];
        tps += ~key & 1;
        if ((key ^ room[place + 1]) <= 1)
            continue;
        /* A row that waits stands already where it belongs, if it stays. Without branches: which
           rows rise cannot be foreseen. */
        int64_t rises = tps > reached;
        row += waits & rises;
        tp[row] = tps;
        fp[row] = start + place + 1 - tps;
        if (bits != NULL)
            bits[row] = NAME(bits_of)(key, floats, gap, lowest);
        waits = rises ^ 1;
        row += rises;
        reached = tps;
    }
    *corners = (NAME(Corners)){row, tps, reached, waits};
}

/* Do the same as `fill_rows` for corners. */
API int64_t NAME(fill_corners)(const KEY *keys, const uint64_t *starts, int64_t first, int64_t last,
                               int64_t tps, int32_t floats, int64_t gap, int64_t lowest,
                               uint32_t *places, KEY *room, int64_t *tp, int64_t *fp, SIGNED *bits)
{
    NAME(Corners) corners = {(int64_t)starts[first] + 1, tps, tps, 0};
    for (int64_t bucket = first; bucket < last; bucket++) {
        int64_t start = (int64_t)starts[bucket], size = (int64_t)starts[bucket + 1] - start;
        if (size == 0)
            continue;
        NAME(put_in_order)(keys + start, NULL, size, room, NULL, places);
        NAME(add_corners)(&corners, room, start, size, floats, (KEY)gap, (KEY)lowest, tp, fp, bits);
    }
    return corners.row + corners.waits;
}

/* Keep the keys in bins with positives, which have odd groups; count those of even groups.

   `group` has the group of each bin from `lowest` to `highest`; keys beyond belong to the outer
   bins. `last_keys` has the largest key of each group. Returns how many keys are kept, in front of
   `kept`. */
API int64_t NAME(sift)(const KEY *keys, int64_t size, uint64_t lowest, uint64_t highest,
                       uint64_t shift, const uint32_t *group, uint64_t *counts,
                       uint64_t *last_keys, KEY *kept)
{
    int64_t filled = 0;
    for (int64_t row = 0; row < size; row++) {
        uint64_t key = keys[row];
        uint64_t inside = key < lowest ? lowest : key > highest ? highest : key;
        uint32_t mine = group[(inside - lowest) >> shift];
        if (mine & 1) {
            kept[filled++] = keys[row];
        } else {
            counts[mine] += 1;
            last_keys[mine] = key > last_keys[mine] ? key : last_keys[mine];
        }
    }
    return filled;
}

/* Count the keys of each score, and the positives among them, in a table with open slots.

   A row of four of `slots` has `(key >> 1) + 1` in its first place, 0 where it is free; then the
   keys and the positives. What row 0 has in its last place is the number of scores. As soon as
   there are more than `most`, the loop gives up and returns 0. */
API int32_t NAME(tally)(const KEY *keys, int64_t size, uint64_t *slots, uint64_t count,
                        uint64_t most)
{
    uint64_t last = count - 1, distinct = slots[3];
    int bits = 0;
    while (last >> bits)
        bits++;
    for (int64_t row = 0; row < size; row++) {
        uint64_t score = ((uint64_t)keys[row] >> 1) + 1;
        /* A multiplier of MurmurHash3. With that of the golden ratio, negative and positive whole
           numbers may fall into the same slots. */
        uint32_t mixed = (uint32_t)(score ^ (score >> 32)) * 0x85EBCA6Bu;
        uint64_t slot = (uint64_t)mixed >> (32 - bits);
        while (slots[4 * slot] != score) {
            if (slots[4 * slot] == 0) {
                slots[4 * slot] = score;
                distinct++;
                break;
            }
            slot = (slot + 1) & last;
        }
        slots[4 * slot + 1] += 1;
        slots[4 * slot + 2] += ~keys[row] & 1;
        if (distinct > most)
            return 0;
    }
    slots[3] = distinct;
    return 1;
}

#undef NAME
