/** Protects: no password hash passes by the queue, whose lanes and pauses stop floods of sign-ins. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";

const packages = resolve(import.meta.dirname, "..", "..", "..");

/** The files of the product that contain the text. */
function findFiles(text: string): string[] {
  return [...new Glob("*/src/**/*.{ts,tsx}").scanSync(packages)]
    .filter((path) => !path.includes(".test.") && !path.includes("/testing/"))
    .filter((path) => readFileSync(join(packages, path), "utf8").includes(text))
    .toSorted();
}

test("Only the composition root makes the passwords, and only they hash", () => {
  expect(findFiles("createPasswords(")).toEqual([
    "server/src/compose/open-services.ts",
    "server/src/identity/password-hashes.ts",
  ]);
  expect(findFiles("createHashQueue(")).toEqual([
    "server/src/identity/hash-queue.ts",
    "server/src/identity/password-hashes.ts",
  ]);
  expect(findFiles("Bun.password")).toEqual(["server/src/identity/password-hashes.ts"]);
});
