import { describe, expect, test } from "bun:test";
import { isJsonObject, type Json, OutboundError } from "@hub/connector";
import { apiPath } from "../api-path.ts";
import { type FakeAnswer, type Sent, startFakeHost } from "../fixtures/fake-host.fixture.ts";
import { readPart } from "./files/read-part.ts";

const repo = { owner: "octocat", repo: "hello-world" };
const path = "data/large.txt";

/** A host with one large file, which it gives only in its raw form. */
function startLargeHost(text: string, given: { ranges?: boolean; raw?: boolean } = {}) {
  const { ranges = false, raw = true } = given;
  const bytes = Buffer.from(text);
  const facts = { type: "file", path, sha: "f00", size: bytes.length };
  return startFakeHost(({ headers }: Sent): FakeAnswer => {
    const isRaw = raw && headers.get("accept")?.includes("raw");
    if (!isRaw) {
      return {
        body: { ...facts, encoding: "none", content: "" },
        headers: { "content-type": "application/json; charset=utf-8" },
      };
    }
    const type = { "content-type": "application/vnd.github.raw+json; charset=utf-8" };
    const [, from, to] = /bytes=(\d+)-(\d+)/.exec(headers.get("range") ?? "") ?? [];
    if (!ranges) return { body: text, headers: type };
    const part = bytes.subarray(Number(from), Number(to) + 1).toString("latin1");
    return { status: 206, body: part, headers: type };
  });
}

async function readAll(host: ReturnType<typeof startFakeHost>) {
  const parts: Record<string, Json>[] = [];
  let offset: Json = 0;
  do {
    const part = await host.run("get_file", { ...repo, path, offset });
    if (!isJsonObject(part)) throw new Error("no part");
    parts.push(part);
    offset = part.next_offset ?? null;
  } while (offset !== null);
  return { parts, text: parts.map(({ content }) => content).join("") };
}

describe("A file over 1 MB", () => {
  test("It is read in parts that end with a line", async () => {
    const text = "a line of a large file\n".repeat(90_000);
    await using host = startLargeHost(text);
    const { parts, text: read } = await readAll(host);
    expect(read === text).toBe(true);
    expect(parts[0]).toMatchObject({ sha: "f00", size: text.length, offset: 0 });
    expect(parts.slice(0, -1).every(({ content }) => String(content).endsWith("\n"))).toBe(true);
    expect(parts[0]?.note).toContain(`offset ${String(parts[0]?.next_offset)}`);
    expect(parts.at(-1)?.note).toContain("the end");
  });

  test.each(["é", "語", "😀"])("A part without lines ends with a whole %s", async (char) => {
    const text = `x${char.repeat(300_000 / char.length)}`;
    await using host = startLargeHost(text);
    expect((await readAll(host)).text === text).toBe(true);
  });

  test("A host that gives ranges is asked for the part alone", async () => {
    const text = "0123456789\n".repeat(60_000);
    await using host = startLargeHost(text, { ranges: true });
    expect((await readAll(host)).text === text).toBe(true);
    expect(host.sent[1]?.headers.get("range")).toBe("bytes=0-262143");
  });

  test("An offset in the middle of a character begins with the next one", async () => {
    await using host = startLargeHost("語".repeat(200_000));
    expect(await host.run("get_file", { ...repo, path, offset: 4 })).toMatchObject({ offset: 6 });
  });

  test("An offset after the end gives an empty text", async () => {
    await using host = startLargeHost("a\n");
    const part = await host.run("get_file", { ...repo, path, offset: 5_000_000 });
    expect(part).toMatchObject({ content: "" });
    expect(part).not.toHaveProperty("next_offset");
  });

  test("Binary content is named as such", async () => {
    await using host = startLargeHost("\u0000".repeat(1_500_000));
    expect(await host.run("get_file", { ...repo, path })).toMatchObject({ binary: true });
  });

  test("A host without raw files gets a note that is true", async () => {
    await using host = startLargeHost("a".repeat(2_000_000), { raw: false });
    const shown = await host.run("get_file", { ...repo, path });
    expect(shown).toMatchObject({ size: 2_000_000, note: expect.stringContaining("Clone") });
    expect(shown).not.toHaveProperty("content");
  });

  test("A host that refuses to give the whole file, and gives no ranges, has no part", async () => {
    const fetch = async () => {
      throw new OutboundError("body_too_large", "The answer is too large.");
    };
    const ctx = { config: { BaseURL: "http://127.0.0.1", Token: "ghp_test" }, fetch, mask() {} };
    const request = { path: apiPath`/contents`, query: {}, offset: 0 };
    expect(await readPart(ctx, request)).toBeNull();
  });
});

describe("A repository without commits", () => {
  const refuse = (status: number, message: string) => () => ({ status, body: { message } });
  const conflict = refuse(409, "Git Repository is empty.");
  const missing = refuse(404, "This repository is empty.");

  test.each([["list_commits"], ["list_branches"], ["list_tags"]])("%s is empty", async (key) => {
    await using host = startFakeHost(conflict);
    expect(await host.run(key, repo)).toEqual({
      items: [],
      page: 1,
      has_more: false,
      note: expect.stringContaining("create_or_update_file"),
    });
  });

  test("Its root folder has no entries", async () => {
    await using host = startFakeHost(missing);
    expect(await host.run("get_file", { ...repo, path: "/" })).toMatchObject({
      type: "folder",
      entries: [],
      note: expect.stringContaining("no commits"),
    });
  });

  test.each<[string, Record<string, Json>, () => FakeAnswer]>([
    ["get_file", { path: "README.md" }, missing],
    ["get_commit", { sha: "main" }, conflict],
    ["create_branch", { branch: "fix", from_branch: "main" }, conflict],
    ["create_branch", { branch: "fix", sha: "f00" }, conflict],
    ["compare_commits", { base: "main", head: "fix" }, missing],
    ["create_release", { tag_name: "v1" }, refuse(422, "Repository is empty.")],
  ])("The error of %s says to write a file first", async (key, params, answer) => {
    await using host = startFakeHost(answer);
    await expect(host.run(key, { ...repo, ...params })).rejects.toThrow(
      /no commits yet\. Write a first file with create_or_update_file/,
    );
  });

  test.each([[conflict], [missing]])("A first file can be written", async (answer) => {
    await using host = startFakeHost(({ method }) =>
      method === "PUT" ? { status: 201, body: { content: { path: "a" }, commit: {} } } : answer(),
    );
    const file = { ...repo, path: "a", content: "x", message: "Begin" };
    await host.run("create_or_update_file", file);
    expect(host.sent.at(-1)?.body).not.toHaveProperty("sha");
  });
});
