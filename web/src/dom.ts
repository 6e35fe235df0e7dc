/** Elements made from code; whatever a user named goes in as text, never as HTML. */

type Attribute = string | number | boolean | null | undefined | ((event: Event) => void);
type Attributes = Readonly<Record<string, Attribute>>;
type Child = Node | string | null | false | undefined;

/** What an element is made with: attributes, if it has any, and children. */
type Content = readonly [Attributes, ...(readonly Child[])] | readonly Child[];
type TagOf<Selector> = Selector extends `${infer Tag}.${string}` ? Tag : Selector;
type Made<Elements, Selector> =
  TagOf<Selector> extends keyof Elements ? Elements[TagOf<Selector>] : never;

/** `h("p.note", { id }, "text")`: an element with classes, attributes (`onclick` and the like are listeners) and children. */
export function h<Selector extends string>(
  selector: Selector,
  ...content: Content
): Made<HTMLElementTagNameMap, Selector> {
  return made("http://www.w3.org/1999/xhtml", selector, content) as never;
}

/** The same for a part of a drawing. */
export function s<Selector extends string>(
  selector: Selector,
  ...content: Content
): Made<SVGElementTagNameMap, Selector> {
  return made("http://www.w3.org/2000/svg", selector, content) as never;
}

function made(space: string, selector: string, content: Content): Element {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElementNS(space, tag!);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const each of content)
    if (each instanceof Node || typeof each === "string") element.append(each);
    else if (each) set(element, each);
  return element;
}

export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, String(value));
  }
}

/** A button, and what it does. */
export function button(
  label: string,
  act: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return h("button", { type: "button", onclick: act, ...attributes }, label);
}

/** A box with choices; `change` is called with the one that is taken. */
export function choiceBox<Name extends string>(
  names: readonly (readonly [Name, string])[],
  change: (name: Name) => void,
  attributes: Attributes = {},
): HTMLSelectElement {
  const options = names.map(([value, text]) => h("option", { value }, text));
  const box = h("select", attributes, ...options);
  box.addEventListener("change", () => change(box.value as Name));
  return box;
}

/** A table in a window of its own, in which it scrolls. */
export function scrolling(
  label: string,
  isTall: boolean,
  ...content: readonly Child[]
): HTMLElement {
  return h(
    "div",
    { class: isTall ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", ...content),
  );
}

/** The heads of the columns of a table. */
export function headRow(...heads: readonly (readonly Child[] | Child)[]): HTMLElement {
  return h("tr", ...heads.map((each) => h("th", { scope: "col" }, ...[each].flat())));
}

/** Boxes in a row under one name. */
export function toggles(name: string, title: string, items: readonly Child[]): HTMLElement {
  const id = freshId("toggles");
  const head = h("span.name", { id }, title);
  return h("div", { class: name, role: "group", "aria-labelledby": id }, head, ...items);
}

let ids = 0;

/** A name that no other element has, also where a page holds several reports. */
export function freshId(stem: string): string {
  return `isometrics-${stem}-${++ids}`;
}

/** Offers text or bytes as a file to save. */
export function save(content: BlobPart, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Copies text; false where the browser forbids it. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without permission, or outside a secure context, there is still the old way.
    const area = h("textarea", { readonly: true, class: "isometrics-offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** A button that copies a text and says so. */
export function copyButton(label: string, describe: string, text: () => string): HTMLButtonElement {
  const act = async (): Promise<void> => {
    made.textContent = (await copy(text())) ? "Copied" : "Not allowed";
    setTimeout(() => (made.textContent = label), 1500);
  };
  const made = button(label, () => void act(), { class: "small", "aria-label": describe });
  return made;
}
