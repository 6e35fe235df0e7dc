/* The formulas of `segments.py`, one segment at a time: the same operations in the same order. */

#ifndef ISOMETRICS_FORMULAS_H
#define ISOMETRICS_FORMULAS_H

#include "loops.h"

#include <float.h>
#include <math.h>

#define SHORT 1e-3
#define TINY 1e-300
#define SERIES 0.1

INLINE double log_rate(double total, double step)
{
    double middle = 2 * total + step;
    double per_middle = 2 / middle;
    double square = step * per_middle;
    square *= square;
    double series = square * (1.0 / 80);
    series += 1.0 / 12;
    series *= square;
    series += 1;
    return series * per_middle;
}

INLINE double log1p_series(double value)
{
    double ratio = value / (2 + value);
    double square = ratio * ratio;
    double series = square * (1.0 / 13);
    series += 1.0 / 11;
    series *= square;
    series += 1.0 / 9;
    series *= square;
    series += 1.0 / 7;
    series *= square;
    series += 1.0 / 5;
    series *= square;
    series += 1.0 / 3;
    series *= square;
    series += 1;
    ratio *= 2;
    return series * ratio;
}

/* As `segments.log_rates`, for steps of any length. */
INLINE double any_log_rate(double total, double step)
{
    if (total >= TINY && step < SHORT * total)
        return log_rate(total, step);
    double growth = step / total;
    growth = growth < DBL_MAX ? growth : DBL_MAX;
    double rate = (growth <= SERIES ? log1p_series(growth) : log1p(growth)) / step;
    return rate < DBL_MAX ? rate : DBL_MAX;
}

INLINE double bend(double x, double y, double rise, double run, double rate)
{
    return (x * run - rise * y) * rate;
}

INLINE double area_below(double rise, double step, double bent)
{
    return rise / step * (rise + bent);
}

INLINE double area_above(double rise, double run, double step, double bent)
{
    return rise / step * (run - bent);
}

INLINE double area_of_step(double rise, double precision_at_end)
{
    return rise * precision_at_end;
}

INLINE double area_of_line(double rise, double precision, double precision_at_end)
{
    return (precision + precision_at_end) * rise * 0.5;
}

INLINE double gain_loss(double x, double y, double x_end, double y_end, double rise)
{
    return (rise / x) * (y / x + y_end / x_end) / x_end;
}

INLINE double gain_loss_at_once(double x, double y, double x_end, double y_end, double rise)
{
    double inverse = 1 / (x * x_end);
    return rise * inverse * inverse * (y * x_end + y_end * x);
}

INLINE double doubled_area(double rise, double y, double y_end)
{
    return rise * (y + y_end);
}

#endif
