import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brandHosts } from "@hub/contract/brand-hosts.ts";
import { buildWeb } from "./build-web.ts";
import { measureContrast } from "./draw-logos.ts";

const firstPageBytesMax = 180 * 1024;
/** Inspector and dialogs are loaded when they are opened first. */
const canvasBytesMax = 90 * 1024;

const out = mkdtempSync(join(tmpdir(), "hub-web-"));
type Manifest = { entry: string; preloads: string[]; styles: string[]; files: string[] };
let manifest: Manifest;

beforeAll(async () => {
  await buildWeb({ folder: join(import.meta.dirname, ".."), out });
  manifest = await Bun.file(join(out, "manifest.json")).json();
}, 180_000);
afterAll(() => rmSync(out, { recursive: true }));

/** A module with everything that it imports at once. */
async function collectModules(name: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(name)) return found;
  found.add(name);
  const code = await Bun.file(join(out, name)).text();
  for (const [, next] of code.matchAll(/(?:from|import)"\/assets\/app\/([^"]+\.js)"/g)) {
    await collectModules(next ?? "", found);
  }
  return found;
}

const collectFirst = () => collectModules(manifest.entry);

function findModule(page: string): string {
  return manifest.files.find((name) => name.startsWith(`${page}.`) && name.endsWith(".js")) ?? "";
}

function addSizes(modules: Iterable<string>): number {
  const sizes = [...modules].map((name) => statSync(join(out, `${name}.br`)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

test("The first page needs at most 180 KiB of compressed JavaScript", async () => {
  const modules = await collectModules(findModule("home-page"), await collectFirst());
  const bytes = addSizes(modules);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(firstPageBytesMax);
});

const canvasPages = ["editor-page", "workflow-run-page"];

test("Each page with a canvas opens with at most 90 KiB of compressed JavaScript that no other page loads", async () => {
  const shared = await collectFirst();
  const names = manifest.files.filter((name) => /-page\..*\.js$/.test(name));
  const isOfCanvas = (name: string) => canvasPages.some((page) => name.startsWith(`${page}.`));
  for (const name of names) if (!isOfCanvas(name)) await collectModules(name, shared);
  for (const page of canvasPages) {
    const own = [...(await collectModules(findModule(page)))].filter((name) => !shared.has(name));
    const bytes = addSizes([...own, findModule("layout-worker")]);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThanOrEqual(canvasBytesMax);
  }
  for (const name of shared) {
    expect(await Bun.file(join(out, name)).text()).not.toContain("react-flow__");
  }
});

test("The manifest names every file, and each file has its compressed forms", () => {
  const written = readdirSync(out).filter((name) => name !== "manifest.json");
  const forms = manifest.files.flatMap((name) => [name, `${name}.br`, `${name}.gz`]);
  expect(written.sort()).toEqual(forms.sort());
  expect(manifest.files).toContain(manifest.entry);
});

test("All logos are one file of at most 60 KiB, and each stands out from its ground in both schemes", async () => {
  const [name, ...others] = manifest.files.filter((file) => file.endsWith(".svg"));
  expect(others).toEqual([]);
  expect(addSizes([name ?? ""])).toBeLessThanOrEqual(60 * 1024);
  const drawn = await Bun.file(join(out, name ?? "")).text();
  const paths = [
    ...drawn.matchAll(/<path id="(\w+)" data-light="(#\w{6})" data-dark="(#\w{6})" d="M?m?[^"]+"/g),
  ];
  expect(paths.map(([, id]) => id).sort()).toEqual(Object.keys(brandHosts).sort());
  for (const [, , light = "", dark = ""] of paths) {
    expect(contrastOf(light, "#eceef2")).toBeGreaterThanOrEqual(3);
    expect(contrastOf(dark, "#242b36")).toBeGreaterThanOrEqual(3);
  }
});

function contrastOf(one: string, other: string): number {
  const toParts = (colour: string) =>
    [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return measureContrast(toParts(one), toParts(other));
}

test("One style sheet has the styles of every page", async () => {
  expect(manifest.styles).toHaveLength(1);
  const style = await Bun.file(join(out, manifest.styles[0] ?? "")).text();
  const names = new Set<string>();
  for (const name of manifest.files.filter((file) => file.endsWith(".js"))) {
    const code = await Bun.file(join(out, name)).text();
    // The classes of a module of styles: its own names, and those with the hash of the file.
    for (const [, own, hashed] of code.matchAll(/\b([A-Za-z]+):"(\1_[A-Za-z0-9_-]{6})"/g)) {
      if (own !== undefined) names.add(hashed ?? "");
    }
  }
  expect(names.size).toBeGreaterThan(200);
  expect([...names].filter((name) => !style.includes(`.${name}`))).toEqual([]);
});

test("The built app contains no path of this machine", async () => {
  expect(manifest.files).toContain(manifest.entry);
  for (const name of manifest.files) {
    expect(await Bun.file(join(out, name)).text()).not.toContain(join(import.meta.dirname, ".."));
  }
});
