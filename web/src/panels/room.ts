/** Where there is room for words: labels that would collide with lines are left out. */

export type Pixels = readonly (readonly [number, number])[];

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The side of a cell in pixels. */
const CELL = 3;

export class Room {
  private readonly columns: number;
  private readonly rows: number;
  private readonly taken: Uint8Array;

  constructor(
    private readonly area: Box,
    taken?: Uint8Array,
  ) {
    this.columns = Math.ceil(area.width / CELL) + 1;
    this.rows = Math.ceil(area.height / CELL) + 1;
    this.taken = taken ?? new Uint8Array(this.columns * this.rows);
  }

  copy(): Room {
    return new Room(this.area, this.taken.slice());
  }

  /** Takes the cells that a line crosses. */
  mark(line: Pixels): void {
    for (let place = 0; place < line.length; place++) {
      const [x, y] = line[place]!;
      const [fromX, fromY] = line[Math.max(place - 1, 0)]!;
      const [dx, dy] = [x - fromX, y - fromY];
      const { area } = this;
      // Lines far outside have many pixels that nobody sees.
      const [startX, endX] = within(fromX, dx, area.x, area.x + area.width);
      const [startY, endY] = within(fromY, dy, area.y, area.y + area.height);
      const [start, end] = [Math.max(startX, startY), Math.min(endX, endY)];
      if (!(start <= end)) continue;
      const away = Math.max(Math.abs(dx), Math.abs(dy)) * (end - start);
      const steps = Math.ceil((2 * away) / CELL) || 1;
      for (let step = 0; step <= steps; step++) {
        const share = start + ((end - start) * step) / steps;
        this.set(fromX + dx * share, fromY + dy * share);
      }
    }
  }

  private set(x: number, y: number): void {
    const column = Math.floor((x - this.area.x) / CELL);
    const row = Math.floor((y - this.area.y) / CELL);
    if (column >= 0 && column < this.columns && row >= 0 && row < this.rows)
      this.taken[row * this.columns + column] = 1;
  }

  /** Takes a box if it lies inside and is free; false if it does not. */
  take(box: Box): boolean {
    const { area } = this;
    const isInside =
      box.x >= area.x &&
      box.y >= area.y &&
      box.x + box.width <= area.x + area.width &&
      box.y + box.height <= area.y + area.height;
    if (!isInside) return false;
    const cells = this.cells(box);
    if (cells.some((cell) => this.taken[cell])) return false;
    for (const cell of cells) this.taken[cell] = 1;
    return true;
  }

  /** Takes a box whether it is free or not. */
  block(box: Box): void {
    for (const cell of this.cells(box)) this.taken[cell] = 1;
  }

  private cells({ x, y, width, height }: Box): number[] {
    const cells: number[] = [];
    const inside = (value: number, most: number): number => Math.min(Math.max(value, 0), most - 1);
    const left = inside(Math.floor((x - this.area.x) / CELL), this.columns);
    const right = inside(Math.floor((x + width - this.area.x) / CELL), this.columns);
    const top = inside(Math.floor((y - this.area.y) / CELL), this.rows);
    const bottom = inside(Math.floor((y + height - this.area.y) / CELL), this.rows);
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) cells.push(row * this.columns + column);
    return cells;
  }
}

const widths = new Map<string, number>();
let pen: CanvasRenderingContext2D | null = null;

/** How wide a text is in the font of the page, without making the browser lay out anything. */
export function textWidth(text: string, size: number): number {
  const key = `${size} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    pen ??= document.createElement("canvas").getContext("2d")!;
    pen.font = `${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** The shares of a way at which it enters and leaves what lies between two ends. */
function within(from: number, way: number, low: number, high: number): [number, number] {
  if (way === 0) return from >= low && from <= high ? [0, 1] : [1, 0];
  const [one, two] = [(low - from) / way, (high - from) / way];
  return [Math.max(Math.min(one, two), 0), Math.min(Math.max(one, two), 1)];
}

/** The points at shares of the length of a line, of what lies inside a box. */
export function along(line: Pixels, area: Box, shares: readonly number[]): [number, number][] {
  const isInside = ([x, y]: readonly [number, number]): boolean =>
    x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
  const lengths = [0];
  for (let place = 1; place < line.length; place++) {
    const [from, to] = [line[place - 1]!, line[place]!];
    const inside = isInside(from) && isInside(to);
    const step = inside ? Math.hypot(to[0] - from[0], to[1] - from[1]) : 0;
    lengths.push(lengths.at(-1)! + step);
  }
  const all = lengths.at(-1)!;
  if (!all) return [];
  return shares.map((share) => {
    const place = Math.max(
      lengths.findIndex((length) => length >= share * all),
      1,
    );
    const [from, to] = [line[place - 1]!, line[place]!];
    const step = lengths[place]! - lengths[place - 1]!;
    const part = step ? (share * all - lengths[place - 1]!) / step : 0;
    return [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])];
  });
}
