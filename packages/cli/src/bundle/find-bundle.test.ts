import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBundle } from "./find-bundle.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A checkout with one program that prints a word from its other file. */
function makeCheckout(): string {
  const root = mkdtempSync(join(tmpdir(), "hub-checkout-"));
  roots.push(root);
  mkdirSync(join(root, "packages/one/src"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  write(root, "main", 'import { word } from "./word.ts";\nconsole.log(word);');
  write(root, "word", 'export const word = "first";');
  return root;
}

function write(root: string, name: string, text: string): void {
  writeFileSync(join(root, "packages/one/src", `${name}.ts`), text);
}

function toRequest(root: string) {
  return { root, name: "one", mains: [join(root, "packages/one/src/main.ts")], folders: [] };
}

const find = (root: string) => findBundle(toRequest(root));
const listBundles = (root: string) => readdirSync(join(root, "node_modules/.cache/hub")).sort();

function run(folder: string | null): string {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, join(folder ?? "", "main.js")]);
  return stdout.toString() + stderr.toString();
}

test("An edited source takes effect at the next start", () => {
  const root = makeCheckout();
  const first = find(root);
  expect(run(first)).toBe("first\n");
  expect(find(root)).toBe(first);
  // Same length, and possibly the same timestamp as the bundle on a coarse clock.
  write(root, "word", 'export const word = "other";');
  expect(run(find(root))).toBe("other\n");
});

test("A test file beside the program does not change its bundle", () => {
  const root = makeCheckout();
  const first = find(root);
  write(root, "word.test", "");
  expect(find(root)).toBe(first);
});

test("Processes that start at the same time share one complete bundle", async () => {
  const root = makeCheckout();
  const finder = JSON.stringify(join(import.meta.dirname, "find-bundle.ts"));
  const request = JSON.stringify(toRequest(root));
  const program = `import { findBundle } from ${finder}; console.log(findBundle(${request}));`;
  const found = await Promise.all(
    Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" }).stdout.text(),
    ),
  );
  expect(new Set(found)).toEqual(new Set([`${find(root)}\n`]));
  expect(listBundles(root)).toHaveLength(1);
  expect(run(find(root))).toBe("first\n");
});

test("findBundle returns null when the sources have a syntax error or the cache cannot be written", () => {
  const root = makeCheckout();
  write(root, "word", "export const word = ;");
  expect(find(root)).toBeNull();
  expect(listBundles(root)).toEqual([]);
  write(root, "word", 'export const word = "first";');
  rmSync(join(root, "node_modules/.cache"), { recursive: true });
  writeFileSync(join(root, "node_modules/.cache"), "");
  expect(find(root)).toBeNull();
});

test("Old bundles are removed, except those that a running program still loads from", async () => {
  const root = makeCheckout();
  const held = find(root);
  const starts: Array<string | null> = [];
  for (const word of ["second", "third", "fourth", "fifth", "sixth"]) {
    write(root, "word", `export const word = "${word}";`);
    const finder = JSON.stringify(join(import.meta.dirname, "find-bundle.ts"));
    const request = JSON.stringify(toRequest(root));
    const program = `import { findBundle } from ${finder}; console.log(findBundle(${request}));`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe" });
    starts.push((await child.stdout.text()).trim());
    await child.exited;
  }
  const names = [held, ...starts.slice(-4)].map((path) => path?.split("/").at(-1));
  expect(listBundles(root)).toEqual(names.map(String).sort());
});
