/* Sums along a path of counts, and its hull; see `curves.py`. */

#include "loops.h"

#include "formulas.h"

/* Segments that are added up together. */
#define CHUNK 16384

/* Rows between those whose hull tells which others need to be looked at. */
#define SPACING 64

/* Sums of whole numbers below this are the same in any order. */
#define EXACT 0x1p53

/* The numbers of the formulas in `segments.py`. */
enum { BELOW, ABOVE, STEPS, LINES, LOST, DOUBLED, DOUBLED_WHOLE };

/* Add the terms of at most 128 segments to their lanes; where x does not rise, they are 0. Steps
   are short where logarithms are needed. */
INLINE void add_terms(int32_t which, const double *x, const double *y, int size, double *lanes)
{
    switch (which) {
    case BELOW:
        for (int lane = 0; lane < size; lane++) {
            double rise = x[lane + 1] - x[lane], run = y[lane + 1] - y[lane], all = rise + run;
            double bent = bend(x[lane], y[lane], rise, run, log_rate(x[lane] + y[lane], all));
            lanes[lane] += area_below(rise, rise > 0 ? all : 1.0, bent);
        }
        break;
    case ABOVE:
        for (int lane = 0; lane < size; lane++) {
            double rise = x[lane + 1] - x[lane], run = y[lane + 1] - y[lane], all = rise + run;
            double bent = bend(x[lane], y[lane], rise, run, log_rate(x[lane] + y[lane], all));
            lanes[lane] += area_above(rise, run, rise > 0 ? all : 1.0, bent);
        }
        break;
    case STEPS:
        for (int lane = 0; lane < size; lane++) {
            double x_end = x[lane + 1], y_end = y[lane + 1];
            lanes[lane] += area_of_step(x_end - x[lane], x_end / (x_end + y_end));
        }
        break;
    case LINES:
        for (int lane = 0; lane < size; lane++) {
            double x_end = x[lane + 1], y_end = y[lane + 1];
            double precision = x[lane] / (x[lane] + y[lane]);
            lanes[lane] += area_of_line(x_end - x[lane], precision, x_end / (x_end + y_end));
        }
        break;
    case LOST:
        for (int lane = 0; lane < size; lane++) {
            double rise = x[lane + 1] - x[lane];
            lanes[lane] += gain_loss(x[lane], y[lane], x[lane + 1], y[lane + 1], rise);
        }
        break;
    default:
        for (int lane = 0; lane < size; lane++)
            lanes[lane] += doubled_area(x[lane + 1] - x[lane], y[lane], y[lane + 1]);
    }
}

/* Do the same for segments that may begin at the empty rule, or have long steps. */
static void add_any_terms(int32_t which, const double *x, const double *y, int size, double *lanes)
{
    for (int lane = 0; lane < size; lane++) {
        double rise = x[lane + 1] - x[lane], run = y[lane + 1] - y[lane], step = rise + run;
        double all = x[lane] + y[lane], precision_at_end = x[lane + 1] / (x[lane + 1] + y[lane + 1]);
        if (rise == 0)
            continue;
        if (which <= ABOVE) {
            /* From the empty rule precision is constant: there is no bend, whatever the rate. */
            double rate = any_log_rate(all == 0 ? 1 : all, step);
            double bent = bend(x[lane], y[lane], rise, run, rate);
            lanes[lane] +=
                which == BELOW ? area_below(rise, step, bent) : area_above(rise, run, step, bent);
        } else if (which == STEPS) {
            lanes[lane] += area_of_step(rise, precision_at_end);
        } else {
            double precision = all == 0 ? precision_at_end : x[lane] / all;
            lanes[lane] += area_of_line(rise, precision, precision_at_end);
        }
    }
}

#define COUNT int64_t
#define NAME(name) name##_int64
#include "sums_of_type.h"
#undef COUNT
#undef NAME

#define COUNT double
#define NAME(name) name##_float64
#include "sums_of_type.h"

/* Keep the vertices of the hull of some rows in front of them: the monotone chain. */
static int64_t chain(const int64_t *x, const int64_t *y, int64_t *rows, int64_t size)
{
    int64_t top = 1;
    for (int64_t place = 1; place < size; place++) {
        int64_t row = rows[place];
        while (top > 1) {
            int64_t middle = rows[top - 1], before = rows[top - 2];
            int64_t rise = (y[row] - y[middle]) * (x[middle] - x[before]);
            if (rise < (y[middle] - y[before]) * (x[row] - x[middle]))
                break;
            top--;
        }
        rows[top++] = row;
    }
    return top;
}

/* Append to `rows` those behind `left`, up to `right`, that may be vertices.

   They lie on or above the edge, and y rises to them. Counts never fall, so that the rows from one
   of the spaced ones to the next lie below the edge if its y over this one's x does. */
static int64_t above_edge(const int64_t *x, const int64_t *y, int64_t left, int64_t right,
                          int64_t *rows, int64_t filled)
{
    int64_t run = x[right] - x[left], rise = y[right] - y[left];
    int64_t level = run * y[left] - rise * x[left];
    for (int64_t start = left; start < right; start += SPACING) {
        int64_t end = start + SPACING < right ? start + SPACING : right;
        if (run * y[end] - rise * x[start] < level)
            continue;
        for (int64_t row = start + 1; row <= end; row++) {
            rows[filled] = row;
            filled += (y[row] > y[row - 1]) & (run * y[row] - rise * x[row] >= level);
        }
    }
    return filled;
}

/* Find the strict upper hull of nested counts; its rows stand in front of `rows`.

   Of equal neighbours the first one counts. Counts are below 2**31, so products are exact.
   `coarse` has room for one row of every 64, and two more. */
API int64_t hull(const int64_t *x, const int64_t *y, int64_t size, int64_t *coarse, int64_t *rows)
{
    int64_t last = size - 1, spaced = 0, filled = 1;
    while (last > 0 && x[last] == x[last - 1] && y[last] == y[last - 1])
        last--;
    for (int64_t row = 0; row < last; row += SPACING)
        coarse[spaced++] = row;
    coarse[spaced++] = last;
    spaced = chain(x, y, coarse, spaced);
    rows[0] = 0;
    for (int64_t edge = 0; edge + 1 < spaced; edge++)
        filled = above_edge(x, y, coarse[edge], coarse[edge + 1], rows, filled);
    if (rows[filled - 1] < last)
        rows[filled++] = last;
    return chain(x, y, rows, filled);
}
