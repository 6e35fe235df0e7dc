/** A mark for each model: told apart by shape as well as by colour. */

import {
  symbol,
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
];

export function glyph(model: number, area: number): string {
  // Colours repeat after seven models; shapes move on by one then, so that no pair does.
  const shape = (model + Math.floor(model / SHAPES.length)) % SHAPES.length;
  return symbol(SHAPES[shape], area)()!;
}
