/** The page as a file: data from its own text, and a place to drop more. */

import { mount } from "./app";
import type { Source } from "./commands";
import { DropPage } from "./drop/page";
import { pageKeeper } from "./history";
import type { ReportData } from "./model";

const DATA = "isometrics-data";

// Taken before anything is drawn: what a report of other data is made from.
const pristine = document.documentElement.cloneNode(true) as HTMLElement;

function pageWith(data: ReportData, settings: string): string {
  const page = pristine.cloneNode(true) as HTMLElement;
  page.querySelector("title")!.textContent = data.title;
  const empty = page.querySelector<HTMLElement>("#isometrics")!;
  // A page that the browser saved has its drawings, too.
  empty.replaceChildren();
  empty.dataset["settings"] = settings;
  if (data !== given) page.querySelector("noscript")!.textContent = "This report needs JavaScript.";
  // No name may end the element that holds it.
  page.querySelector(`#${DATA}`)!.textContent = JSON.stringify(data).replace(
    /[<>&]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `<!doctype html>\n${page.outerHTML}\n`;
}

const root = document.getElementById("isometrics")!;
const given = JSON.parse(document.getElementById(DATA)!.textContent!) as ReportData;
const keeper = pageKeeper(root);
const drop = new DropPage((report, source) => {
  // The settings so far were about other data.
  keeper.write({ saved: "", shared: "" }, true);
  show(report, source);
});

function show(data: ReportData, source: Source | null): void {
  document.title = data.title;
  mount(root, data, { pageWith, keeper, footer: drop.element, source });
}

drop.listen(document.body);
show(given, null);
