/** Protects: a call never reads a token, user or row as it was before an earlier call's change. */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCommitWatch } from "./commit-watch-sqlite.ts";

let folder = "";
let writer: Database;
let another: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hub-watch-"));
  writer = new Database(join(folder, "hub.sqlite"));
  writer.run("pragma journal_mode = wal");
  writer.run("create table facts (value)");
  another = new Database(join(folder, "hub.sqlite"));
});

afterEach(() => {
  another.close();
  writer.close(true);
  rmSync(folder, { recursive: true });
});

test("An audit write of this process does not change the stamp", () => {
  const watch = createCommitWatch(writer);
  const before = watch.readStamp();
  writer.run("insert into facts values (1)");
  expect(watch.readStamp()).toBe(before);
});

test("A recorded commit of this process changes the stamp", () => {
  const watch = createCommitWatch(writer);
  const before = watch.readStamp();
  watch.recordCommit();
  expect(watch.readStamp()).not.toBe(before);
});

test("A commit of another process changes the stamp of the next turn, also between writes of this one", async () => {
  const watch = createCommitWatch(writer);
  const before = watch.readStamp();
  writer.run("insert into facts values (1)");
  another.run("insert into facts values (2)");
  writer.run("insert into facts values (3)");
  await endTurn();
  expect(watch.readStamp()).not.toBe(before);
});

test("Inside a transaction there is no stamp, because commits of others are not seen", () => {
  const watch = createCommitWatch(writer);
  writer.run("begin");
  writer.query("select * from facts").all();
  another.run("insert into facts values (1)");
  expect(watch.readStamp()).toBeNull();
  writer.run("commit");
  expect(watch.readStamp()).not.toBeNull();
});

test("The stamp that a turn has read holds for its later checks, and no longer", async () => {
  const watch = createCommitWatch(writer);
  const read = watch.readStamp();
  another.run("insert into facts values (1)");
  expect(watch.readStamp()).toBe(read);
  await endTurn();
  expect(watch.readStamp()).not.toBe(read);
});

test("The stamp of each turn is new, also if every turn reads one", async () => {
  const watch = createCommitWatch(writer);
  for (let turn = 0; turn < 3; turn += 1) {
    const read = watch.readStamp();
    another.run("insert into facts values (1)");
    await endTurn();
    expect(watch.readStamp()).not.toBe(read);
    await endTurn();
  }
});

test("A commit of this process ends the stamp of the turn", () => {
  const watch = createCommitWatch(writer);
  const read = watch.readStamp();
  watch.recordCommit();
  expect(watch.readStamp()).not.toBe(read);
});

const endTurn = () => new Promise((resolve) => setImmediate(resolve));
