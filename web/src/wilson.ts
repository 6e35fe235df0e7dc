/** How sure a share of counted items is. */

const Z = 1.959963984540054;

/** The 95 % interval of Wilson (1927) for `part` of `whole` independent items. */
export function wilson(part: number, whole: number): [number, number] {
  if (!(whole > 0)) return [NaN, NaN];
  const share = part / whole;
  const middle = share + (Z * Z) / (2 * whole);
  const spread = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * whole)) / whole);
  const scale = 1 + (Z * Z) / whole;
  // Where none or all are, the end of the scale is the end of the interval, without rounding.
  return [
    part === 0 ? 0 : (middle - spread) / scale,
    part === whole ? 1 : (middle + spread) / scale,
  ];
}
