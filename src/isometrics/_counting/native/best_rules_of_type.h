/* The loops over weights of units of one type, DRAWN; `best_rules.c` includes this. */

static void NAME(add_up_in_order)(const DRAWN *drawn, const Ranking *ranking, double *counts)
{
    double tp = 0, fp = 0;
    int64_t at = 0;
    counts[0] = counts[1] = 0;
    for (int64_t block = 0; block < ranking->blocks; block++) {
        for (; at < ranking->block_ends[block]; at++) {
            double weight = drawn[ranking->unit[at]] * ranking->weight[at];
            double hit = weight * (ranking->positive[at] != 0);
            tp += hit;
            fp += weight - hit;
        }
        counts[2 * block + 2] = tp;
        counts[2 * block + 3] = fp;
    }
}

/* Fill in the positives and the negatives before each block, and all of them at the end.

   `weights` has one row for each weighting, one column for each unit. `sums` has weightings times
   (blocks + 1) pairs. */
API void NAME(add_up)(const DRAWN *weights, int64_t rows, int64_t units, const Ranking *ranking,
                double *sums)
{
    for (int64_t row = 0; row < rows; row++) {
        const DRAWN *drawn = weights + row * units;
        double *counts = sums + row * 2 * (ranking->blocks + 1);
        if (ranking->weight != NULL) {
            NAME(add_up_in_order)(drawn, ranking, counts);
            continue;
        }
        /* Block i is counted in row i + 1, and then added to the ones before it. */
        int64_t size = 2 * ranking->blocks;
        for (int64_t at = 0; at < size + 2; at++)
            counts[at] = 0;
        double *flat = counts + 2;
        if (ranking->cell_unit != NULL) {
            for (int64_t at = 0; at < ranking->rows; at++)
                flat[ranking->cell[at]] += drawn[ranking->cell_unit[at]];
        } else {
            for (int64_t at = 0; at < ranking->rows; at++)
                flat[ranking->cell[at]] += drawn[at];
        }
        for (int64_t at = 2; at < size; at++)
            flat[at] += flat[at - 2];
    }
}

/* Add the row `at` to the counts of a rule. */
static inline void NAME(add_row)(const DRAWN *drawn, const Ranking *ranking, int64_t at, double *tp,
                           double *fp)
{
    double weight = drawn[ranking->unit[at]];
    if (ranking->weight != NULL)
        weight = weight * ranking->weight[at];
    double hit = weight * (ranking->positive[at] != 0);
    *tp += hit;
    *fp += weight - hit;
}

/* Return the row behind the best rule and its counts; 0 if no rule's gain exceeds `best`. */
static Rule NAME(best_end)(const DRAWN *drawn, const double *counts, const Ranking *ranking,
                     const Task *task, const Case *of, double best)
{
    double positives = of->positives, scale = of->scale, floor = best;
    for (int64_t block = 1; block <= ranking->blocks; block++) {
        double tp = counts[2 * block], alarms = counts[2 * block + 1] * scale;
        double gain = gain_of(tp, alarms, positives, task);
        if (gain > floor && is_allowed(tp, alarms, of, task))
            floor = gain;
    }
    double perfect = task->costs ? 0 : 1;
    double unit = task->costs ? task->first * positives + task->second * of->negatives : 1;
    Rule found = {0, NAN, NAN};
    int64_t end = 0;
    for (int64_t block = 0; block < ranking->blocks; block++) {
        const double *before = counts + 2 * block, *after = before + 2;
        int64_t start = end;
        end = ranking->block_ends[block];
        double least_fp = before[1] * scale;
        double bound = gain_of(after[0], least_fp, positives, task) + ROUNDING * unit;
        if (bound < floor || breaks_levels(after[0], before[0], least_fp, of, task))
            continue;
        double tp = before[0], fp = before[1];
        int64_t at = start;
        if (ranking->rule[start] == ranking->rule[end - 1]) {
            /* The end of the block is its only rule. */
            tp = after[0];
            fp = after[1];
            at = end;
            double gain = gain_of(tp, fp * scale, positives, task);
            if (gain > best && is_allowed(tp, fp * scale, of, task)) {
                best = gain;
                found = (Rule){end, tp, fp};
            }
        }
        for (; at < end; at++) {
            NAME(add_row)(drawn, ranking, at, &tp, &fp);
            if (!ranking->last[at])
                continue;
            double gain = gain_of(tp, fp * scale, positives, task);
            if (gain > best && is_allowed(tp, fp * scale, of, task)) {
                best = gain;
                found = (Rule){at + 1, tp, fp};
            }
        }
        if (best >= perfect)
            break;
    }
    return found;
}

/* Do the same as `best_rules.choose_plain`, from the sums that `add_up` has filled in. */
API void NAME(choose)(const DRAWN *weights, int64_t rows, int64_t units, const double *sums,
                const double *totals, const Ranking *ranking, const Task *task, int64_t *rule,
                double *tp, double *fp)
{
    for (int64_t row = 0; row < rows; row++) {
        const DRAWN *drawn = weights + row * units;
        const double *counts = sums + row * 2 * (ranking->blocks + 1);
        Case of = {totals[2 * row], totals[2 * row + 1], 1};
        if (task->ratio > 0) {
            of.scale = of.negatives > 0 ? of.positives * task->ratio / of.negatives : NAN;
            of.negatives = of.positives * task->ratio;
        }
        rule[row] = NO_RULE;
        tp[row] = fp[row] = NAN;
        if (of.positives > 0 && of.negatives > 0 && of.scale > 0) {
            double best = -INFINITY;
            if (task->allows_nothing && is_allowed(0, 0, &of, task)) {
                best = task->costs ? -task->first * of.positives : 0;
                rule[row] = 0;
                tp[row] = fp[row] = 0;
            }
            Rule found = NAME(best_end)(drawn, counts, ranking, task, &of, best);
            if (found.end > 0) {
                rule[row] = ranking->rule[found.end - 1];
                tp[row] = found.tp;
                fp[row] = found.fp;
            }
        }
    }
}
