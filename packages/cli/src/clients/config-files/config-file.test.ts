import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editConfigFile, readConfigFile } from "./config-file.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-config-"));
  file = join(folder, "settings.json");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = { isSecret: false };
const append = (text: string | null) => `${text ?? ""}+`;
const readMode = async (path: string) => (await stat(path)).mode & 0o777;
const isRoot = process.getuid?.() === 0;

test("A missing file is created with its folders, and has no backup", async () => {
  const inner = join(folder, "a/b/settings.json");
  const madeFolder = join(folder, "a");
  expect(await editConfigFile(inner, append, open)).toEqual({
    isChanged: true,
    backup: null,
    madeFolder,
  });
  expect(await readFile(inner, "utf8")).toBe("+");
  expect(await readMode(inner)).toBe(0o666 & ~process.umask());
  expect(await readdir(join(folder, "a/b"))).toEqual(["settings.json"]);
});

test("The first version of a file is kept as .bak, and later edits do not replace it", async () => {
  await writeFile(file, "one", { mode: 0o640 });
  const backup = `${file}.bak`;
  expect(await editConfigFile(file, append, open)).toEqual({ isChanged: true, backup });
  expect((await editConfigFile(file, append, open)).backup).toBeNull();
  expect(await readFile(file, "utf8")).toBe("one++");
  expect(await readFile(backup, "utf8")).toBe("one");
  expect([await readMode(file), await readMode(backup)]).toEqual([0o640, 0o640]);
  expect((await readdir(folder)).toSorted()).toEqual(["settings.json", "settings.json.bak"]);
});

test("A byte order mark is a part of the text, and stays", async () => {
  await writeFile(file, "\uFEFFone");
  await editConfigFile(file, append, open);
  expect(await readFile(file)).toEqual(Buffer.from("\uFEFFone+"));
});

test("An edit that changes nothing writes nothing", async () => {
  await writeFile(file, "one");
  const before = await stat(file);
  expect((await editConfigFile(file, (text) => text, open)).isChanged).toBe(false);
  const after = await stat(file);
  expect([after.ino, after.mtimeMs]).toEqual([before.ino, before.mtimeMs]);
  expect(await readdir(folder)).toEqual(["settings.json"]);
});

test("Only the owner may read a file with a secret, also if its text stays", async () => {
  await editConfigFile(file, append, { isSecret: true });
  expect(await readMode(file)).toBe(0o600);
  await chmod(file, 0o664);
  const same = (text: string | null) => text;
  expect((await editConfigFile(file, same, { isSecret: true })).isChanged).toBe(true);
  expect(await readMode(file)).toBe(0o600);
});

test.skipIf(!isRoot)("The owner and the group of a file stay", async () => {
  await writeFile(file, "one");
  await chown(file, 1234, 2345);
  await editConfigFile(file, append, open);
  const { uid, gid } = await stat(file);
  expect({ uid, gid }).toEqual({ uid: 1234, gid: 2345 });
});

describe("links are followed", () => {
  test("The target is replaced, and the link stays", async () => {
    await mkdir(join(folder, "dotfiles"));
    await writeFile(join(folder, "dotfiles/real.json"), "one");
    await symlink("dotfiles/real.json", join(folder, "middle.json"));
    await symlink("middle.json", file);
    const { backup } = await editConfigFile(file, append, open);
    expect(await readlink(file)).toBe("middle.json");
    expect(await readFile(join(folder, "dotfiles/real.json"), "utf8")).toBe("one+");
    expect(backup).toEndWith("/dotfiles/real.json.bak");
  });

  test("A link to a missing file creates that file", async () => {
    await symlink("later.json", file);
    await editConfigFile(file, append, open);
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, "later.json"), "utf8")).toBe("+");
  });

  test("A link to itself is refused", async () => {
    await symlink("settings.json", file);
    await expect(editConfigFile(file, append, open)).rejects.toThrow("leads to itself");
  });
});

describe("a file that cannot be edited stays as it is", () => {
  test("A read-only file is refused, although its folder could be written", async () => {
    await writeFile(file, "one", { mode: 0o444 });
    await expect(editConfigFile(file, append, open)).rejects.toThrow("it is read-only");
    expect(await readFile(file, "utf8")).toBe("one");
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  test("A read-only folder is refused", async () => {
    await writeFile(file, "one");
    await chmod(folder, 0o555);
    await expect(editConfigFile(file, append, open)).rejects.toThrow("is read-only");
    await chmod(folder, 0o755);
  });

  test("A folder, a pipe, and bytes that are not UTF-8 are refused", async () => {
    await mkdir(file);
    await expect(readConfigFile(file)).rejects.toThrow("it is not a file");
    const pipe = join(folder, "pipe");
    Bun.spawnSync(["mkfifo", pipe]);
    await expect(readConfigFile(pipe)).rejects.toThrow("it is not a file");
    await writeFile(join(folder, "latin"), Buffer.from([0x22, 0xe4, 0x22]));
    await expect(readConfigFile(join(folder, "latin"))).rejects.toThrow("it is not UTF-8");
  });

  test("An edit that throws leaves no file behind", async () => {
    await writeFile(file, "one");
    const fail = () => {
      throw new Error("broken");
    };
    await expect(editConfigFile(file, fail, open)).rejects.toThrow("broken");
    expect(await readdir(folder)).toEqual(["settings.json"]);
  });

  test("A file below a file cannot be created, and the folder is named", async () => {
    await writeFile(file, "one");
    const below = editConfigFile(join(file, "x/settings.json"), append, open);
    await expect(below).rejects.toThrow(`the folder ${file}/x cannot be created`);
  });
});

describe("another program writes at the same time", () => {
  test("The edit is repeated on the new text, which is not lost", async () => {
    await writeFile(file, "one");
    const seen: Array<string | null> = [];
    const edit = (text: string | null) => {
      seen.push(text);
      if (seen.length === 1) writeFileSync(file, "two");
      return append(text);
    };
    await editConfigFile(file, edit, open);
    expect(seen).toEqual(["one", "two"]);
    expect(await readFile(file, "utf8")).toBe("two+");
  });

  test("A file that appears during the edit is not lost", async () => {
    const edit = (text: string | null) => {
      if (text === null) writeFileSync(file, "new");
      return append(text);
    };
    await editConfigFile(file, edit, open);
    expect(await readFile(file, "utf8")).toBe("new+");
  });

  test("A file that never stays the same is refused after some attempts", async () => {
    let count = 0;
    const edit = () => {
      writeFileSync(file, `${count++}`);
      return "mine";
    };
    await expect(editConfigFile(file, edit, open)).rejects.toThrow("keeps changing it");
    expect(await readFile(file, "utf8")).toBe(`${count - 1}`);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

test("Something else with the name of the backup stays, and is not called a backup", async () => {
  await writeFile(file, "one");
  await mkdir(`${file}.bak`);
  expect(await editConfigFile(file, append, open)).toEqual({ isChanged: true, backup: null });
  await rm(`${file}.bak`, { recursive: true });
  await writeFile(`${file}.bak`, "mine");
  expect(await editConfigFile(file, append, open)).toEqual({ isChanged: true, backup: null });
  expect(await readFile(`${file}.bak`, "utf8")).toBe("mine");
});

test("An edit to null deletes the file, without a backup", async () => {
  await writeFile(file, "one");
  expect(await editConfigFile(file, () => null, open)).toEqual({ isChanged: true, backup: null });
  expect(await readdir(folder)).toEqual([]);
});
