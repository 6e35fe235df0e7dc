/* Sums over counts of one type; `curves.c` includes this. */

/* Tell whether the logarithm of no step needs more than the short series. */
INLINE bool NAME(all_short)(const COUNT *x, const COUNT *y, int size)
{
    COUNT longest = 0;
    for (int row = 0; row < size; row++) {
        COUNT step = (x[row + 1] - x[row]) + (y[row + 1] - y[row]);
        longest = step > longest ? step : longest;
    }
    return (double)longest < SHORT * ((double)x[0] + (double)y[0]);
}

/* Add up one of the formulas over chunks of segments, from the row `start` on. */
VECTORISED
API void NAME(sum_chunks)(int32_t which, const COUNT *x, const COUNT *y, int64_t rows,
                          int64_t start, double *sums, int64_t chunks)
{
    double lanes[LANES], xs[LANES + 1], ys[LANES + 1];
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        int64_t first = start + chunk * CHUNK;
        int64_t last = first + CHUNK < rows - 1 ? first + CHUNK : rows - 1;
        /* The sum is at most so large. */
        double most = (double)(x[last] - x[first]) * (double)(2 * y[last]);
        bool whole = which == DOUBLED_WHOLE && most < EXACT;
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = 0;
        for (int64_t row = first; row < last; row += LANES) {
            int64_t end = row + LANES < last ? row + LANES : last;
            int size = (int)(end - row);
            if (whole && y[row] == y[end]) {
                lanes[0] += (double)(x[end] - x[row]) * (double)(y[end] + y[row]);
            } else if (which >= DOUBLED || x[row] != x[end]) {
                bool any = which <= LINES && (double)(x[row] + y[row]) < TINY;
                any = any || (which <= ABOVE && !NAME(all_short)(x + row, y + row, size));
                for (int lane = 0; lane <= size; lane++) {
                    xs[lane] = (double)x[row + lane];
                    ys[lane] = (double)y[row + lane];
                }
                if (any)
                    add_any_terms(which, xs, ys, size, lanes);
                else
                    add_terms(which, xs, ys, size, lanes);
            }
        }
        sums[chunk] = fold_lanes(lanes);
    }
}
