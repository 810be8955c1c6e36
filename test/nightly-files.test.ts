/** Protects: what `.ci/run` leaves to `.ci/nightly` has something that shows its subject in `.ci/run`, or says why not. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { byNameOnly, nightlyFiles } from "./support/nightly-files.ts";

const root = resolve(import.meta.dirname, "..");
const isTest = (path: string) => path.endsWith(".test.ts") && existsSync(join(root, path));

test("Each file that only .ci/nightly runs exists, and has a twin that .ci/run runs, or a reason", () => {
  const files = Object.entries(nightlyFiles);
  expect(files.length).toBeGreaterThan(0);
  const faults = files.flatMap(([file, why]) => {
    if (!isTest(file)) return [`There is no ${file}.`];
    if ("reason" in why) return why.reason.endsWith(".") ? [] : [`${file}: say why in a sentence.`];
    const isRun = isTest(why.twin) && !(why.twin in nightlyFiles) && !byNameOnly.includes(why.twin);
    return isRun ? [] : [`${file}: .ci/run does not run ${why.twin}.`];
  });
  expect(faults).toEqual([]);
  expect(byNameOnly.filter((file) => !isTest(file))).toEqual([]);
});

test("A file with tests for .ci/nightly has others for .ci/run", () => {
  const files = [...new Glob("{packages,plugins,test}/**/*.test.ts").scanSync(root)]
    .filter((file) => !file.includes("node_modules/"))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => /\bnightly(?:Test|Describe)\w*[.(]/.test(text));
  expect(files.length).toBeGreaterThan(0);
  const without = files.filter(({ text }) => !/^\s*(?:test|testOnSqlite)\b[.(]/m.test(text));
  expect(without.map(({ file }) => file)).toEqual([]);
});
