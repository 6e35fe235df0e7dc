import assert from "node:assert/strict";
import { test } from "node:test";

import { Fraction, share, Sum, wilson } from "../src/arithmetic";
import { counted, decimals, levelSaid, shortened, tick } from "../src/format";
import { USUAL } from "../src/model";
import { packedBelow, packedFloats, packedIntegers, unpacked, unpackedBelow } from "../src/packing";
import { fileName } from "../src/saving";
import { vertices } from "../src/table";

const of = Fraction.of;

test("a float survives the way through a fraction", () => {
  for (const value of [0, 1, -3, 0.1, -2.5e-8, 1e300, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308])
    assert.equal(of(value).toNumber(), value);
  assert.throws(() => of(NaN), RangeError);
  assert.throws(() => of(1).over(of(0)), RangeError);
});

test("fractions are rounded once, ties to even", () => {
  assert.equal(of(1).over(of(3)).toNumber(), 1 / 3);
  assert.equal(
    of(2 ** 53)
      .plus(of(1))
      .toNumber(),
    2 ** 53,
  );
  assert.equal(
    of(2 ** 53)
      .plus(of(3))
      .toNumber(),
    2 ** 53 + 4,
  );
  assert.equal(of(-1).over(of(10)).toNumber(), -0.1);
  assert.equal(of(0.1).plus(of(0.2)).compare(of(0.3)), 1);
  for (let round = 0; round < 200; round++) {
    const [a, b] = [Math.floor(Math.random() * 2 ** 52), 1 + Math.floor(Math.random() * 2 ** 52)];
    assert.equal(of(a).over(of(b)).toNumber(), a / b);
  }
});

test("a share needs parts of one sign", () => {
  assert.equal(share(of(1), of(3)), 0.25);
  assert.equal(share(of(-1), of(-3)), 0.25);
  assert.ok(Number.isNaN(share(of(1), of(-3))));
  assert.ok(Number.isNaN(share(of(0), of(0))));
});

test("products beyond 2**53 do not bend the hull", () => {
  const big = 2 ** 40;
  // Three points on a line, and the same with the middle one a unit above and below it.
  const x = Float64Array.of(0, big, 2 * big);
  assert.deepEqual(vertices(x, Float64Array.of(0, big, 2 * big), true), [0, 2]);
  assert.deepEqual(vertices(x, Float64Array.of(0, big + 1, 2 * big), true), [0, 1, 2]);
  assert.deepEqual(vertices(x, Float64Array.of(0, big - 1, 2 * big), true), [0, 2]);
  const far = 2 ** 52;
  const wide = Float64Array.of(0, far, 2 * far - 2);
  assert.deepEqual(vertices(wide, Float64Array.of(0, far - 1, 2 * far - 4), true), [0, 1, 2]);
});

test("equal neighbours are one vertex, the first", () => {
  const x = Float64Array.of(0, 0, 1, 1, 2);
  const y = Float64Array.of(0, 0, 2, 2, 2);
  assert.deepEqual(vertices(x, y, true), [0, 2, 4]);
});

test("packed numbers come back to the bit", () => {
  const values = Float64Array.of(Infinity, 1.5, 0, -0, -1e-300, -Infinity, NaN);
  const again = unpacked(packedFloats(values));
  values.forEach((value, place) => assert.ok(Object.is(again[place], value)));
  const counts = [0, 5, 5, 2 ** 53 - 1, 3, -7];
  assert.deepEqual(Array.from(unpacked(packedIntegers(counts))), counts);
  // As in Python.
  assert.deepEqual(packedIntegers([0, 1, 3, 3]), { whole: "000001gAg" });
  const below = Float64Array.of(1.5, 1.25, -0, NaN, -1, -Infinity, -Infinity);
  const near = unpackedBelow(values, packedBelow(values, below));
  below.forEach((value, place) => assert.ok(Object.is(near[place], value)));
  assert.equal(unpacked(packedFloats(new Float64Array(0))).length, 0);
  assert.throws(() => unpacked({ whole: "" }), /no header/);
  assert.throws(() => unpacked({ real: "000001g" }), /too early/);
  assert.throws(() => unpacked({ real: "00<000" }), /other letters/);
});

test("a compensated sum keeps what a plain one loses", () => {
  const sum = new Sum();
  for (const term of [1, 1e100, 1, -1e100]) sum.add(term);
  assert.equal(sum.value, 2);
});

test("Wilson's interval, against values by hand", () => {
  const near = (found: number, right: number): void => assert.ok(Math.abs(found - right) < 5e-5);
  // 8 of 10: (0.4902, 0.9433); none of 20: (0, 0.1611).
  near(wilson(8, 10, USUAL.z)[0], 0.4902);
  near(wilson(8, 10, USUAL.z)[1], 0.9433);
  assert.equal(wilson(0, 20, USUAL.z)[0], 0);
  near(wilson(0, 20, USUAL.z)[1], 0.1611);
  assert.equal(wilson(48, 48, USUAL.z)[1], 1);
  assert.ok(Number.isNaN(wilson(0, 0, USUAL.z)[0]));
  // 90 %: 8 of 10 gives (0.5408, 0.9314).
  near(wilson(8, 10, 1.6448536269514722)[0], 0.5408);
  near(wilson(8, 10, 1.6448536269514722)[1], 0.9314);
});

test("numbers never claim more than they are", () => {
  assert.equal(decimals(0.18), "0.180");
  assert.equal(decimals(1), "1.000");
  assert.equal(decimals(0.99987), "0.9999");
  assert.equal(decimals(0.9999999), "0.9999999");
  assert.equal(decimals(1 - 1e-15), "1.000");
  assert.equal(decimals(0), "0.000");
  assert.equal(decimals(-0.00004), "−0.00004");
  assert.equal(counted(201524), "201,524");
  assert.equal(counted(1619), "1,619");
  assert.equal(counted(1326.6643), "1,326.66");
  assert.equal(counted(7546379.92), "7,546,380");
  assert.equal(counted(0.00012345678), "0.000123457");
  assert.equal(counted(-1234), "-1,234");
  assert.equal(tick(0), "0");
  assert.equal(tick(1.5e-12), "1.5e−12");
  assert.equal(tick(-2e-7), "−2e−7");
  assert.equal(levelSaid(0.999), "99.9%");
  assert.equal(shortened("forest", 6), "forest");
  assert.equal(shortened("forests", 6), "fores…");
});

test("names of files", () => {
  assert.equal(fileName("May 2025: a/b\\c", "ROC"), "May-2025-a-b-c-ROC");
  assert.equal(fileName("../../etc/passwd"), "etc-passwd");
  assert.equal(fileName("…"), "isometrics");
  assert.equal(fileName("x".repeat(500)).length, 60);
});
