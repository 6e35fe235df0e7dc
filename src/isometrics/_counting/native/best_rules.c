/* The best rule of a ranking under many weightings: the work of `best_rules.choose_plain`.

   The rows of blocks of rules are added up first, in the order of the sample: that needs no sorting
   and no search in memory. A block whose positives would not make its rules better than the end of
   another block, even if they all stood before its negatives, holds no best rule, so only the rows
   of few blocks are visited one by one. Numbers of draws are whole, so sums are the same in any
   order; where rows have weights, they are added up in the order of the ranking. */

#include "loops.h"

#include <math.h>

/* More than rounding can change a gain between 0 and 1, a precision or a recall. */
#define ROUNDING 1e-9

#define NO_RULE (-1)

/* As `best_rules.Ranking`; `weight` and `cell_unit` are NULL where they are empty there. */
typedef struct {
    const int32_t *unit;
    const uint8_t *positive;
    const uint8_t *last;
    const int32_t *rule;
    const double *weight;
    const int64_t *block_ends;
    const uint16_t *cell;
    const int32_t *cell_unit;
    int64_t rows;
    int64_t blocks;
} Ranking;

/* As `best_rules.Task`. */
typedef struct {
    double first;
    double second;
    double min_precision;
    double min_recall;
    double max_fpr;
    double most_flagged;
    double z;
    double effective;
    double ratio;
    int32_t costs;
    int32_t allows_nothing;
} Task;

/* The totals of a weighting, and what its negatives are multiplied by. */
typedef struct {
    double positives;
    double negatives;
    double scale;
} Case;

typedef struct {
    int64_t end;
    double tp;
    double fp;
} Rule;

/* Return what is maximised; NaN where it is not defined. */
static inline double gain_of(double tp, double alarms, double positives, const Task *task)
{
    double lost = task->first * (positives - tp) + task->second * alarms;
    return task->costs ? -lost : tp / (lost + tp);
}

/* As `best_rules.lower_bound`. */
static inline double lower_bound(double share, double size, double z)
{
    double spread = sqrt(share * fabs(1 - share) / size + z * z / (4 * size * size));
    return (share + z * z / (2 * size) - z * spread) / (1 + z * z / size);
}

/* Tell whether a rule keeps all levels. */
static bool is_allowed(double tp, double alarms, const Case *of, const Task *task)
{
    double flagged = tp + alarms;
    if (flagged == 0 && !task->allows_nothing)
        return false;
    if (task->min_precision >= 0 &&
        (flagged == 0 || !(lower_bound(tp / flagged, flagged * task->effective, task->z) >=
                           task->min_precision)))
        return false;
    if (task->min_recall > 0 && !(lower_bound(tp / of->positives, of->positives * task->effective,
                                              task->z) >= task->min_recall))
        return false;
    double rate = alarms / of->negatives;
    if (task->z != 0)
        rate = 1 - lower_bound(1 - rate, of->negatives * task->effective, task->z);
    if (task->max_fpr < INFINITY && !(rate <= task->max_fpr))
        return false;
    return flagged <= task->most_flagged * (of->positives + of->negatives);
}

/* Tell whether no rule of a block can keep all levels; a bound of a share is never better. */
static bool breaks_levels(double most_tp, double least_tp, double least_alarms, const Case *of,
                          const Task *task)
{
    double flagged = most_tp + least_alarms;
    return (flagged > 0 && most_tp / flagged < task->min_precision - ROUNDING) ||
           most_tp / of->positives < task->min_recall - ROUNDING ||
           least_alarms / of->negatives > task->max_fpr + ROUNDING ||
           least_tp + least_alarms >
               task->most_flagged * (of->positives + of->negatives) * (1 + ROUNDING);
}

#define DRAWN uint8_t
#define NAME(name) name##_uint8
#include "best_rules_of_type.h"
#undef DRAWN
#undef NAME

#define DRAWN double
#define NAME(name) name##_float64
#include "best_rules_of_type.h"
