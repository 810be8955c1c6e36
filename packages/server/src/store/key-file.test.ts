import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeyFile, readKeyFile, writeKeyFile } from "./key-file.ts";

let parent: string;
let dataDir: string;
let path: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "hub-keys-"));
  dataDir = join(parent, "data");
  path = join(dataDir, "keys.json");
});
afterEach(() => rm(parent, { recursive: true }));

test("without a key file there are no keys", async () => {
  expect(await readKeyFile(dataDir)).toBeNull();
});

test("a new key file holds one random key, for its owner alone", async () => {
  const [key] = await createKeyFile(dataDir);
  expect(key).toHaveLength(32);
  expect(await readKeyFile(dataDir)).toEqual([key].map((made) => new Uint8Array(made ?? [])));
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ version: 1, keys: [key?.toHex()] });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("of several that make it at once all get the same key", async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => createKeyFile(dataDir)));
  const winner = await readKeyFile(dataDir);
  for (const keys of made) expect(keys).toEqual(winner ?? []);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("written keys come back in order and keep the file private", async () => {
  const [old] = await createKeyFile(dataDir);
  const keys = [new Uint8Array(32).fill(7), old ?? new Uint8Array(0)];
  await writeKeyFile(dataDir, keys);
  expect(await readKeyFile(dataDir)).toEqual(keys);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("what a killed write left behind is gone after the next, but not what another is writing", async () => {
  const keys = await createKeyFile(dataDir);
  const [old, young] = [`${path}.old.tmp`, `${path}.young.tmp`];
  for (const name of [old, young]) await writeFile(name, "keys that were removed since");
  await utimes(old, new Date(), new Date(Date.now() - 3_600_000));
  await writeKeyFile(dataDir, keys);
  expect((await readdir(dataDir)).sort()).toEqual(["keys.json", "keys.json.young.tmp"]);
});

test("keys that are none are never written", async () => {
  const keys = await createKeyFile(dataDir);
  await expect(writeKeyFile(dataDir, [])).rejects.toThrow();
  await expect(writeKeyFile(dataDir, [new Uint8Array(16)])).rejects.toThrow();
  expect(await readKeyFile(dataDir)).toEqual(keys);
});

for (const mode of [0o640, 0o604, 0o620]) {
  test(`a key file of mode ${mode.toString(8)} is refused with the command that mends it`, async () => {
    const keys = await createKeyFile(dataDir);
    await chmod(path, mode);
    const refusal = {
      code: "bad_configuration",
      message: expect.not.stringContaining(path),
      localMessage: expect.stringContaining(`chmod 600 '${path}'`),
    };
    await expect(readKeyFile(dataDir)).rejects.toMatchObject(refusal);
    await expect(writeKeyFile(dataDir, keys)).rejects.toMatchObject(refusal);
    await expect(createKeyFile(dataDir)).rejects.toMatchObject(refusal);
  });
}

test("a damaged key file is refused, and its content is not told", async () => {
  await createKeyFile(dataDir);
  for (const text of ["5ec2e7", '{"version":1,"keys":["5ec2e7"]}', '{"version":2,"keys":[]}']) {
    await writeFile(path, text);
    const refused = await readKeyFile(dataDir).catch((err: unknown) => err);
    expect(refused).toMatchObject({ code: "bad_configuration", cause: undefined });
    expect(String(refused)).toContain("is damaged");
    expect(Bun.inspect(refused)).not.toContain("5ec2e7");
  }
});

test("a folder that cannot be used is refused with the other way to give keys", async () => {
  await writeFile(dataDir, "a file where the folder should be");
  const refusal = { code: "bad_configuration", message: expect.stringContaining("HUB_ENC_KEY") };
  await expect(createKeyFile(dataDir)).rejects.toMatchObject(refusal);
  await expect(readKeyFile(dataDir)).rejects.toMatchObject(refusal);
});
