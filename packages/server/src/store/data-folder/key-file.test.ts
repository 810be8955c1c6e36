import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeyFile, lockKeyFile, readKeyFile, writeKeyFile } from "./key-file.ts";

let parent: string;
let dataDir: string;
let path: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "hub-keys-"));
  dataDir = join(parent, "data");
  path = join(dataDir, "keys.json");
});
afterEach(() => rm(parent, { recursive: true }));

test("Without a key file there are no keys", async () => {
  expect(await readKeyFile(dataDir)).toBeNull();
});

test("A new key file contains one random key and is private to its owner", async () => {
  const [key] = await createKeyFile(dataDir);
  expect(key).toHaveLength(32);
  expect(await readKeyFile(dataDir)).toEqual([key].map((made) => new Uint8Array(made ?? [])));
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ version: 1, keys: [key?.toHex()] });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("Concurrent creations of the key file get the same key", async () => {
  const made = await Promise.all(Array.from({ length: 8 }, () => createKeyFile(dataDir)));
  const winner = await readKeyFile(dataDir);
  for (const keys of made) expect(keys).toEqual(winner ?? []);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("Written keys are read in order, and the file stays private", async () => {
  const [old] = await createKeyFile(dataDir);
  const keys = [new Uint8Array(32).fill(7), old ?? new Uint8Array(0)];
  await writeKeyFile(dataDir, keys);
  expect(await readKeyFile(dataDir)).toEqual(keys);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("A write removes the files of killed writes, but not those of current ones", async () => {
  const keys = await createKeyFile(dataDir);
  const [old, young] = [`${path}.old.tmp`, `${path}.young.tmp`];
  for (const name of [old, young]) await writeFile(name, "keys that were removed since");
  await utimes(old, new Date(), new Date(Date.now() - 3_600_000));
  await writeKeyFile(dataDir, keys);
  expect((await readdir(dataDir)).sort()).toEqual(["keys.json", "keys.json.young.tmp"]);
});

test("A write whose last step is refused leaves the old keys and no other file", async () => {
  const keys = await createKeyFile(dataDir);
  const refused = writeKeyFile(dataDir, [new Uint8Array(32).fill(7)], async () => {
    expect(await readKeyFile(dataDir)).toEqual(keys.map((key) => new Uint8Array(key)));
    throw new Error("refused");
  });
  await expect(refused).rejects.toThrow("refused");
  expect(await readKeyFile(dataDir)).toEqual(keys.map((key) => new Uint8Array(key)));
  expect(await readdir(dataDir)).toEqual(["keys.json"]);
});

test("Changes of the keys run one at a time, and a change that fails lets the next one begin", async () => {
  await createKeyFile(dataDir);
  const order: string[] = [];
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const first = lockKeyFile(dataDir, async () => {
    begun.resolve();
    await end.promise;
    order.push("first");
    throw new Error("failed");
  });
  await begun.promise;
  const second = lockKeyFile(dataDir, async () => void order.push("second"));
  // Without the lock, the second one would have run by now.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  end.resolve();
  await expect(first).rejects.toThrow("failed");
  await second;
  expect(order).toEqual(["first", "second"]);
});

test("Changes of the keys in an unusable folder are refused with advice", async () => {
  await writeFile(dataDir, "a file where the folder should be");
  const refusal = { code: "bad_configuration", message: expect.stringContaining("key file") };
  await expect(lockKeyFile(dataDir, async () => {})).rejects.toMatchObject(refusal);
});

test("Invalid keys are never written", async () => {
  const keys = await createKeyFile(dataDir);
  await expect(writeKeyFile(dataDir, [])).rejects.toThrow();
  await expect(writeKeyFile(dataDir, [new Uint8Array(16)])).rejects.toThrow();
  expect(await readKeyFile(dataDir)).toEqual(keys);
});

for (const mode of [0o640, 0o604, 0o620]) {
  test(`A key file of mode ${mode.toString(8)} is refused with the command that fixes it`, async () => {
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

test("A damaged key file is refused without revealing its content", async () => {
  await createKeyFile(dataDir);
  for (const text of ["5ec2e7", '{"version":1,"keys":["5ec2e7"]}', '{"version":2,"keys":[]}']) {
    await writeFile(path, text);
    const refused = await readKeyFile(dataDir).catch((err: unknown) => err);
    expect(refused).toMatchObject({ code: "bad_configuration", cause: undefined });
    expect(String(refused)).toContain("is damaged");
    expect(Bun.inspect(refused)).not.toContain("5ec2e7");
  }
});

test("An unusable folder is refused with advice to use HUB_ENC_KEY", async () => {
  await writeFile(dataDir, "a file where the folder should be");
  const refusal = { code: "bad_configuration", message: expect.stringContaining("HUB_ENC_KEY") };
  await expect(createKeyFile(dataDir)).rejects.toMatchObject(refusal);
  await expect(readKeyFile(dataDir)).rejects.toMatchObject(refusal);
});
