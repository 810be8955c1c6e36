import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readBuildInfo, readHubVersion, toBuildInfo } from "./build-info.ts";

const commit = "abcdef0123456789abcdef0123456789abcdef01";
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with these files, the later ones written a day after the earlier ones. */
function place(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "build-"));
  folders.push(folder);
  Object.entries(files).forEach(([path, text], day) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    const at = new Date(Date.UTC(2026, 0, 1 + day, 12, 30, 15, 678));
    utimesSync(join(folder, path), at, at);
  });
  return folder;
}

describe("a checkout of the hub", () => {
  test("Version, time and commit come from the checkout on disk", async () => {
    const root = place({
      ".git/HEAD": commit,
      VERSION: "1.2.3\n",
      "packages/server/src/old.ts": "",
      "packages/connector/src/deep/new.ts": "",
      "packages/server/package.json": '{"version":"9.9.9"}',
    });
    const packageDir = join(root, "packages/server");
    const mainFile = join(root, "packages/connector/src/deep/new.ts");
    expect(await readBuildInfo({ root, packageDir, mainFile })).toEqual({
      hub_version: "1.2.3",
      server_build_time: "2026-01-04T12:30:15Z",
      server_commit: "abcdef0",
    });
  });

  test("Without git metadata, the commit is unknown", async () => {
    const root = place({ VERSION: "1.2.3", "packages/server/src/a.ts": "" });
    const mainFile = join(root, "packages/server/src/a.ts");
    const info = await readBuildInfo({
      root,
      packageDir: join(root, "packages/server"),
      mainFile,
    });
    expect(info.server_commit).toBe("unknown");
  });
});

describe("the hub as a dependency", () => {
  test("A package that was made by npm run pack says what it was made of, and a project that uses it what the project is", async () => {
    const hub_build = {
      hub_version: "1.2.3",
      server_build_time: "2026-01-01T00:00:00Z",
      server_commit: "1234567",
    };
    const project = place({
      ".git/HEAD": commit,
      "node_modules/@hub/server/package.json": JSON.stringify({ version: "1.2.3", hub_build }),
      "node_modules/@hub/cli/src/hub.ts": "",
      "main.ts": "",
    });
    const packageDir = join(project, "node_modules/@hub/server");
    const own = join(project, "node_modules/@hub/cli/src/hub.ts");
    expect(await readBuildInfo({ packageDir, mainFile: own })).toEqual(hub_build);
    const other = await readBuildInfo({ packageDir, mainFile: join(project, "main.ts") });
    expect(other).toMatchObject({ hub_version: "1.2.3", server_commit: "abcdef0" });
  });

  test("The version is that of the package; time and commit are those of the started project", async () => {
    const project = place({
      ".git/HEAD": commit,
      "node_modules/@hub/server/package.json": '{"version":"2.0.0"}',
      "src/main.ts": "",
    });
    const packageDir = join(project, "node_modules/@hub/server");
    const mainFile = join(project, "src/main.ts");
    expect(await readBuildInfo({ packageDir, mainFile })).toEqual({
      hub_version: "2.0.0",
      server_build_time: "2026-01-03T12:30:15Z",
      server_commit: "abcdef0",
    });
  });

  test("A project that is linked to a checkout of the hub has its own time and commit", async () => {
    const root = place({ ".git/HEAD": "f".repeat(40), VERSION: "1.2.3\n" });
    const project = place({ ".git/HEAD": commit, "main.ts": "" });
    const mainFile = join(project, "main.ts");
    expect(await readBuildInfo({ root, packageDir: join(root, "server"), mainFile })).toEqual({
      hub_version: "1.2.3",
      server_build_time: "2026-01-02T12:30:15Z",
      server_commit: "abcdef0",
    });
  });

  test("Unknown data is reported as unknown, and the time is that of the program file", async () => {
    const folder = place({});
    const info = await readBuildInfo({
      packageDir: join(folder, "a/b"),
      mainFile: join(folder, "gone.ts"),
    });
    expect([info.hub_version, info.server_commit]).toEqual(["unknown", "unknown"]);
    expect(new Date(info.server_build_time).getTime()).toBeGreaterThan(0);
  });
});

describe("a compiled program", () => {
  test("The version is that of the checkout or of the package; time and commit are given", async () => {
    const checkout = place({ VERSION: "1.2.3\n", "packages/server/package.json": "{}" });
    const dependency = place({ "server/package.json": '{"version":"2.0.0"}' });
    const build = { commit, builtMs: Date.UTC(2026, 4, 6, 7, 8, 9, 10) };
    const info = { server_build_time: "2026-05-06T07:08:09Z", server_commit: "abcdef0" };
    expect(await toBuildInfo({ ...build, packageDir: join(checkout, "packages/server") })).toEqual({
      hub_version: "1.2.3",
      ...info,
    });
    expect(
      await toBuildInfo({ ...build, commit: null, packageDir: join(dependency, "server") }),
    ).toEqual({ hub_version: "2.0.0", ...info, server_commit: "unknown" });
  });
});

test("This checkout reports its VERSION and a time in RFC 3339, UTC", async () => {
  const info = await readBuildInfo();
  const version = await Bun.file(join(import.meta.dirname, "../../../../../VERSION")).text();
  expect(info.hub_version).toBe(version.trim());
  expect(info.server_build_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test("The sources of the running program are looked at once", async () => {
  expect(await readBuildInfo()).toBe(await readBuildInfo());
});

test("The version alone is that of the build", async () => {
  expect(await readHubVersion()).toBe((await readBuildInfo()).hub_version);
});
