import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordMadeFolder, removeMadeFolders, removeRecordFolders } from "./made-folders.ts";

async function openHome() {
  const home = await mkdtemp(join(tmpdir(), "hub-home-"));
  const list = async () => (await readdir(home, { recursive: true })).sort();
  return {
    home,
    env: { HOME: home, XDG_DATA_HOME: "" },
    list,
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

test("Folders that an installation made are removed with their record, if they are empty", async () => {
  await using opened = await openHome();
  const file = join(opened.home, ".config/editor/User/mcp.json");
  await mkdir(join(opened.home, ".config/editor/User"), { recursive: true });
  await recordMadeFolder(opened.env, file, join(opened.home, ".config/editor"));
  await removeMadeFolders(opened.env, file);
  expect(await opened.list()).toEqual([".config"]);
});

test("A folder that has other files, or that the installation did not make, stays", async () => {
  await using opened = await openHome();
  const folder = join(opened.home, ".config/editor");
  const file = join(folder, "User/mcp.json");
  await mkdir(join(folder, "User"), { recursive: true });
  await removeMadeFolders(opened.env, file);
  expect(await opened.list()).toEqual([".config", ".config/editor", ".config/editor/User"]);
  await recordMadeFolder(opened.env, file, folder);
  await writeFile(join(folder, "keys.json"), "{}");
  await removeMadeFolders(opened.env, file);
  expect(await opened.list()).toEqual([".config", ".config/editor", ".config/editor/keys.json"]);
});

test("Records of others keep the folders of records", async () => {
  await using opened = await openHome();
  const data = join(opened.home, ".local/share/hub");
  await mkdir(join(data, "trusted-projects"), { recursive: true });
  await writeFile(join(data, "hub.sqlite"), "");
  await removeRecordFolders(opened.env, join(data, "trusted-projects"));
  expect(await readdir(data)).toEqual(["hub.sqlite"]);
});
