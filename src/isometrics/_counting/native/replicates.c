/* Random weights of replicates, and areas under them: the work of `draws.pick_plain` and
   `draws.areas_plain`. */

#include "loops.h"

#include "formulas.h"

/* Draw the weights of the units that have a table, with the words of an SFC64 generator.

   The generator is the one of Chris Doty-Humphrey's PractRand, as NumPy has it; its state is moved
   on in place. `offset`, `shift`, `accept`, `value` and `other` are those of `draws.Alias`. */
#define PICK(WEIGHT, type)                                                                         \
    API void pick_##type(uint64_t *state, const uint8_t *which, const int64_t *offset,             \
                         const uint64_t *shift, const uint64_t *accept, const double *value,       \
                         const double *other, const int64_t *units, int64_t size, WEIGHT *weights, \
                         int64_t rows, int64_t columns)                                            \
    {                                                                                              \
        uint64_t a = state[0], b = state[1], c = state[2], counter = state[3];                     \
        for (int64_t row = 0; row < rows; row++) {                                                 \
            WEIGHT *own = weights + row * columns;                                                 \
            for (int64_t unit = 0; unit < size; unit++) {                                          \
                uint64_t word = a + b + counter++;                                                 \
                a = b ^ (b >> 11);                                                                 \
                b = c + (c << 3);                                                                  \
                c = ((c << 24) | (c >> 40)) + word;                                                \
                uint8_t table = which[unit];                                                       \
                int64_t column = offset[table] + (int64_t)(word >> shift[table]);                  \
                double drawn =                                                                     \
                    (word & 0xFFFFFFFFu) < accept[column] ? value[column] : other[column];         \
                own[size == columns ? unit : units[unit]] = (WEIGHT)drawn;                         \
            }                                                                                      \
        }                                                                                          \
        state[0] = a;                                                                              \
        state[1] = b;                                                                              \
        state[2] = c;                                                                              \
        state[3] = counter;                                                                        \
    }

PICK(double, float64)
PICK(uint8_t, uint8)

/* Add up the weights of the rows of each cell, for one replicate. */
API void gather(const double *weights, const int64_t *cell, int64_t size, double *sums,
                int64_t cells)
{
    for (int64_t at = 0; at < cells; at++)
        sums[at] = 0;
    for (int64_t row = 0; row < size; row++)
        sums[cell[row]] += weights[row];
}

/* Fill one row of `draws.AREAS` for each row of weights, whose totals are known: those of all
   positives, then those of all negatives. */
API void fill_areas(const double *positive, int64_t positive_stride, const double *negative,
                    int64_t negative_stride, int64_t rows, int64_t cells, const double *totals,
                    const int32_t *before, const int32_t *through, double ratio, int32_t stepwise,
                    double *areas)
{
    double ranked[LANES], below[LANES], stepped[LANES], lost[LANES];
    for (int64_t row = 0; row < rows; row++) {
        const double *rises = positive + row * positive_stride;
        const double *runs = negative + row * negative_stride;
        double total = totals[row], others = totals[rows + row], scale = 1;
        double *own = areas + 4 * row;
        if (total == 0 || others == 0) {
            own[0] = own[1] = own[2] = own[3] = NAN;
            continue;
        }
        if (ratio > 0) {
            scale = total * ratio / others;
            others = total * ratio;
        }
        double crossing = total * (total / (total + others));
        for (int lane = 0; lane < LANES; lane++)
            ranked[lane] = below[lane] = stepped[lane] = lost[lane] = 0;
        double x = 0, fp = 0;
        int32_t passed = 0;
        for (int64_t cell = 0; cell < cells; cell++) {
            for (; passed < before[cell]; passed++)
                fp += runs[passed];
            double y = fp * scale;
            for (; passed < through[cell]; passed++)
                fp += runs[passed];
            double rise = rises[cell];
            if (rise == 0)
                continue;
            int lane = (int)(cell % LANES);
            double x_end = x + rise, y_end = fp * scale, run = y_end - y, step = rise + run;
            ranked[lane] += rise * (2 * others - y - y_end);
            double rate = any_log_rate(x + y > TINY ? x + y : TINY, step);
            below[lane] += area_below(rise, step, bend(x, y, rise, run, rate));
            if (stepwise)
                stepped[lane] += area_of_step(rise, x_end / (x_end + y_end));
            if (x_end > crossing) {
                double begin = x, y_begin = y;
                if (x < crossing) {
                    begin = crossing;
                    y_begin = y + (crossing - x) / rise * run;
                }
                lost[lane] += gain_loss_at_once(begin, y_begin, x_end, y_end, x_end - begin);
            }
            x = x_end;
        }
        double odds = total / others;
        own[0] = fold_lanes(ranked) / (2 * total * others);
        own[1] = fold_lanes(below) / total;
        own[2] = stepwise ? fold_lanes(stepped) / total : NAN;
        own[3] = 1 - odds * odds * total / 2 * fold_lanes(lost);
    }
}
