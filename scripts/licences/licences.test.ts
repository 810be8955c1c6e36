/** Protects: nothing ships without the text of its licence. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { findInstalledPackages } from "../../packages/cli/src/licences/installed-packages.ts";
import {
  toLicenceList,
  toLicenceText,
  toParts,
} from "../../packages/cli/src/licences/licence-list.ts";
import { listInstalledLicences } from "../../packages/cli/src/licences/read-licences.ts";
import { runtimeVersion } from "../../packages/cli/src/licences/runtime-parts.ts";
import { textsElsewhere } from "../../packages/cli/src/licences/texts-elsewhere.ts";
import { findAllLicenceFaults, listProduction } from "../check-licences.ts";
import { findLicenceFaults, isPermissive } from "./find-faults.ts";

const root = resolve(import.meta.dirname, "../..");
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-licences-"));
  await write("app/package.json", {
    name: "@hub/app",
    version: "1.0.0",
    license: "MIT",
    dependencies: { one: "1.0.0", bun: "1.0.0" },
    peerDependencies: { absent: "1.0.0" },
  });
  const one = { name: "one", version: "1.2.0", license: "ISC", dependencies: { two: "*" } };
  await write("app/node_modules/one/package.json", one);
  await write("app/node_modules/one/LICENSE.md", "Text of one\r\n");
  const two = { name: "two", version: "2.0.0", license: "(MIT OR GPL-3.0-only)" };
  await write("app/node_modules/one/node_modules/two/package.json", two);
  await write("app/node_modules/one/node_modules/two/COPYING", "Text of two");
});
afterAll(() => rm(folder, { recursive: true }));

async function write(path: string, content: unknown): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await writeFile(join(folder, path), text);
}

const find = () => findInstalledPackages([join(folder, "app")]);
/** Without the entries that this checkout needs and the folder does not. */
const findFaults = async () =>
  (await findLicenceFaults(find())).filter((fault) => !fault.includes("needs no entry"));

test("The packages that a package needs are found with those that these need", async () => {
  expect(find().packages.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(await findFaults()).toEqual([]);
});

test("A package whose file is taken away, that is not installed or has another licence is named", async () => {
  await rm(join(folder, "app/node_modules/one/LICENSE.md"));
  expect(await findFaults()).toEqual([expect.stringContaining("one 1.2.0 has no file")]);
  await write("app/node_modules/one/LICENSE.md", " \r\n");
  expect(await findFaults()).toEqual([expect.stringContaining("one 1.2.0 has no file")]);
  await write("app/node_modules/one/LICENSE.md", "Text of one\n");
  const two = "app/node_modules/one/node_modules/two";
  await write(`${two}/package.json`, { name: "two", version: "2.0.0", license: "GPL-3.0-only" });
  expect(await findFaults()).toEqual([
    expect.stringContaining('two 2.0.0 has the licence "GPL-3.0-only"'),
  ]);
  await rm(join(folder, two), { recursive: true });
  expect(await findFaults()).toEqual([expect.stringContaining("two (of one) is not installed")]);
  expect((await findLicenceFaults(find())).join("\n")).toContain("tr46 needs no entry");
});

test.each([
  ["MIT", true],
  ["(MIT OR CC0-1.0)", true],
  ["MIT OR GPL-2.0-only", true],
  ["MIT AND ISC", true],
  ["OFL-1.1", true],
  ["MIT AND GPL-2.0-only", false],
  ["MIT AND ISC OR GPL-2.0-only", false],
  ["LGPL-2.1-only", false],
  ["SEE LICENSE IN LICENSE.txt", false],
  ["not stated", false],
])("The licence %s may ship: %p", (id, isAllowed) => {
  expect(isPermissive(id)).toBe(isAllowed);
});

test("A text that several packages have is in the list once, and parts in any order give the same list", () => {
  const part = (name: string, ...texts: string[]) => ({
    name,
    version: "1.0.0",
    licence: "MIT",
    texts,
  });
  const parts = [
    part("b", "A text \r\nof two lines\n"),
    part("a", "A text\nof two lines"),
    part("c", "C"),
  ];
  const list = toLicenceList(parts);
  expect(list.texts).toEqual(["A text\nof two lines", "C"]);
  expect(toLicenceList([...parts].reverse())).toEqual(list);
  expect(toLicenceList(toParts(list))).toEqual(list);
  expect(toLicenceText(list)).toContain("Text 1, of a 1.0.0, b 1.0.0\n\nA text\nof two lines");
});

test("The packages of this checkout have their licences, and the check finds a package of the lock file that is not listed", async () => {
  expect(await findAllLicenceFaults()).toEqual([]);
  const lock = {
    "": {},
    "node_modules/bun": { version: "1.0.0" },
    "node_modules/@hub/cli": { link: true },
    "node_modules/a/node_modules/@b/c": { version: "1.0.0" },
    "node_modules/tool": { version: "1.0.0", dev: true },
    "node_modules/optional": { version: "1.0.0", peer: true },
  };
  expect(listProduction({ packages: lock }, () => false)).toEqual(["@b/c 1.0.0"]);
  expect(listProduction({ packages: lock }, () => true)).toEqual(["@b/c 1.0.0", "optional 1.0.0"]);
});

test("The list of this checkout has a text for each part: packages of the server and of the pages, the runtime and the hub", async () => {
  const { packages, texts } = await listInstalledLicences(root);
  const names = packages.map(({ name }) => name);
  expect(names).toContainValues(["hub", "bun", "hono", "react", "koa-compose"]);
  expect(names).toContain("JavaScriptCore and WebCore (in Bun)");
  expect(packages.filter((part) => part.texts.length === 0)).toEqual([]);
  expect(texts.join("\n")).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
  expect(textsElsewhere.filter(({ name }) => !names.includes(name))).toEqual([]);
  expect(packages.length).toBeGreaterThan(200);
});

test("The list of Bun's libraries is that of the installed Bun", async () => {
  const own = await readFile(join(root, `packages/cli/licences/bun-${runtimeVersion}.md`), "utf8");
  const types = join(root, "node_modules/bun-types");
  expect((await Bun.file(join(types, "package.json")).json()).version).toBe(runtimeVersion);
  expect(await readFile(join(types, "docs/project/license.mdx"), "utf8")).toBe(own);
});
