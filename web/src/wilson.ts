/** How sure a share of counted items is. */

/** The interval of Wilson (1927), z standard errors wide, for `part` of `whole` independent items. */
export function wilson(part: number, whole: number, z: number): [number, number] {
  if (!(whole > 0)) return [NaN, NaN];
  const share = part / whole;
  const middle = share + (z * z) / (2 * whole);
  const spread = z * Math.sqrt((share * (1 - share) + (z * z) / (4 * whole)) / whole);
  const scale = 1 + (z * z) / whole;
  // Where none or all are, the end of the scale is the end of the interval, without rounding.
  return [
    part === 0 ? 0 : (middle - spread) / scale,
    part === whole ? 1 : (middle + spread) / scale,
  ];
}
