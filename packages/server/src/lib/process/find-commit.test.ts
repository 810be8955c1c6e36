import { afterEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findCommit } from "./find-commit.ts";

const first = "1".repeat(40);
const second = "2".repeat(40);
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with these files; a folder above it is never a checkout. */
function place(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "commit-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test("A branch's commit comes from its own file, which is newer than the packed one", () => {
  const folder = place({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/refs/heads/main": `${first}\n`,
    ".git/packed-refs": `${second} refs/heads/main\n`,
  });
  expect(findCommit(folder)).toBe(first);
});

test("A packed branch is found, and not confused with a branch whose name has the same end", () => {
  const folder = place({
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/packed-refs": `# pack-refs\n${first} refs/heads/x/refs/heads/main\n${second} refs/heads/main\n`,
  });
  expect(findCommit(folder)).toBe(second);
});

test("A detached HEAD gives the commit directly", () => {
  expect(findCommit(place({ ".git/HEAD": `${first}\n` }))).toBe(first);
});

test("A linked worktree has its own HEAD and shares the branches", () => {
  const folder = place({
    "main/.git/refs/heads/topic": first,
    "main/.git/worktrees/w/HEAD": "ref: refs/heads/topic",
    "main/.git/worktrees/w/commondir": "../..",
    "w/.git": "gitdir: ../main/.git/worktrees/w\n",
  });
  expect(findCommit(join(folder, "w"))).toBe(first);
});

test("A folder inside a checkout has the checkout's commit", () => {
  const folder = place({ ".git/HEAD": first, "a/b/c.txt": "" });
  expect(findCommit(join(folder, "a/b"))).toBe(first);
});

test("There is no commit outside a checkout, before the first commit, or in a broken checkout", () => {
  expect(findCommit(place({}))).toBeNull();
  expect(findCommit(place({ ".git/HEAD": "ref: refs/heads/main" }))).toBeNull();
  expect(findCommit(place({ ".git": "nonsense" }))).toBeNull();
  expect(findCommit(place({ ".git/config": "" }))).toBeNull();
});
