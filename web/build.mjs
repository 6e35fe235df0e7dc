/**
 * Builds the page: `node build.mjs [FOLDER]`, by default into the Python package.
 *
 * report.html is the page with places for a title and data; widget.js is the same for notebooks;
 * licences.txt has the licences of everything that is bundled into them.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../src/isometrics/report/static"));

const options = {
  absWorkingDir: here,
  bundle: true,
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  minify: true,
  target: ["es2022"],
  metafile: true,
  write: false,
};

/** The packages whose code went into some bundle. */
const packages = new Set();

async function bundled(entry, format, plugins = []) {
  const result = await build({ ...options, entryPoints: [entry], format, plugins });
  for (const output of Object.values(result.metafile.outputs))
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
      if (found && bytesInOutput) packages.add(found[1]);
    }
  return result.outputFiles[0].text.trimEnd();
}

function licences() {
  return [...packages].sort().map((name) => {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf-8"));
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
    if (!file) throw new Error(`${name} has no licence file`);
    return { name, version, license, text: readFileSync(join(folder, file), "utf-8").trim() };
  });
}

const base85 = Buffer.from(await bundled("src/packing.ts", "esm")).toString("base64");
const { textOf } = await import(`data:text/javascript;base64,${base85}`);

/**
 * `import source from "packed:./worker"` is the text of that module and all it imports, deflated
 * and in base 85.
 */
const packedText = {
  name: "packed",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^packed:/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, `${path.slice("packed:".length)}.ts`),
      namespace: "packed",
    }));
    onLoad({ filter: /.*/, namespace: "packed" }, async ({ path }) => ({
      contents: textOf(deflateRawSync(await bundled(path, "iife"), { level: 9 })),
      loader: "text",
    }));
  },
};

const ROOT = ".isometrics ";

/** Yields the heads and the bodies of the outermost rules of a minified style sheet. */
function* rulesOf(css) {
  for (let at = 0; at < css.length;) {
    const open = css.indexOf("{", at);
    let [end, depth] = [open + 1, 1];
    for (; depth; end++) depth += css[end] === "{" ? 1 : css[end] === "}" ? -1 : 0;
    yield [css.slice(at, open), css.slice(open + 1, end - 1)];
    at = end;
  }
}

/** Neighbouring rules about parts of the page say once that they are: `.a b{} .a c{}` as `.a{b{}c{}}`. */
function nested(css) {
  let [text, parts] = ["", ""];
  const flush = () => {
    if (parts) text += `${ROOT.trim()}{${parts}}`;
    parts = "";
  };
  for (const [head, body] of rulesOf(css)) {
    // Commas inside of brackets part no selectors.
    const selectors = head.split(/,(?![^(]*\))/);
    if (selectors.every((each) => each.startsWith(ROOT)))
      parts += `${selectors.map((each) => each.slice(ROOT.length)).join(",")}{${body}}`;
    else {
      flush();
      text += `${head}{${/^@(media|container)/.test(head) ? nested(body) : body}}`;
    }
  }
  flush();
  return text;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf-8").digest("base64")}'`;

const code = await bundled("src/main.ts", "iife", [packedText]);
const widget = await bundled("src/widget.ts", "esm", [packedText]);
const notice = licences()
  .map(({ name, license }) => `${name} (${license})`)
  .join(", ");
const banner = `/* isometrics (BSD-3-Clause), with ${notice}; see report/static/licences.txt there. */`;
const script = `${banner}\n${code}`;
const style = nested(await bundled("src/style.css", "esm"));
for (const text of [script, style])
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error("the bundle would end its own element");

const policy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "img-src data: blob:",
  "worker-src blob:",
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join("; ");

const page = readFileSync(join(here, "src/page.html"), "utf-8")
  .replace("{{policy}}", () => policy)
  .replace("{{style}}", () => style)
  .replace("{{script}}", () => script);

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "report.html"), page);
writeFileSync(join(out, "widget.js"), `${banner}\n${widget}\n`);
writeFileSync(join(out, "widget.css"), `${style}\n`);
writeFileSync(
  join(out, "licences.txt"),
  licences()
    .map(({ name, version, license, text }) => `${name} ${version} (${license})\n\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`),
);
