/** Protects: packages for npm have all that their program imports, and nothing of tests. The oracle `packed-packages` installs them. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { readMaintainers } from "../read-maintainers.ts";
import { findOutdated, listPackageFolders, toManifest } from "../write-package-metadata.ts";
import { findNeeded, type Needed } from "./find-needed.ts";
import { listSourceFiles } from "./list-source-files.ts";
import { packedNames, sourceNames } from "./packed-packages.ts";
import { toPackedManifest } from "./to-packed-manifest.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string) => Bun.file(join(root, "packages", name, "package.json")).json();
const build = {
  hub_version: "0.1.0",
  server_build_time: "2026-01-01T00:00:00Z",
  server_commit: "abcdef0",
};
type Packed = {
  dependencies: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
const none: Needed = { packages: [], broken: [] };

test("Every import in a package leads to a file of the packages or to a package that it names", async () => {
  for (const name of sourceNames) {
    const needed = await findNeeded(root, name);
    expect(needed.broken).toEqual([]);
    const parts = { name, manifest: await read(name), needed, build, bunVersion: "1.4.4" };
    const { dependencies, peerDependencies } = toPackedManifest(parts) as Packed;
    expect(Object.keys({ ...dependencies, ...peerDependencies })).toContainValues(
      needed.packages.filter((each) => each !== `@hub/${name}`),
    );
    expect(dependencies).not.toContainKey(`@hub/${name}`);
  }
});

test("The packages have the starters of their programs, migrations and licences, and no tests", () => {
  const files = sourceNames.flatMap((name) =>
    listSourceFiles(join(root, "packages", name)).map((file) => `${name}/${file}`),
  );
  expect(files).toContainValues([
    ...["cli/src/hub.ts", "cli/src/wick.ts", "cli/licences/LGPL-2.0.txt"],
    ...["server/src/store/migrations/035-", "connector/src/plugin/index.ts"].flatMap(
      (start) => files.find((file) => file.startsWith(start)) ?? start,
    ),
  ]);
  expect(files.filter((file) => /\.test\.|\/testing\/|fixture|testsuite/.test(file))).toEqual([]);
});

test("The starters name Bun, which is a dependency", async () => {
  const manifest = await read("cli");
  const parts = { name: "cli" as const, manifest, needed: none, build, bunVersion: "1.4.4" };
  expect(toPackedManifest(parts)).toMatchObject({
    bin: { hub: "src/hub.ts", wick: "src/wick.ts" },
    dependencies: { bun: "1.4.4" },
    exports: { ".": { types: "./types/run-hub.d.ts", default: "./src/run-hub.ts" } },
  });
  for (const file of Object.values<string>(manifest.bin)) {
    const text = await Bun.file(join(root, "packages/cli", file)).text();
    expect(text).toStartWith("#!/usr/bin/env bun\n");
  }
});

test("A packed manifest is not private, runs nothing, and depends on this version of the hub's packages alone", async () => {
  for (const name of packedNames) {
    const needed = { ...none, packages: name === "cli" ? ["@hub/server"] : [] };
    const manifest = { ...(await read(name)), version: "7.8.9" };
    const packed: Record<string, unknown> = toPackedManifest({
      name,
      manifest,
      needed: name === "web" ? null : needed,
      build,
      bunVersion: "1.4.4",
    });
    for (const member of ["private", "scripts", "devDependencies"])
      expect(packed).not.toHaveProperty(member);
    expect(packed.license).toBe("MIT");
    const own = Object.entries(Object(packed.dependencies)).filter(([each]) =>
      each.startsWith("@hub/"),
    );
    expect(own).toEqual(own.map(([each]) => [each, "7.8.9"]));
    expect(own.length).toBe(["server", "cli"].includes(name) ? 1 : 0);
    // What is built into the app is not installed again.
    expect(packed.dependencies === undefined).toBe(name === "web");
  }
});

test.each<[string, Partial<Needed>, RegExp]>([
  [
    "an import that leads nowhere",
    { broken: ["packages/cli/src/a.ts: ./b.ts"] },
    /a\.ts: \.\/b\.ts/,
  ],
  ["a package that is not named", { packages: ["left-pad"] }, /does not have: left-pad/],
])("No package is made with %s", async (_, fault, message) => {
  const manifest = await read("cli");
  const parts = { name: "cli" as const, manifest, build, bunVersion: "1.4.4" };
  expect(() => toPackedManifest({ ...parts, needed: { ...none, ...fault } })).toThrow(message);
});

test("Every package.json is up to date with VERSION and maintainers.json, and says what it is", async () => {
  const { texts, faults } = await findOutdated();
  expect({ outdated: [...texts.keys()], faults }).toEqual({ outdated: [], faults: [] });
  expect(listPackageFolders().length).toBeGreaterThan(7);
});

test("The address of the repository gives all addresses of a package; without it there are none", () => {
  const manifest = {
    name: "@hub/x",
    version: "0.0.1",
    dependencies: { "@hub/y": "0.0.1", z: "1.0.0" },
  };
  const repository = "https://example.com/acme/hub";
  const common = { version: "0.2.0", maintainers: { repository } };
  const filled = toManifest(manifest, "packages/x", common);
  expect(filled).toMatchObject({
    version: "0.2.0",
    dependencies: { "@hub/y": "0.2.0", z: "1.0.0" },
    repository: { url: `git+${repository}.git`, directory: "packages/x" },
    bugs: { url: `${repository}/issues` },
    homepage: `${repository}#readme`,
  });
  const emptied = toManifest(filled, "packages/x", { ...common, maintainers: { repository: "" } });
  for (const member of ["repository", "bugs", "homepage"])
    expect(emptied).not.toHaveProperty(member);
});

test("maintainers.json has its members, and an address with a slash at its end is refused", async () => {
  const { "//": text, ...members } = await readMaintainers(root);
  expect(text).toContain("Empty members");
  expect(Object.keys(members).sort()).toEqual([
    ...["conduct_contact", "maintainers", "repository", "security_contact"],
  ]);
});

test("Every script has a line in scripts/README.md, and every line a script", async () => {
  const text = await Bun.file(join(root, "scripts/README.md")).text();
  const listed = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name).sort();
  const scripts = [...new Glob("*.{ts,sh,mjs}").scanSync(join(root, "scripts"))]
    .filter((name) => !name.endsWith(".test.ts"))
    .sort();
  expect(scripts.length).toBeGreaterThan(40);
  expect(listed).toEqual(scripts);
});

test("The files that people and editors look for are there", () => {
  const files = [
    "CODE_OF_CONDUCT.md",
    ".editorconfig",
    ".nvmrc",
    ".github/PULL_REQUEST_TEMPLATE.md",
  ];
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
