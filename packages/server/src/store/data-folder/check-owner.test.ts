import { afterAll, expect, test } from "bun:test";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkOwner } from "./check-owner.ts";

const folder = mkdtempSync(join(tmpdir(), "hub-owner-"));
afterAll(() => rmSync(folder, { recursive: true }));
const uid = process.getuid?.() ?? 0;
// What belongs to root is trusted by all.
const owner = uid === 0 ? 12_345 : uid;
if (uid === 0) chownSync(folder, owner, owner);

test("A folder of the user is trusted, and so is a missing one; root may use everyone's", () => {
  expect(() => checkOwner(folder)).not.toThrow();
  expect(() => checkOwner(folder, { uid: owner })).not.toThrow();
  expect(() => checkOwner(folder, { uid: 0 })).not.toThrow();
  expect(() => checkOwner(folder, { uid: undefined })).not.toThrow();
  expect(() => checkOwner("/", { uid: owner })).not.toThrow();
  expect(() => checkOwner(join(folder, "never-was-here"), { uid: owner })).not.toThrow();
});

test("A folder of another user is refused, and the error says what to do", () => {
  expect(() => checkOwner(folder, { uid: owner + 1 })).toThrow(
    expect.objectContaining({
      code: "bad_configuration",
      localMessage: expect.stringMatching(
        /belongs to another user .* Run the command as that user/,
      ),
    }),
  );
});
