/** Protects: the connector `codehost` sends its credential only to the host of its row. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "./support/codehost/codehost-hub.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";

setDefaultTimeout(180_000);

const token = "ghp_m5Rt8WqL2xNv7ZkD3yPb9HcF6sJg4UeA1oTw";
const repo = { owner: "octocat", repo: "hello-world" };

const owned = new AsyncDisposableStack();
let codehost: CodehostHub;
let host: RecordingHost;
let other: RecordingHost;
let run: RunOperation;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(() => ({ status: 500 })));
  other = owned.use(await startRecordingHost(() => ({ body: { full_name: "evil/repo" } })));
  // Both hosts are on this machine. The administrator has allowed calls of the second one.
  codehost = owned.use(await startCodehostHub({ HUB_OUTBOUND_ALLOW: `127.0.0.1:${other.port}` }));
  ({ run } = await codehost.addRow({ label: "Code", baseUrl: host.url, token }));
});
afterAll(() => owned.disposeAsync());

const methods = [
  ["GET", "get_repo", {}],
  ["PUT", "star_repo", {}],
  ["POST", "create_issue", { title: "Login fails" }],
  ["PATCH", "update_issue", { number: 7, state: "closed" }],
  ["DELETE", "delete_comment", { comment_id: 7 }],
] as const;

test.each(
  methods,
)("%s: The credential is not sent to another host after a redirect (trap 32)", async (_, key, params) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const to = `${other.url}/repos/octocat/hello-world`;
    host.answerBy(() => ({ status, headers: { location: to } }));
    host.takeSent();
    await run(key, { ...repo, ...params });
    expect(host.takeSent()).toHaveLength(1);
    for (const { headers, target, body } of [...other.takeSent()]) {
      expect(JSON.stringify({ headers, target, body })).not.toContain(token);
      expect(headers).not.toHaveProperty("authorization");
      expect(body).toBe("");
    }
  }
});

test("A redirect of a renamed repository is followed with the credential on the same host", async () => {
  host.answerBy(({ target }) =>
    target.startsWith("/repositories/1")
      ? { body: { full_name: "octocat/renamed" } }
      : { status: 301, headers: { location: `${host.url}/repositories/1` } },
  );
  host.takeSent();
  const answer = await run("get_repo", repo);
  expect(answer.value).toMatchObject({ full_name: "octocat/renamed" });
  expect(host.takeSent().map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${token}`,
    `Bearer ${token}`,
  ]);
});

const changing = methods.filter(([method]) => method !== "GET");

test("All methods but GET change something", () => {
  expect(changing.map(([method]) => method)).toEqual(["PUT", "POST", "PATCH", "DELETE"]);
});

test.each(changing)("%s: A redirect of a change is not followed", async (_, key, params) => {
  for (const status of [301, 302, 303, 307, 308]) {
    host.answerBy(({ target }) =>
      target.startsWith("/elsewhere")
        ? { body: { number: 7 } }
        : { status, headers: { location: `${host.url}/elsewhere` } },
    );
    host.takeSent();
    const answer = await run(key, { ...repo, ...params });
    expect(answer).toMatchObject({ isError: true, value: { http_status: status } });
    expect(host.takeSent()).toHaveLength(1);
  }
});

test("A host in a private network is called only if an administrator saved it as base URL (trap 33)", async () => {
  await using stranger = await startRecordingHost(() => ({ body: { full_name: "a/b" } }));
  host.answerBy(() => ({ body: { full_name: "octocat/hello-world" } }));
  expect((await run("get_repo", repo)).value).toMatchObject({ full_name: "octocat/hello-world" });
  host.answerBy(() => ({ status: 302, headers: { location: `${stranger.url}/` } }));
  const refused = await run("get_repo", repo);
  expect(refused.isError).toBe(true);
  expect(stranger.takeSent()).toEqual([]);

  const { run: runThere } = await codehost.addRow({ label: "There", baseUrl: stranger.url, token });
  expect((await runThere("get_repo", repo)).value).toMatchObject({ full_name: "a/b" });
});

test.each([
  "ftp",
  "file",
  "gopher",
  "ws",
])("A base URL with the scheme %s is refused", async (scheme) => {
  host.takeSent();
  const baseUrl = host.url.replace("http", scheme);
  const added = await codehost.addRow({ label: scheme, baseUrl, token }).then(
    ({ run: runIt }) => runIt("get_repo", repo),
    () => ({ isError: true }),
  );
  expect(added.isError).toBe(true);
  expect(host.takeSent()).toEqual([]);
});

test.each(["", "/", "/api/v3", "/api/v3/"])("A base URL may end in %p", async (ending) => {
  host.answerBy(() => ({ body: { login: "octocat" } }));
  const { run: runIt } = await codehost.addRow({
    label: `Ending ${ending}`,
    baseUrl: `${host.url}${ending}`,
    token,
  });
  host.takeSent();
  await runIt("get_me");
  const prefix = ending.includes("api") ? "/api/v3" : "";
  expect(host.takeSent()).toMatchObject([{ target: `${prefix}/user` }]);
});
