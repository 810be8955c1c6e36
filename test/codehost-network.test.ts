/** Where the connector `codehost` may go with its credential: to the host of its row, and nowhere else. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "./support/codehost/codehost-hub.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";

setDefaultTimeout(120_000);

const token = "ghp_network0123456789abcdefghijklmnop";
const repo = { owner: "octocat", repo: "hello-world" };

const owned = new AsyncDisposableStack();
let codehost: CodehostHub;
let host: RecordingHost;
let other: RecordingHost;
let run: RunOperation;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(() => ({ status: 500 })));
  other = owned.use(await startRecordingHost(() => ({ body: { full_name: "evil/repo" } })));
  // Both are on this machine; the second one may be called because the administrator says so.
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
)("%s: a redirect to another host carries no credential (trap 32)", async (_, key, params) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const to = `${other.url}/repos/octocat/hello-world`;
    host.answerBy(() => ({ status, headers: { location: to } }));
    await run(key, { ...repo, ...params });
    for (const { headers, target, body } of [...other.takeSent()]) {
      expect(JSON.stringify({ headers, target, body })).not.toContain(token);
      expect(headers).not.toHaveProperty("authorization");
      expect(body).toBe("");
    }
  }
});

test("a renamed repository is followed with the credential, on the same host alone", async () => {
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

test.each(
  methods.filter(([method]) => method !== "GET"),
)("%s: a change is sent nowhere but to the address that was named", async (_, key, params) => {
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

test("a host in a private network is reached once an administrator has saved it, and no other is (trap 33)", async () => {
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

test.each(["ftp", "file", "gopher", "ws"])("%s: is no scheme to call", async (scheme) => {
  host.takeSent();
  const baseUrl = host.url.replace("http", scheme);
  const tried = await codehost.addRow({ label: scheme, baseUrl, token }).then(
    ({ run: runIt }) => runIt("get_repo", repo),
    () => ({ isError: true }),
  );
  expect(tried.isError).toBe(true);
  expect(host.takeSent()).toEqual([]);
});

test.each(["", "/", "/api/v3", "/api/v3/"])("a base address may end in %p", async (ending) => {
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
