import { describe, expect, test } from "bun:test";
import { createGuardedFetch, runHealth, testOperation } from "@hub/connector";
import { codehost } from "./connector.ts";
import { type FakeAnswer, startFakeHost } from "./fixtures/fake-host.fixture.ts";

const repo = { owner: "octocat", repo: "hello-world" };

describe("The health check", () => {
  async function check(answer: FakeAnswer, config: Record<string, string> = {}) {
    await using host = startFakeHost(() => answer);
    const silent = () => {};
    const health = await runHealth(
      codehost,
      { config: { base_url: host.url, token: "ghp_test", ...config } },
      {
        signal: new AbortController().signal,
        fetch: (input, init) => fetch(input, init),
        mask: silent,
        maskIgnoreCase: silent,
        log: { debug: silent, info: silent, warn: silent, error: silent },
      },
    );
    return { health, sent: host.sent };
  }

  test("The health check reads the token's account", async () => {
    const { health, sent } = await check({ body: { login: "octocat" } });
    expect(health).toEqual({ ok: true });
    expect(sent).toMatchObject([{ method: "GET", target: "/user" }]);
  });

  test("The health check reports an invalid token, and a base URL that is not an API", async () => {
    const refused = await check({ status: 401, body: { message: "Bad credentials" } });
    expect(refused.health).toMatchObject({ ok: false, reason: expect.stringContaining("token") });
    const page = await check({ body: "<html>Welcome</html>" });
    expect(page.health).toMatchObject({ ok: false, reason: expect.stringContaining("/api/v3") });
  });

  test("The health check reports an invalid configuration without a request", async () => {
    const { health, sent } = await check({}, { token: "two\nlines" });
    expect(health).toMatchObject({ ok: false, reason: expect.stringContaining("token") });
    expect(sent).toEqual([]);
  });
});

describe("A list", () => {
  test("A list has next_page, and full returns the items as the host sent them", async () => {
    const item = { number: 1, node_id: "x", body: "b".repeat(1000) };
    const link = '<http://x/y?page=2>; rel="next"';
    await using host = startFakeHost(() => ({ body: [item], headers: { link } }));
    expect(await host.run("list_issues", repo)).toMatchObject({
      items: [{ number: 1, body: expect.stringContaining("720 more characters: get_issue") }],
      page: 1,
      has_more: true,
      next_page: 2,
    });
    expect(await host.run("list_issues", { ...repo, full: true })).toMatchObject({ items: [item] });
  });

  test("A search has the host's total count, and an answer without items is an error", async () => {
    const body = { total_count: 40, incomplete_results: true, items: [] };
    await using host = startFakeHost(({ target }) => ({
      body: target.includes("issues") ? body : [],
    }));
    expect(await host.run("search_issues", { q: "x" })).toEqual({
      ...body,
      page: 1,
      has_more: false,
    });
    await expect(host.run("search_code", { q: "x" })).rejects.toThrow("not a list");
  });
});

describe("A change", () => {
  test("A change without an answer returns ok", async () => {
    await using host = startFakeHost(() => ({ status: 204 }));
    const merely = { star_repo: {}, unstar_repo: {}, delete_ref: { branch: "b" } };
    for (const [key, params] of Object.entries(merely)) {
      expect(await host.run(key, { ...repo, ...params })).toEqual({ ok: true });
    }
  });

  test("A change of labels returns the remaining labels, even if there are none", async () => {
    await using host = startFakeHost(() => ({ body: [] }));
    const params = { ...repo, number: 7, name: "bug" };
    expect(await host.run("remove_label", params)).toEqual({ labels: [] });
  });

  test("Removing a label that the issue does not have succeeds and returns its labels", async () => {
    const absent = { status: 404, body: { message: "Label does not exist" } };
    const others = { body: [{ name: "bug" }] };
    await using host = startFakeHost(({ method }) => (method === "DELETE" ? absent : others));
    const params = { ...repo, number: 7, name: "help wanted" };
    expect(await host.run("remove_label", params)).toEqual({ labels: ["bug"] });
    // Removing an existing label without the permission is an error.
    const kept = host.run("remove_label", { ...params, name: "Bug" });
    await expect(kept).rejects.toMatchObject({ httpStatus: 404 });
  });

  test("Removing a label from an issue that does not exist fails", async () => {
    await using host = startFakeHost(() => ({ status: 404, body: { message: "Not Found" } }));
    const removal = host.run("remove_label", { ...repo, number: 7, name: "bug" });
    await expect(removal).rejects.toMatchObject({ httpStatus: 404 });
  });

  test("A change without values is not sent, because empty labels would remove all labels", async () => {
    await using host = startFakeHost(() => ({ body: [] }));
    await expect(host.run("add_labels", { ...repo, number: 7, labels: " , " })).rejects.toThrow();
    await expect(host.run("request_reviewers", { ...repo, number: 7 })).rejects.toThrow();
    expect(host.sent).toEqual([]);
  });

  test("A change does not follow redirects, because it would change another repository", async () => {
    await using host = startFakeHost(({ method }) =>
      method === "GET" ? { body: [] } : { status: 301, headers: { location: "/repositories/1" } },
    );
    const opening = host.run("create_issue", { ...repo, title: "t" });
    await expect(opening).rejects.toThrow("full_name");
    expect(host.sent).toHaveLength(1);
  });

  test("dispatch_workflow with invalid inputs is sent without them, with a note", async () => {
    await using host = startFakeHost(() => ({ status: 204 }));
    const params = { ...repo, workflow_id: "ci.yml", ref: "main" };
    for (const inputs of ["{broken", "[1]", "null", '"text"', 7, [1]]) {
      const answer = await host.run("dispatch_workflow", { ...params, inputs });
      expect(answer).toMatchObject({ ok: true, note: expect.stringContaining("ignored") });
      expect(host.sent.at(-1)?.body).toEqual({ ref: "main" });
    }
    const given = { ...params, inputs: { id: 1 } };
    expect(await host.run("dispatch_workflow", given)).toEqual({ ok: true });
    expect(host.sent.at(-1)?.body).toEqual({ ref: "main", inputs: { id: 1 } });
  });
});

test("A read of a renamed repository follows the redirect", async () => {
  await using host = startFakeHost(({ target }) =>
    target === "/repositories/1"
      ? { body: { full_name: "octocat/renamed" } }
      : { status: 301, headers: { location: "/repositories/1" } },
  );
  expect(await host.run("get_repo", repo)).toEqual({ full_name: "octocat/renamed" });
});

test("A comparison that the host cut has a note", async () => {
  const body = { total_commits: 300, commits: [{ sha: "a" }], files: [] };
  await using host = startFakeHost(() => ({ body }));
  const compared = await host.run("compare_commits", { ...repo, base: "a", head: "b" });
  expect(compared).toMatchObject({ note: expect.stringContaining("1 of 300 commits") });
});

test("A ref that contains two refs is refused, because it would change the comparison", async () => {
  await using host = startFakeHost(() => ({ body: {} }));
  const comparing = host.run("compare_commits", { ...repo, base: "main...evil", head: "b" });
  await expect(comparing).rejects.toThrow("base must be one branch");
  expect(host.sent).toEqual([]);
});

test("A token pasted with a line break is sent without it, and masked both ways", async () => {
  await using host = startFakeHost(() => ({ body: { login: "octocat" } }));
  const masked: string[] = [];
  await testOperation(codehost, "get_me", {
    config: { base_url: host.url, token: "ghp_test\n" },
    tools: { mask: (value) => void masked.push(value) },
  });
  expect(host.sent[0]?.headers.get("authorization")).toBe("Bearer ghp_test");
  expect(masked).toEqual(["ghp_test"]);
});

test("The clone token of a repository is masked with full", async () => {
  await using host = startFakeHost(() => ({ body: [{ parent: { temp_clone_token: "AB3XYZ" } }] }));
  const masked: string[] = [];
  await testOperation(codehost, "list_forks", {
    config: { base_url: host.url, token: "ghp_test" },
    params: { ...repo, full: true },
    tools: { mask: (value) => void masked.push(value) },
  });
  expect(masked).toEqual(["AB3XYZ"]);
});

test.each<[string, Record<string, unknown>, unknown]>([
  ["an object", { ...repo, full: true }, { temp_clone_token: "AB3XYZ" }],
  ["a nested object", { ...repo, full: true }, { source: { temp_clone_token: "AB3XYZ" } }],
])("The clone token of %s is masked with full", async (_, params, body) => {
  await using host = startFakeHost(() => ({ body }));
  const masked: string[] = [];
  await testOperation(codehost, "get_repo", {
    config: { base_url: host.url, token: "ghp_test" },
    params,
    tools: { mask: (value) => void masked.push(value) },
  });
  expect(masked).toEqual(["AB3XYZ"]);
});

test("The clone token of a repository is left out without full", async () => {
  const repository = { name: "hub", full_name: "a/hub", temp_clone_token: "AB3XYZ" };
  await using host = startFakeHost(({ target }) => ({
    body: target.includes("forks") ? [{ ...repository, parent: repository }] : repository,
  }));
  const shown = [await host.run("get_repo", repo), await host.run("list_forks", repo)];
  expect(JSON.stringify(shown)).not.toContain("AB3XYZ");
});

test("A redirect to another host is followed without the token", async () => {
  await using other = startFakeHost(() => ({ body: { full_name: "a/b" } }));
  const location = `${other.url}/repos/a/b`;
  await using host = startFakeHost(() => ({ status: 302, headers: { location } }));
  const policy = { savedHosts: [new URL(host.url).host], allow: ["127.0.0.0/8"] };
  await testOperation(codehost, "get_repo", {
    config: { base_url: host.url, token: "ghp_test" },
    params: repo,
    tools: { fetch: createGuardedFetch({ policy }) },
  });
  expect(host.sent[0]?.headers.get("authorization")).toBe("Bearer ghp_test");
  expect(other.sent).toHaveLength(1);
  expect(other.sent[0]?.headers.get("authorization")).toBeNull();
});
