import { expect, test } from "bun:test";
import { createWriterLock } from "../sqlite/writer-lock.ts";
import { createGroupCommit } from "./group-commit.ts";

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
};

test("Writes that arrive while another writer has the connection share a commit", async () => {
  const lock = createWriterLock();
  const commits: number[][] = [];
  const group = createGroupCommit<number, number>({
    lock,
    async commit(writes) {
      commits.push([...writes]);
      return writes.map((value) => ({ ok: true, value }));
    },
    isOwed: () => false,
  });
  await lock.acquire();
  const first = group.add(1);
  // It asks for the connection, and waits.
  await turns(20);
  const second = group.add(2);
  lock.release();
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(commits).toEqual([[1, 2]]);
});

test("A commit that fails releases the connection and refuses what waits", async () => {
  const lock = createWriterLock();
  const group = createGroupCommit<number, number>({
    lock,
    commit: () => Promise.reject(new Error("full")),
    isOwed: () => false,
  });
  const refused = await Promise.allSettled([group.add(1), group.add(2)]);
  expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await lock.acquire();
});
