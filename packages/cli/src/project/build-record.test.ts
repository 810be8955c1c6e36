import { afterEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildRecord, findBuilt, hostTarget, isFresh } from "./build-record.ts";
import type { Project } from "./find-project.ts";
import { readSourceState, toSources } from "./sources.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A project with a file in place of its program, and a record that matches. */
function placeBuilt(changes: Record<string, unknown> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "record-")));
  folders.push(base);
  const root = join(base, "acme");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("main.ts", "1");
  write("package.json", "{}");
  write("../lib/deep/shared.ts", "2");
  write("../lib/tsconfig.json", "{}");
  write("../lib/package-lock.json", "{}");
  write("node_modules/@hub/cli/package.json", "{}");
  write("node_modules/@hub/server/package.json", "{}");
  write("node_modules/other/index.ts", "3");
  write(".hub/bin/acme", "program");
  const project: Project = { root, entry: join(root, "main.ts"), name: "acme" };
  const bundled = ["main.ts", "../lib/deep/shared.ts", "node_modules/other/index.ts"];
  const sources = toSources(
    root,
    bundled.map((path) => join(root, path)),
  );
  // Whole seconds, because a time of a Date has no fractions of a millisecond.
  const time = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  for (const path of sources) {
    if (existsSync(join(root, path))) utimesSync(join(root, path), time, time);
  }
  const record: BuildRecord = {
    id: "one",
    program: "acme",
    program_bytes: 7,
    root,
    entry: project.entry,
    target: hostTarget,
    bun_version: Bun.version,
    hub_version: "1.2.3",
    built_at: "2026-01-02T03:04:05Z",
    commit: null,
    newest_source: "2026-01-02T03:04:05Z",
    fingerprint: readSourceState(root, sources).fingerprint,
    sources,
  };
  write(".hub/bin/acme.json", JSON.stringify({ ...record, ...changes }));
  const find = () => findBuilt(project, join(root, ".hub/bin"));
  return { root, write, find, isFresh: () => isFresh(project, find() ?? expect.unreachable()) };
}

describe("findBuilt", () => {
  test("A program is found by its record", () => {
    const { find, root } = placeBuilt();
    expect(find()).toMatchObject({ path: join(root, ".hub/bin/acme"), record: { id: "one" } });
  });

  test.each<[string, Record<string, unknown>]>([
    ["of another platform", { target: "plan9-mips" }],
    ["of a folder that was moved", { root: "/elsewhere" }],
    ["of another entry", { entry: "/elsewhere/main.ts" }],
    ["with a program outside the folder", { program: "../acme" }],
    ["with sources of a wrong type", { sources: [1] }],
    ["without an id", { id: undefined }],
    ["of an older format", { program_bytes: undefined }],
  ])("A record %s does not count", (_, changes) => {
    expect(placeBuilt(changes).find()).toBeNull();
  });

  test("A missing or truncated program and a broken record do not count", () => {
    const truncated = placeBuilt();
    truncateSync(join(truncated.root, ".hub/bin/acme"), 3);
    expect(truncated.find()).toBeNull();
    const missing = placeBuilt();
    rmSync(join(missing.root, ".hub/bin/acme"));
    expect(missing.find()).toBeNull();
    const broken = placeBuilt();
    broken.write(".hub/bin/acme.json", "{");
    expect(broken.find()).toBeNull();
  });
});

describe("isFresh", () => {
  test("A program of unchanged sources is fresh, also after a change in node_modules", () => {
    const built = placeBuilt();
    expect(built.isFresh()).toBeTrue();
    built.write("node_modules/other/index.ts", "4");
    built.write("unrelated.ts", "5");
    expect(built.isFresh()).toBeTrue();
  });

  test.each([
    "main.ts",
    "../lib/deep/shared.ts",
    "../lib/tsconfig.json",
    "../lib/package-lock.json",
  ])("A change of %s is found, also with the old size and time", (path) => {
    const built = placeBuilt();
    const file = join(built.root, path);
    const { atime, mtime, ctimeMs, size } = statSync(file);
    // The clock of files may have steps of some milliseconds.
    while (statSync(file).ctimeMs === ctimeMs) {
      built.write(path, "x".repeat(size));
      utimesSync(file, atime, mtime);
    }
    expect(built.isFresh()).toBeFalse();
  });

  test.each([
    "bun.lock",
    "yarn.lock",
    "tsconfig.json",
    "node_modules/.package-lock.json",
  ])("A new %s is found", (path) => {
    const built = placeBuilt();
    built.write(path, "");
    expect(built.isFresh()).toBeFalse();
  });

  test("A record that came with the project is not fresh, because it does not cover the entry", () => {
    const [sources, unknown] = [[], ["missing.ts"]];
    for (const list of [sources, unknown]) {
      // Without the times of files of this machine, anyone can make the fingerprint.
      const { fingerprint } = readSourceState("/", list);
      expect(placeBuilt({ sources: list, fingerprint }).isFresh()).toBeFalse();
    }
  });

  test("A deleted source, another commit, another Bun and a change during the build are found", () => {
    const deleted = placeBuilt();
    rmSync(join(deleted.root, "../lib/deep/shared.ts"));
    expect(deleted.isFresh()).toBeFalse();
    const committed = placeBuilt();
    committed.write(".git/HEAD", "a".repeat(40));
    expect(committed.isFresh()).toBeFalse();
    expect(placeBuilt({ bun_version: "0.0.1" }).isFresh()).toBeFalse();
    expect(placeBuilt({ fingerprint: "" }).isFresh()).toBeFalse();
  });
});
