/** Protects: a mark counts as long as its process runs, and no longer. */
import { expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listMarks, writeMark } from "./serving-marks.ts";

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "hub-marks-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

const own = {
  since: "2026-01-01T00:00:00.000Z",
  url: "http://127.0.0.1:1",
  is_shared: false,
  database: "SQLite in /data",
  hub_id: "id",
  key_id: "k",
  settings: { HUB_PORT: "1" },
};

test("A mark is there until it is taken away, and only its user reads it", async () => {
  await using folder = await openFolder();
  expect(await listMarks(folder.path)).toEqual([]);
  const remove = await writeMark(folder.path, own);
  expect(await listMarks(folder.path)).toMatchObject([{ pid: process.pid, ...own }]);
  const { mode } = await stat(join(folder.path, "serving", `${process.pid}.json`));
  expect(mode & 0o777).toBe(0o600);
  await remove();
  expect(await listMarks(folder.path)).toEqual([]);
});

test("Marks of ended processes, of other machines and of other versions do not count, and the next server removes them", async () => {
  await using folder = await openFolder();
  await writeMark(folder.path, own);
  const serving = join(folder.path, "serving");
  const mark = await Bun.file(join(serving, `${process.pid}.json`)).json();
  const write = (name: string, text: string) => writeFile(join(serving, name), text);
  // Its pid was given again.
  const ended = { pid: process.ppid, process_started_at: "1" };
  await write(`${process.ppid}.json`, JSON.stringify({ ...mark, ...ended }));
  await write("999999997.json", JSON.stringify({ ...mark, pid: 999_999_997 }));
  await write("999999998.json", JSON.stringify({ ...mark, process_space: "another machine" }));
  await write("999999999.json", '{"pid": "other"}');
  await write("1.json.new", "unfinished");
  expect(await listMarks(folder.path)).toHaveLength(1);
  await writeMark(folder.path, own);
  const files = await readdir(serving);
  expect(files.sort()).toEqual(["1.json.new", `${process.pid}.json`].sort());
});
