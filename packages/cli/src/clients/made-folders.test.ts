import { expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordMadeFolder, removeMadeFolders, removeRecordFolders } from "./made-folders.ts";

async function openHome() {
  const home = await mkdtemp(join(tmpdir(), "hub-home-"));
  const list = async () => (await readdir(home, { recursive: true })).sort();
  return {
    ...{ home, env: { HOME: home, XDG_DATA_HOME: "" }, list },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

test("Folders that an installation made are removed with their record, if they are empty", async () => {
  await using place = await openHome();
  const file = join(place.home, ".config/editor/User/mcp.json");
  await mkdir(join(place.home, ".config/editor/User"), { recursive: true });
  await recordMadeFolder(place.env, file, join(place.home, ".config/editor"));
  await removeMadeFolders(place.env, file);
  expect(await place.list()).toEqual([".config"]);
});

test("A folder that has other files, or that the installation did not make, stays", async () => {
  await using place = await openHome();
  const folder = join(place.home, ".config/editor");
  const file = join(folder, "User/mcp.json");
  await mkdir(join(folder, "User"), { recursive: true });
  await removeMadeFolders(place.env, file);
  expect(await place.list()).toEqual([".config", ".config/editor", ".config/editor/User"]);
  await recordMadeFolder(place.env, file, folder);
  await writeFile(join(folder, "keys.json"), "{}");
  await removeMadeFolders(place.env, file);
  expect(await place.list()).toEqual([".config", ".config/editor", ".config/editor/keys.json"]);
});

test("Records of others keep the folders of records", async () => {
  await using place = await openHome();
  const data = join(place.home, ".local/share/hub");
  await mkdir(join(data, "trusted-projects"), { recursive: true });
  await writeFile(join(data, "hub.sqlite"), "");
  await removeRecordFolders(place.env, join(data, "trusted-projects"));
  expect(await readdir(data)).toEqual(["hub.sqlite"]);
});
