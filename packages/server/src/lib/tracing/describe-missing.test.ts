/** Protects: who turns traces on and lacks OpenTelemetry is told the command that installs it. */
import { expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../files/package-folder.ts";
import { describeMissing, exporterPackage } from "./describe-missing.ts";

test("In a checkout, a project and a compiled program, the command is that which helps there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-missing-"));
  try {
    expect(describeMissing(packageFolder)).toEndWith(": npm install --include=peer");
    expect(describeMissing(folder)).toContain("compile it again: npm install @opentelemetry/");
    await writeFile(join(folder, "package.json"), "{}");
    expect(describeMissing(folder)).toContain("of your project: npm install @opentelemetry/");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("The command, the server's package and the root name the same versions", async () => {
  const server = await Bun.file(join(packageFolder, "package.json")).json();
  const root = await Bun.file(join(packageFolder, "../../package.json")).json();
  const [, name = "", version = ""] = /^(.+)@(.+)$/.exec(exporterPackage) ?? [];
  expect(server.peerDependencies[name]).toBe(version);
  expect(root.peerDependencies).toMatchObject(server.peerDependencies);
  expect(Object.keys(server.peerDependenciesMeta)).toEqual(Object.keys(server.peerDependencies));
});

test("Where OpenTelemetry is missing, loading it is refused with the command", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-missing-"));
  try {
    const parts = [
      "files/package-folder.ts",
      "tracing/describe-missing.ts",
      "tracing/telemetry-sdk.ts",
    ];
    for (const part of parts) {
      await cp(join(import.meta.dirname, "..", part), join(folder, "src/lib", part));
    }
    // The refusal is all that is used of it.
    const errors = JSON.stringify(join(import.meta.dirname, "../../errors.ts"));
    await writeFile(join(folder, "src/errors.ts"), `export { HubError } from ${errors};\n`);
    // Otherwise Bun would install what is missing.
    await mkdir(join(folder, "node_modules"));
    const load = import(pathToFileURL(join(folder, "src/lib/tracing/telemetry-sdk.ts")).href);
    await expect(load).rejects.toMatchObject({
      code: "bad_configuration",
      message: expect.stringContaining(describeMissing(folder)),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});
