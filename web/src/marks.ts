/** A mark for each look: told apart by shape as well as by colour. */

import {
  symbol,
  symbolAsterisk,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";

const SHAPES = [
  symbolCircle,
  symbolTriangle,
  symbolSquare,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
  symbolAsterisk,
];

/** The mark of a look; a dot for a model without one. */
export function glyph(look: number | undefined, area: number): string {
  return look === undefined
    ? symbol(symbolCircle, area / 2)()!
    : symbol(SHAPES[look % SHAPES.length], area)()!;
}

const DASHES = ["", "", "", "", "14 3", "10 3 2 3", "14 3 2 3 2 3", "4 2"];

/** The dash of the curve of a look: colours from the fifth on are close to others. */
export function dash(look: number | undefined): string | null {
  return (look !== undefined && DASHES[look % DASHES.length]) || null;
}
