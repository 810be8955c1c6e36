import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { link, mkdtemp, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findStableStamp } from "../installed/file-stamp.ts";
import type { ProgramRecords } from "../installed/program-records.ts";
import { craftPlugin } from "../testing/craft-plugin.ts";
import { findFailure } from "../testing/find-failure.ts";
import { createTestRecords } from "../testing/test-records.ts";
import { checkProgram } from "./check-program.ts";

const { manifest, program } = craftPlugin();
/** Of the same length, so that only its bytes differ. */
const otherProgram = program.replace("tracker", "trackeX");

let folder: string;
let path: string;
let records: ProgramRecords;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-program-"));
  path = join(folder, "tracker");
  records = createTestRecords();
});
afterEach(() => rm(folder, { recursive: true }));

const check = () => checkProgram({ cosignKey: null, records }, manifest, path);

async function writeComplete(content: string): Promise<string> {
  await writeFile(path, content);
  for (;;) {
    const stamp = await findStableStamp(path, Date.now());
    if (stamp !== null) return stamp;
    await Bun.sleep(5);
  }
}

/** A false record of a verification, which shows whether the program is read again. */
async function putFalseRecord(): Promise<void> {
  const stamp = await writeComplete(otherProgram);
  await records.put("tracker", { stamp, sha256: manifest.sha256, cosign: "" });
}

const sha256Refusal = { code: "plugin_refused", detail: { check: "sha256" } };

test("A program that is removed while it is checked is refused, so that other plugins are checked", async () => {
  await writeComplete(program);
  const removing: ProgramRecords = {
    ...records,
    async find(key) {
      await rm(path);
      return await records.find(key);
    },
  };
  const failure = await findFailure(
    checkProgram({ cosignKey: null, records: removing }, manifest, path),
  );
  expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "program" } });
});

describe("a program with a recorded verification", () => {
  test("A program with a recorded verification is not read again", async () => {
    await putFalseRecord();
    expect(await check()).not.toBeNull();
  });

  test("Reading a program records its verification", async () => {
    const stamp = await writeComplete(program);
    expect(await check()).toBe(stamp);
    expect(await records.find("tracker")).toEqual({ stamp, sha256: manifest.sha256, cosign: "" });
  });

  test("An overwritten program is read again, also if its mtime was restored", async () => {
    await putFalseRecord();
    const { atime, mtime } = await stat(path);
    await writeFile(path, otherProgram);
    await utimes(path, atime, mtime);
    expect(await findFailure(check())).toMatchObject(sha256Refusal);
  });

  test("A program replaced by a file of the same size and mtime is read again", async () => {
    await putFalseRecord();
    const { atime, mtime } = await stat(path);
    await writeFile(join(folder, "other"), otherProgram);
    await utimes(join(folder, "other"), atime, mtime);
    await rename(join(folder, "other"), path);
    expect(await findFailure(check())).toMatchObject(sha256Refusal);
  });

  test("A renamed program is read again", async () => {
    await putFalseRecord();
    await link(path, join(folder, "other"));
    expect(await findFailure(check())).toMatchObject(sha256Refusal);
  });

  test("A program is read again if the manifest has another hash", async () => {
    await writeComplete(program);
    await check();
    const other = { ...manifest, sha256: "0".repeat(64) };
    const failure = findFailure(checkProgram({ cosignKey: null, records }, other, path));
    expect(await failure).toMatchObject(sha256Refusal);
  });

  test("A program is read again if cosign has become required", async () => {
    await writeComplete(program);
    await check();
    const { publicKey: cosignKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const failure = findFailure(checkProgram({ cosignKey, records }, manifest, path));
    expect(await failure).toMatchObject({ detail: { check: "cosign" } });
  });
});

describe("a program that cosign signed", () => {
  const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signed = newKey();
  const signature = () =>
    createSign("sha256").update(program).sign(signed.privateKey).toString("base64");
  const checkWith = (cosignKey: KeyObject) => checkProgram({ cosignKey, records }, manifest, path);

  beforeEach(async () => {
    await writeComplete(program);
    await writeFile(`${path}.sig`, signature());
    await checkWith(signed.publicKey);
  });

  test("A cosigned program is not read again with the same key and signature", async () => {
    const put = await records.find("tracker");
    await checkWith(signed.publicKey);
    expect(await records.find("tracker")).toEqual(put);
  });

  test("A cosigned program is checked again with another key", async () => {
    expect(await findFailure(checkWith(newKey().publicKey))).toMatchObject({
      detail: { check: "cosign" },
    });
  });

  test.each([
    ["changed", () => writeFile(`${path}.sig`, "AAAA")],
    ["taken away", () => rm(`${path}.sig`)],
  ])("A cosigned program is checked again when its signature was %s", async (_, change) => {
    await change();
    expect(await findFailure(checkWith(signed.publicKey))).toMatchObject({
      detail: { check: "cosign" },
    });
  });
});

test("A refused program is not recorded", async () => {
  await writeComplete(otherProgram);
  expect(await findFailure(check())).toMatchObject(sha256Refusal);
  expect(await records.find("tracker")).toBeNull();
});

test("A file that has just changed has no stamp", async () => {
  await writeFile(path, program);
  const changedAt = Number((await stat(path, { bigint: true })).ctimeNs / 1_000_000n);
  expect(await findStableStamp(path, changedAt + 10)).toBeNull();
  expect(await findStableStamp(path, changedAt + 4000)).not.toBeNull();
  expect(await findStableStamp(join(folder, "nothing"), changedAt)).toBeNull();
});
