/** What a page inside a notebook needs: its keys to itself, and the notebook's theme. */

/** JupyterLab runs none of its shortcuts for keys that are pressed inside such an element. */
const SUPPRESS = "data-lm-suppress-shortcuts";

/**
 * Keeps keys from the notebook, in which "d d" deletes a cell; returns what undoes it.
 *
 * Keys with Ctrl or ⌘ belong to the notebook (save, run, the palette), except those that edit a
 * number or undo a step.
 */
export function keepKeys(root: HTMLElement): () => void {
  // JupyterLab listens on the document before anything inside it is asked, the window even earlier.
  const mark = (event: KeyboardEvent): void => {
    if (event.target instanceof Node && root.contains(event.target))
      root.toggleAttribute(SUPPRESS, !isOfNotebook(event));
  };
  // Other notebooks listen behind the page.
  const stop = (event: KeyboardEvent): void => {
    if (!isOfNotebook(event)) event.stopPropagation();
  };
  root.setAttribute(SUPPRESS, "");
  window.addEventListener("keydown", mark, true);
  for (const kind of ["keydown", "keypress", "keyup"] as const) root.addEventListener(kind, stop);
  return () => window.removeEventListener("keydown", mark, true);
}

function isOfNotebook({ key, ctrlKey, metaKey, shiftKey }: KeyboardEvent): boolean {
  if (!ctrlKey && !metaKey) return false;
  return !(shiftKey ? /^z$/i : /^[acvxyz]$/i).test(key);
}

/** The theme of the notebook around the page; null where it does not tell. */
function themeOfHost(): "light" | "dark" | null {
  const { body, documentElement } = document;
  const jupyter = body.dataset["jpThemeLight"];
  if (jupyter) return jupyter === "false" ? "dark" : "light";
  const code = body.dataset["vscodeThemeKind"];
  if (code) return code.endsWith("light") ? "light" : "dark";
  const colab = documentElement.getAttribute("theme");
  return colab === "dark" || colab === "light" ? colab : null;
}

/** Lets the page follow the theme of the notebook; returns what ends that. */
export function followTheme(root: HTMLElement): () => void {
  const follow = (): void => {
    const theme = themeOfHost();
    if (theme) root.dataset["host"] = theme;
    else delete root.dataset["host"];
  };
  follow();
  const observer = new MutationObserver(follow);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, {
      attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind", "theme"],
    });
  return () => observer.disconnect();
}
