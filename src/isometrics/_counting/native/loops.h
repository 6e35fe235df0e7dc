/* What all loops share. Nothing of Python is needed: `native.py` loads the library with ctypes.

   Results are those of NumPy, to the bit. So no option may be used that lets the compiler change
   the order of floating-point operations or join two of them (-ffp-contract=off). */

#ifndef ISOMETRICS_LOOPS_H
#define ISOMETRICS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

/* Loops that newer processors can do several rows at once in are compiled for these too; which
   version runs is decided when the library is loaded. */
#if defined(ISOMETRICS_CLONES)
#define VECTORISED __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define VECTORISED
#endif

/* A part of such a loop has to be compiled with it. */
#define INLINE static inline __attribute__((always_inline))

#define LANES 128

/* Add up lanes in pairs, as `segments.added_up` does; they are overwritten. */
INLINE double fold_lanes(double *lanes)
{
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            lanes[lane] += lanes[lane + half];
    return lanes[0];
}

#endif
