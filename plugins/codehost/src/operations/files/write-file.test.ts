import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { type FakeHost, startFakeHost } from "../../fixtures/fake-host.fixture.ts";

const call = {
  owner: "octocat",
  repo: "hello-world",
  path: "a.txt",
  content: "mine",
  message: "Mine",
};
const written: Json = { content: { path: "a.txt", sha: "new" }, commit: { sha: "c0ffee" } };

type File = { sha: string | null };
/** The action of another writer just before the write with this number arrives. */
type Rival = (file: File, write: number) => "moves the branch" | undefined;

function startHost(file: File, rival: Rival = () => undefined): FakeHost {
  let writes = 0;
  return startFakeHost(({ method, body }) => {
    if (method === "GET" && file.sha === null) return { status: 404, body: { message: "None" } };
    if (method === "GET") return { body: { type: "file", sha: file.sha } };
    writes += 1;
    const isMoved = rival(file, writes) === "moves the branch";
    // The cast is safe: the connector sends JSON with an optional sha.
    const { sha = null } = body as { sha?: string };
    if (sha === null && file.sha !== null) {
      return { status: 422, body: { message: 'Invalid request.\n\n"sha" wasn\'t supplied.' } };
    }
    if (isMoved || sha !== file.sha) {
      return { status: 409, body: { message: `a.txt does not match ${file.sha}` } };
    }
    return { body: written };
  });
}

const takePuts = (host: FakeHost) => host.sent.filter(({ method }) => method === "PUT");

test("A write without sha replaces the current version", async () => {
  await using host = startHost({ sha: "one" });
  expect(await host.run("create_or_update_file", call)).toEqual(written);
  expect(takePuts(host)).toMatchObject([{ body: { sha: "one", content: "bWluZQ==" } }]);
});

test("A new file is written without a sha", async () => {
  await using host = startHost({ sha: null });
  await host.run("create_or_update_file", call);
  expect(takePuts(host)).toHaveLength(1);
  expect(takePuts(host)[0]?.body).not.toHaveProperty("sha");
});

test.each([
  ["one", "was there"],
  [null, "was not there"],
])("A write never overwrites a version that appeared after the look-up (%p: %s)", async (sha) => {
  await using host = startHost({ sha }, (file) => {
    file.sha = "theirs";
    return undefined;
  });
  const writing = host.run("create_or_update_file", call);
  await expect(writing).rejects.toThrow("Another writer changed this file");
  expect(takePuts(host)).toHaveLength(1);
});

test("A write is retried if the branch moved but the file did not change", async () => {
  await using host = startHost({ sha: "one" }, (_, write) =>
    write === 1 ? "moves the branch" : undefined,
  );
  expect(await host.run("create_or_update_file", call)).toEqual(written);
  expect(takePuts(host)).toMatchObject([{ body: { sha: "one" } }, { body: { sha: "one" } }]);
});

test("A write fails after the second attempt if the branch keeps moving", async () => {
  await using host = startHost({ sha: "one" }, () => "moves the branch");
  await expect(host.run("create_or_update_file", call)).rejects.toThrow("409");
  expect(takePuts(host)).toHaveLength(2);
});

test("A write with a given sha never uses another sha", async () => {
  await using host = startHost({ sha: "two" });
  const writing = host.run("create_or_update_file", { ...call, sha: "one" });
  await expect(writing).rejects.toThrow("has changed since the version of this sha");
  expect(host.sent.map(({ method }) => method)).toEqual(["PUT"]);
});

test.each<[string, Json]>([
  ["folder", []],
  ["submodule", { type: "submodule", sha: "one" }],
])("A write does not replace a %s", async (kind, body) => {
  await using host = startFakeHost(() => ({ body }));
  await expect(host.run("create_or_update_file", call)).rejects.toThrow(kind);
  expect(takePuts(host)).toEqual([]);
});

test("A write without content is refused, and empty content clears the file", async () => {
  await using host = startHost({ sha: "one" });
  const { content: _, ...rest } = call;
  await expect(host.run("create_or_update_file", rest)).rejects.toThrow("content is required");
  expect(host.sent).toEqual([]);
  await host.run("create_or_update_file", { ...call, content: "" });
  expect(takePuts(host)).toMatchObject([{ body: { content: "" } }]);
});
