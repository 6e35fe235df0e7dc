/** What can be saved: panels as pictures that stand on their own, points and thresholds as CSV. */

import { h, s, save, set } from "./dom";
import { exact, shortened } from "./format";
import { dash, glyph } from "./looks";
import * as pr from "./spaces/pr";
import * as prg from "./spaces/prg";
import * as roc from "./spaces/roc";
import { matrixAt } from "./table";
import { thresholdRows } from "./thresholds";
import type { View } from "./view";

/** What a picture says about itself, since it leaves the page. */
export interface Caption {
  /** The title of the report. */
  readonly report: string;
  /** What the panel shows. */
  readonly title: string;
  /** The models that are drawn. */
  readonly models: readonly { readonly look: number | undefined; readonly name: string }[];
}

/** The models of a picture: those with a look, and how many are grey. */
export function captioned(view: View): Caption["models"] {
  const bright = view.shown.filter(({ place }) => view.looks.has(place));
  const grey = view.shown.length - bright.length;
  const models = bright.map(({ place, model: { name } }) => ({
    look: view.looks.get(place),
    name,
  }));
  const rest = { look: undefined, name: `${grey} more` };
  return grey ? [...models, rest] : models;
}

const LINE = 20;
const PAD = 12;
/** About how wide a letter is, in pixels. */
const LETTER = 7;

const COPIED = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linejoin",
  "paint-order",
  "opacity",
  "font-size",
  "font-family",
  "font-weight",
  "text-anchor",
] as const;

/** The text of an SVG that looks the same without the page's styles, under its title and legend. */
function svgText(svg: SVGSVGElement, caption: Caption): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  from.forEach((element, place) => {
    const style = getComputedStyle(element);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value) to[place]!.setAttribute(name, value);
    }
  });
  const { width, height } = svg.viewBox.baseVal;
  const head = headOf(svg, caption, width);
  const drawing = s("g", { transform: `translate(0,${head.height})` }, ...copy.childNodes);
  const tall = height + head.height;
  const ground = { width: "100%", height: "100%", fill: colourOf(svg, "--ground") };
  copy.replaceChildren(s("rect", ground), head.element, drawing);
  set(copy, { xmlns: "http://www.w3.org/2000/svg", width, height: tall });
  set(copy, { viewBox: `0 0 ${width} ${tall}` });
  for (const name of [...copy.getAttributeNames()])
    if (name.startsWith("aria-") || name === "role" || name === "tabindex" || name === "class")
      copy.removeAttribute(name);
  return new XMLSerializer().serializeToString(copy);
}

/** The title of the picture, and below it the models with their colours and marks. */
function headOf(svg: SVGSVGElement, caption: Caption, width: number) {
  const element = s("g");
  const ink = colourOf(svg, "--ink");
  const font = getComputedStyle(svg).fontFamily;
  const write = (text: string, x: number, y: number, weight: string, size: number): void => {
    const look = { fill: ink, "font-weight": weight, "font-size": size, "font-family": font };
    element.append(s("text", { x, y, ...look }, text));
  };
  const room = Math.floor((width - 2 * PAD) / LETTER);
  write(shortened(`${caption.report}: ${caption.title}`, room), PAD, LINE, "650", 14);
  let [x, y] = [PAD, 2 * LINE];
  for (const { look, name } of caption.models) {
    const text = shortened(name, Math.min(room - 4, 40));
    const wide = 36 + text.length * LETTER;
    if (x > PAD && x + wide > width - PAD) [x, y] = [PAD, y + LINE];
    const colour = colourOf(svg, look === undefined ? "--rest" : `--m${look}`);
    const transform = `translate(${x + 12},${y - 4})`;
    const drawn = { transform, fill: colour, stroke: colour, "stroke-width": "2" };
    element.append(
      s("path", { d: "M-12,0H12", ...drawn, "stroke-dasharray": dash(look) }),
      s("path", { d: glyph(look, 60), ...drawn }),
    );
    write(text, x + 30, y, "400", 12);
    x += wide;
  }
  return { element, height: caption.models.length ? y + 8 : LINE + 8 };
}

/** A colour of the page as it is in the theme shown; the text of its variable has both themes. */
function colourOf(element: Element, name: string): string {
  const probe = h("span", { hidden: true });
  element.parentElement!.append(probe);
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A title as the name of a file: letters, digits and dashes. */
export function fileName(...titles: readonly string[]): string {
  const parts = titles.map((title) =>
    title
      .normalize("NFKD")
      .replace(/[^\p{Letter}\p{Number}.]+/gu, "-")
      .replace(/^[-.]+|[-.]+$/g, "")
      .slice(0, 60),
  );
  return parts.filter(Boolean).join("-") || "isometrics";
}

export function saveSvg(svg: SVGSVGElement, caption: Caption): void {
  const name = fileName(caption.report, caption.title);
  save(svgText(svg, caption), `${name}.svg`, "image/svg+xml");
}

/** Saves a picture of twice as many pixels as the panel has on the screen. */
export async function savePng(svg: SVGSVGElement, caption: Caption): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(svg, caption))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
  if (blob) save(blob, `${fileName(caption.report, caption.title)}.png`, "image/png");
}

/** A value as CSV has it. */
export function cell(value: string | number): string {
  if (typeof value === "number") return exact(value);
  // A spreadsheet would take it for a formula.
  if (/^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value))) value = `'${value}`;
  return /[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
}

function csv(rows: readonly (readonly (string | number)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** All rows of the models shown, under the settings. */
export function pointsCsv(view: View): string {
  const head =
    "model,threshold,tp,fp,fn,tn,false_positive_rate,precision,recall,precision_gain,recall_gain,f,f_gain";
  const rows: (string | number)[][] = [head.split(",")];
  const { beta } = view.settings;
  for (const { model, table } of view.shown)
    for (let row = 0; row < table.tp.length; row++) {
      rows.push([
        model.name,
        table.labels?.[row] ?? table.thresholds[row]!,
        ...Object.values(matrixAt(table, row)),
        roc.x(table, row),
        pr.y(table, row),
        pr.x(table, row),
        prg.y(table, row),
        prg.x(table, row),
        pr.f(table, row, beta),
        prg.fGain(table, row, beta),
      ]);
    }
  return csv(rows);
}

/** The best thresholds for every β of the models shown, as the table by β has them. */
export function thresholdsCsv(view: View): string {
  const rows: (string | number)[][] = [
    ["model", "beta_lo", "beta_hi", "threshold", "tp", "fp", "precision", "recall"],
  ];
  for (const one of view.shown)
    for (const { row, betaLo, betaHi } of thresholdRows(one, view.settings)) {
      const { table } = one;
      rows.push([
        one.model.name,
        betaLo,
        betaHi,
        table.labels?.[row] ?? table.thresholds[row]!,
        table.tp[row]!,
        table.fp[row]!,
        pr.y(table, row),
        pr.x(table, row),
      ]);
    }
  return csv(rows);
}
