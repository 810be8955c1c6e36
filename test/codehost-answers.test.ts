/** The connector `codehost`, called through the hub, with answers that no emulator gives. */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { readAudit } from "./support/audit.ts";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "./support/codehost/codehost-hub.ts";
import {
  type HostAnswer,
  type RecordingHost,
  startRecordingHost,
} from "./support/recording-host.ts";
import { toEncodings } from "./support/secret-encodings.ts";

setDefaultTimeout(180_000);

const token = "ghp_w8Lp2VdQ6nKs9ZyR4tMb7XcH3gJf5UeA1oTq";
const repo = { owner: "octocat", repo: "hello-world" };
const pull = { ...repo, number: 7 };
const firstSha = "aa218f56b14c9653891f9e74264a383fa43fefbd";
const secondSha = "95b966ae1c166bd92f8ae7d1c313e738c731dfc3";

const owned = new AsyncDisposableStack();
let host: RecordingHost;
let codehost: CodehostHub;
let rowId: string;
let run: RunOperation;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(() => ({ status: 500 })));
  codehost = owned.use(await startCodehostHub());
  const row = await codehost.addRow({ label: "Code", baseUrl: host.url, token });
  ({ id: rowId, run } = row);
});
afterAll(() => owned.disposeAsync());
afterEach(() => void host.takeSent());

describe("The message of an error says what to do next", () => {
  const later = Math.floor(Date.now() / 1000) + 1800;
  const refusals: Array<{ what: string; answer: HostAnswer; expectedPatterns: RegExp[] }> = [
    {
      what: "an invalid token",
      answer: { status: 401, body: { message: "Bad credentials" } },
      expectedPatterns: [/token/i, /admin/i],
    },
    {
      what: "the hourly limit",
      answer: {
        status: 403,
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(later) },
        body: { message: "API rate limit exceeded for user ID 1." },
      },
      expectedPatterns: [
        /limit/i,
        new RegExp(`${new Date(later * 1000).toISOString().slice(0, 16)}|\\d+ (s|min)`),
      ],
    },
    {
      what: "the limit on concurrent requests",
      answer: {
        status: 403,
        headers: { "retry-after": "60" },
        body: { message: "You have exceeded a secondary rate limit." },
      },
      expectedPatterns: [/limit/i, /60 s|1 min|\d{2}:\d{2}/],
    },
    {
      what: "a limit with the status 429",
      answer: { status: 429, headers: { "retry-after": "7" }, body: { message: "Too many" } },
      expectedPatterns: [/limit/i, /7 s|\d{2}:\d{2}/],
    },
    {
      what: "a fine-grained token without the permission",
      answer: {
        status: 403,
        headers: { "x-accepted-github-permissions": "issues=write; pull_requests=write" },
        body: { message: "Resource not accessible by personal access token" },
      },
      expectedPatterns: [/issues/i, /write/i, /permission/i],
    },
    {
      what: "a classic token without the scope",
      answer: {
        status: 403,
        headers: { "x-accepted-oauth-scopes": "repo", "x-oauth-scopes": "public_repo" },
        body: { message: "Must have admin rights to Repository." },
      },
      expectedPatterns: [/scope/i, /\brepo\b/],
    },
    {
      what: "an organisation that requires single sign-on",
      answer: {
        status: 403,
        headers: {
          "x-github-sso": "required; url=https://github.com/orgs/o/sso?authorization_request=1",
        },
        body: { message: "Resource protected by organization SAML enforcement." },
      },
      expectedPatterns: [/sign-on|single sign|SSO/i],
    },
    {
      what: "a repository that is absent or private",
      answer: { status: 404, body: { message: "Not Found" } },
      expectedPatterns: [/not found|no such|does not exist/i, /access|permission|private|see/i],
    },
    {
      what: "input that the host refuses",
      answer: {
        status: 422,
        body: {
          message: "Validation Failed",
          errors: [
            { resource: "Issue", field: "title", code: "missing_field" },
            { resource: "Issue", code: "custom", message: "No commits between main and fix" },
          ],
        },
      },
      expectedPatterns: [/Validation Failed/, /title/, /No commits between main and fix/],
    },
    {
      what: "a page of a proxy",
      answer: { status: 502, body: "<html>Bad gateway</html>" },
      expectedPatterns: [/502/],
    },
    { what: "nothing", answer: { status: 500 }, expectedPatterns: [/500/] },
    {
      what: "an answer that is no JSON",
      answer: { body: "<html>Welcome</html>" },
      expectedPatterns: [/JSON/],
    },
  ];

  test.each(refusals)("The error of $what says what to do next", async ({
    answer,
    expectedPatterns,
  }) => {
    host.answerBy(() => answer);
    const refused = await run("create_issue", { ...repo, title: "Login fails" });
    expect(refused.isError).toBe(true);
    for (const pattern of expectedPatterns) expect(refused.text).toMatch(pattern);
    expect(host.takeSent()).toHaveLength(1);
  });

  test("The errors of an unmergeable and of a changed pull request say what to do next", async () => {
    host.answerBy(() => ({ status: 405, body: { message: "Pull Request is not mergeable" } }));
    expect((await run("merge_pr", pull)).text).toMatch(/not mergeable/);
    host.answerBy(() => ({ status: 409, body: { message: "Head branch was modified." } }));
    expect((await run("merge_pr", pull)).text).toMatch(/Head branch was modified/);
  });

  test("The error of a diff that is too large for the host names the limit", async () => {
    const message = "Sorry, the diff exceeded the maximum number of lines (20000)";
    host.answerBy(() => ({ status: 406, body: { message } }));
    const refused = await run("get_pr_diff", pull);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("list_pr_files");
  });
});

describe("A list", () => {
  const link = (rel: string, page: number) =>
    `<${host.url}/repositories/1/issues?per_page=1&page=${page}>; rel="${rel}"`;

  test("A list names the next page if there are more items", async () => {
    host.answerBy(() => ({
      headers: { link: `${link("next", 2)}, ${link("last", 9)}` },
      body: [{ number: 1 }],
    }));
    const first = await run("list_issues", { ...repo, per_page: 1 });
    expect(first.value).toMatchObject({ items: [{ number: 1 }], has_more: true, next_page: 2 });
    host.answerBy(() => ({ headers: { link: link("prev", 8) }, body: [{ number: 9 }] }));
    const last = await run("list_issues", { ...repo, per_page: 1, page: 9 });
    expect(last.value).toMatchObject({ items: [{ number: 9 }], has_more: false });
    expect(last.value).not.toHaveProperty("next_page");
  });

  test("A list requests at most 100 items and at least page 1", async () => {
    host.answerBy(() => ({ body: [] }));
    for (const params of [{ per_page: 101 }, { per_page: 0 }, { per_page: -1 }, { page: 0 }]) {
      const answer = await run("list_issues", { ...repo, ...params });
      const sent = host.takeSent();
      if (sent.length === 0) expect(answer.isError, JSON.stringify(params)).toBe(true);
      for (const { target } of sent) {
        const query = new URL(target, host.url).searchParams;
        expect(Number(query.get("per_page") ?? 30), target).toBeWithin(1, 101);
        expect(Number(query.get("page") ?? 1), target).toBeGreaterThan(0);
      }
    }
  });
});

describe("A diff", () => {
  const diff = [
    "diff --git a/ä.txt b/ä.txt",
    "--- a/ä.txt",
    "+++ b/ä.txt",
    "@@ -0,0 +1 @@",
    "+Grüße 🌍🌍🌍",
    "",
  ].join("\n");

  test("A diff within the limit is returned unchanged", async () => {
    host.answerBy(() => ({
      headers: { "content-type": "application/vnd.github.v3.diff; charset=utf-8" },
      body: diff,
    }));
    const whole = await run("get_pr_diff", pull);
    expect(whole.value.diff).toBe(diff);
    expect(whole.value).not.toMatchObject({ truncated: true });
    const [sent] = host.takeSent();
    expect(sent?.headers.accept).toBe("application/vnd.github.v3.diff");
    expect(sent?.target).toBe("/repos/octocat/hello-world/pulls/7");
  });

  test("A diff over the limit is cut at the end of a line", async () => {
    host.answerBy(() => ({ body: diff }));
    const size = Buffer.byteLength(diff);
    expect(size).toBeGreaterThan(20);
    for (let max = 1; max <= size + 1; max += 1) {
      const { value, isError, text } = await run("get_pr_diff", { ...pull, max_bytes: max });
      expect(isError, text).toBe(false);
      expect(Buffer.byteLength(value.diff)).toBeLessThanOrEqual(max);
      expect(diff.startsWith(value.diff), String(max)).toBe(true);
      expect(value.truncated ?? false).toBe(max < size);
      if (value.diff.includes("\n")) expect(value.diff).toEndWith("\n");
    }
  });
});

describe("A file", () => {
  const path = "notes/hello.txt";
  const answerFile = (members: Record<string, string | number | null>) =>
    host.answerBy(() => ({
      body: { type: "file", name: "hello.txt", path, sha: firstSha, ...members },
    }));
  const toContent = (bytes: Uint8Array) => {
    const encoded = Buffer.from(bytes).toString("base64").replace(/.{60}/g, "$&\n");
    return { encoding: "base64", size: bytes.length, content: encoded };
  };

  test("A text file is returned as text with its line endings", async () => {
    const text = `\ufeffGrüße 🌍\r\n${"line\n".repeat(100)}`;
    answerFile(toContent(Buffer.from(text)));
    const { value } = await run("get_file", { ...repo, path });
    expect(value).toMatchObject({ content: text, sha: firstSha, path });
  });

  test.each([
    [
      "A binary file",
      { ...toContent(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1, 255])) },
      /binary|text/i,
    ],
    [
      "A file over the limit of the API",
      { encoding: "none", size: 2_000_000, content: "" },
      /large|limit|MB/i,
    ],
    [
      "A submodule",
      { type: "submodule", size: 0, submodule_git_url: "https://example.com/x.git" },
      /submodule/i,
    ],
  ])("%s is answered with a reason instead of its content", async (_, members, expectedPatterns) => {
    answerFile(members);
    const answer = await run("get_file", { ...repo, path });
    expect(answer.text).toMatch(expectedPatterns);
    expect(answer.value.content ?? "").toBe("");
  });

  test("Reading a folder or the root lists its entries", async () => {
    const entry = { type: "file", size: 5, name: "a.txt", path: "notes/a.txt", sha: firstSha };
    host.answerBy(() => ({ body: [entry] }));
    for (const folder of ["notes", "/"]) {
      const answer = await run("get_file", { ...repo, path: folder });
      expect(answer.value).toMatchObject({ type: "folder", entries: [{ path: "notes/a.txt" }] });
    }
    expect(host.takeSent().at(-1)?.target).toBe("/repos/octocat/hello-world/contents");
  });
});

describe("A file that is written without a sha", () => {
  const file = { ...repo, path: "a.txt", content: "mine", message: "Mine" };
  const written = {
    status: 200,
    body: { content: { path: "a.txt", sha: secondSha }, commit: { sha: secondSha } },
  };
  const takePuts = () =>
    host
      .takeSent()
      .filter(({ method }) => method === "PUT")
      .map(({ body }) => JSON.parse(body));

  /** A host on which another writer commits `changes` times, each time before a write arrives. */
  function answerWithOtherWriter(changes: number, { toSameFile }: { toSameFile: boolean }): void {
    let commits = 0;
    const findSha = () => String(toSameFile ? commits : 0).repeat(40);
    host.answerBy(({ method, body }) => {
      if (method === "GET") return { body: { type: "file", path: "a.txt", sha: findSha() } };
      const isLate = commits < changes;
      if (isLate) commits += 1;
      const isCurrent = JSON.parse(body).sha === findSha();
      if (isCurrent && !isLate) return written;
      return { status: 409, body: { message: "is at 1 but expected 0" } };
    });
  }

  test("A write succeeds when another writer commits a different file at the same time", async () => {
    answerWithOtherWriter(1, { toSameFile: false });
    const answer = await run("create_or_update_file", file);
    expect(answer.isError, answer.text).toBe(false);
    expect(takePuts()).toHaveLength(2);
  });

  test("A write fails, and overwrites nothing, when another writer changes the same file", async () => {
    answerWithOtherWriter(1, { toSameFile: true });
    const answer = await run("create_or_update_file", file);
    expect(answer).toMatchObject({ isError: true, value: { http_status: 409 } });
    expect(answer.text).toMatch(/another writer/i);
    expect(answer.text).toContain("get_file");
    expect(takePuts()).toMatchObject([{ sha: "0".repeat(40) }]);
  });

  test("A write stops its retries when another writer is always faster", async () => {
    answerWithOtherWriter(1_000, { toSameFile: false });
    expect((await run("create_or_update_file", file)).isError).toBe(true);
    expect(takePuts().length).toBeWithin(1, 6);
  });

  test("A write does not overwrite a file that another writer creates first", async () => {
    let exists = false;
    host.answerBy(({ method }) => {
      if (method === "GET" && !exists) return { status: 404, body: { message: "Not Found" } };
      if (method === "GET") return { body: { type: "file", sha: firstSha, path: "a.txt" } };
      exists = true;
      return { status: 422, body: { message: 'Invalid request.\n\n"sha" wasn\'t supplied.' } };
    });
    const answer = await run("create_or_update_file", file);
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/another writer/i);
    expect(takePuts()).toHaveLength(1);
  });

  test("A write with an outdated sha does not overwrite a newer version", async () => {
    answerWithOtherWriter(1, { toSameFile: true });
    const answer = await run("create_or_update_file", { ...file, sha: "0".repeat(40) });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/sha/);
    expect(takePuts()).toMatchObject([{ sha: "0".repeat(40) }]);
  });

  test("A write goes to the branch of its look-up", async () => {
    host.answerBy(({ method }) =>
      method === "GET" ? { body: { type: "file", sha: firstSha, path: "a.txt" } } : written,
    );
    await run("create_or_update_file", { ...file, branch: "feature/x" });
    const branches = host
      .takeSent()
      .map(({ method, target, body }) =>
        method === "GET" ? target.split("?")[1] : JSON.parse(body).branch,
      );
    expect(branches).toEqual(["ref=feature%2Fx", "feature/x"]);
  });
});

test.each([
  "star_repo",
  "unstar_repo",
  "delete_ref",
  "delete_comment",
  "delete_release",
])("%s returns ok when the host answers without a body", async (key) => {
  host.answerBy(() => ({ status: 204 }));
  const rest = {
    delete_ref: { branch: "x" },
    delete_comment: { comment_id: 1 },
    delete_release: { release_id: 1 },
  };
  const answer = await run(key, { ...repo, ...rest[key as keyof typeof rest] });
  expect(answer.value).toMatchObject({ ok: true });
});

test.each([
  "not json",
  "[1]",
  '"text"',
  "null",
  "3",
])("dispatch_workflow drops inputs that are not an object: %p", async (inputs) => {
  host.answerBy(() => ({ status: 204 }));
  const answer = await run("dispatch_workflow", {
    ...repo,
    workflow_id: "ci.yml",
    ref: "main",
    inputs,
  });
  expect(answer.value).toMatchObject({ ok: true });
  const [sent] = host.takeSent();
  expect(JSON.parse(sent?.body ?? "")).toEqual({ ref: "main" });
});

test("The health check requests only /user, and reports why it fails", async () => {
  const manageToken = await codehost.hub.makeManageToken();
  const checkHealth = async () => {
    const { hub } = codehost;
    const answer = await fetch(`${hub.url}/manager/api/rows/${rowId}/health`, {
      method: "POST",
      headers: { authorization: `Bearer ${manageToken}` },
    });
    return await answer.text();
  };
  host.answerBy(() => ({ body: { login: "octocat" } }));
  expect(JSON.parse(await checkHealth())).toEqual({ ok: true });
  expect(host.takeSent()).toMatchObject([{ method: "GET", target: "/user" }]);

  const body = { message: `Bad credentials: ${token}` };
  host.answerBy(() => ({ status: 401, body }));
  const refused = await checkHealth();
  expect(JSON.parse(refused)).toMatchObject({ ok: false });
  expect(refused).toContain("Bad credentials");
  expect(refused).not.toContain(token);
});

test("An id above 2^53 keeps its digits in the result", async () => {
  host.answerBy(() => ({ status: 201, body: '{"id": 9007199254740993, "body": "Seen."}' }));
  const answer = await run("add_comment", { ...pull, body: "Seen." });
  expect(answer.text).toContain("9007199254740993");
});

test("An answer that is too large fails the call but not the connector", async () => {
  host.answerBy(() => ({ body: [{ title: "x".repeat(20 * 1024 * 1024) }] }));
  const large = await run("list_issues", repo);
  expect(large.isError).toBe(true);
  host.answerBy(() => ({ body: { login: "octocat" } }));
  expect((await run("get_me")).value.login).toBe("octocat");
});

test("The secret of a webhook reaches the host, but no reply or run contains it", async () => {
  const secret = "correct horse battery staple";
  const url = "https://ci.example.com/hook";
  host.answerBy(({ body }) => ({ status: 201, body: { id: 1, ...JSON.parse(body) } }));
  const answer = await run("create_hook", { ...repo, url, secret, full: true });
  expect(answer.isError, answer.text).toBe(false);
  expect(JSON.parse(host.takeSent()[0]?.body ?? "").config.secret).toBe(secret);
  const texts = answer.text + JSON.stringify(readAudit(codehost.hub.dataDir));
  for (const echo of toEncodings(secret)) expect(texts).not.toContain(echo);
});

test("No reply, run or log contains the token, even if the host echoes it", async () => {
  const echo = { message: `Bad token ${token}`, errors: [{ message: `Bearer ${token}` }] };
  for (const status of [401, 403, 404, 409, 422, 500]) {
    host.answerBy(() => ({ status, headers: { "x-accepted-oauth-scopes": token }, body: echo }));
    for (const key of ["get_repo", "create_fork"]) {
      expect((await run(key, repo)).text).not.toContain(token);
    }
  }
  host.answerBy(() => ({
    body: { login: token, bio: Buffer.from(`x${token}`).toString("base64") },
  }));
  const texts = [(await run("get_me", { full: true })).text];
  host.answerBy(() => ({ body: `+${token}\n` }));
  texts.push((await run("get_pr_diff", pull)).text);
  const { hub } = codehost;
  texts.push(hub.stdout(), hub.stderr(), JSON.stringify(readAudit(hub.dataDir)));
  for (const echo of toEncodings(token)) {
    for (const text of texts) expect(text).not.toContain(echo);
  }
});
