/**
 * Bundles the tests, answers.ts, rules.ts, texts.ts and verdicts.ts, and runs the tests with Node's own runner.
 *
 * `node run.mjs`, or `node run.mjs --only-build FOLDER`.
 */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const onlyBuild = process.argv[2] === "--only-build";
const out = onlyBuild ? process.argv[3] : mkdtempSync(join(tmpdir(), "isometrics-page-"));

const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
await build({
  absWorkingDir: here,
  entryPoints: [...tests, "answers.ts", "rules.ts", "texts.ts", "verdicts.ts"].map((name) =>
    join(here, name),
  ),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
});
if (!onlyBuild) {
  const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
  const done = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
  rmSync(out, { recursive: true });
  process.exitCode = done.status ?? 1;
}
