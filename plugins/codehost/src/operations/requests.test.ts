import { expect, test } from "bun:test";
import { InvalidInputError, type Json } from "@hub/connector";
import { codehost } from "../connector.ts";
import { startFakeHost } from "../fixtures/fake-host.fixture.ts";

type Params = Record<string, Json>;
/** The params, and the expected last request. */
type Call = [given: Params, request: string, body?: Json];

const repo = { owner: "octocat", repo: "hello-world" };
const at = "/repos/octocat/hello-world";
const seven = { ...repo, number: 7 };
const sha = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";
const base64 = "R3LDvMOfZQo=";

const list = (path: string, given: Params = repo): Call[] => [
  [given, `GET ${path}?per_page=30`],
  [{ ...given, per_page: 250, page: 3 }, `GET ${path}?per_page=100&page=3`],
];
const search = (path: string): Call[] => [
  [{ q: "a&b is:open" }, `GET ${path}?q=a%26b+is%3Aopen&per_page=30`],
];

/** Every operation of the specification, with few and with all inputs. */
const calls: Record<string, Call[]> = {
  list_repos: [
    [{}, "GET /user/repos?affiliation=owner&visibility=all&per_page=30"],
    [
      { affiliation: "owner,collaborator", visibility: "private", per_page: 5, page: 2 },
      "GET /user/repos?affiliation=owner%2Ccollaborator&visibility=private&per_page=5&page=2",
    ],
  ],
  get_repo: [[repo, `GET ${at}`]],
  list_branches: list(`${at}/branches`),
  list_tags: list(`${at}/tags`),
  list_commits: [
    [repo, `GET ${at}/commits?per_page=30`],
    [
      { ...repo, sha: "a/b", path: "src/a b.ts", author: "hubot" },
      `GET ${at}/commits?sha=a%2Fb&path=src%2Fa+b.ts&author=hubot&per_page=30`,
    ],
  ],
  list_forks: list(`${at}/forks`),
  list_stargazers: list(`${at}/stargazers`),
  list_collaborators: list(`${at}/collaborators`),
  get_commit: [[{ ...repo, sha: "feature/a" }, `GET ${at}/commits/feature%2Fa`]],
  compare_commits: [
    [
      { ...repo, base: "main", head: "hubot:feature/a" },
      `GET ${at}/compare/main...hubot%3Afeature%2Fa`,
    ],
  ],
  create_fork: [
    [repo, `POST ${at}/forks`, {}],
    [
      { ...repo, organization: "o", name: "n" },
      `POST ${at}/forks`,
      { organization: "o", name: "n" },
    ],
  ],
  star_repo: [[repo, "PUT /user/starred/octocat/hello-world"]],
  unstar_repo: [[repo, "DELETE /user/starred/octocat/hello-world"]],
  create_repo: [
    [{ name: "n" }, "POST /user/repos", { name: "n" }],
    [
      { name: "n", description: "d", private: false, auto_init: true, org: "o" },
      "POST /orgs/o/repos",
      { name: "n", description: "d", private: false, auto_init: true },
    ],
  ],
  update_repo: [
    [{ ...repo, description: "" }, `PATCH ${at}`, { description: "" }],
    [
      { ...repo, name: "n", private: false, default_branch: "b", archived: false },
      `PATCH ${at}`,
      { name: "n", private: false, default_branch: "b", archived: false },
    ],
    [{ ...repo, name: "", archived: true }, `PATCH ${at}`, { archived: true }],
  ],
  create_branch: [
    [{ ...repo, branch: "a/b" }, `POST ${at}/git/refs`, { ref: "refs/heads/a/b", sha }],
    [
      { ...repo, branch: "b", from_branch: "x", sha: "f00" },
      `POST ${at}/git/refs`,
      { ref: "refs/heads/b", sha: "f00" },
    ],
  ],
  delete_ref: [[{ ...repo, branch: "a/b c" }, `DELETE ${at}/git/refs/heads/a/b%20c`]],
  list_issues: [
    [repo, `GET ${at}/issues?state=open&per_page=30`],
    [{ ...repo, state: "all", page: 2 }, `GET ${at}/issues?state=all&per_page=30&page=2`],
  ],
  get_issue: [[seven, `GET ${at}/issues/7`]],
  list_issue_comments: list(`${at}/issues/7/comments`, seven),
  create_issue: [
    [{ ...repo, title: "t", body: "", labels: "" }, `POST ${at}/issues`, { title: "t" }],
    [
      { ...repo, title: "t", body: "b", labels: " bug, help wanted ," },
      `POST ${at}/issues`,
      { title: "t", body: "b", labels: ["bug", "help wanted"] },
    ],
  ],
  update_issue: [
    [{ ...seven, state: "closed" }, `PATCH ${at}/issues/7`, { state: "closed" }],
    [
      { ...seven, title: "", body: "", labels: "" },
      `PATCH ${at}/issues/7`,
      { body: "", labels: [] },
    ],
  ],
  add_comment: [[{ ...seven, body: "b" }, `POST ${at}/issues/7/comments`, { body: "b" }]],
  update_comment: [
    [
      { ...repo, comment_id: "9007199254740993", body: "b" },
      `PATCH ${at}/issues/comments/9007199254740993`,
      { body: "b" },
    ],
  ],
  delete_comment: [[{ ...repo, comment_id: 4 }, `DELETE ${at}/issues/comments/4`]],
  add_labels: [[{ ...seven, labels: "a,b" }, `POST ${at}/issues/7/labels`, { labels: ["a", "b"] }]],
  remove_label: [[{ ...seven, name: "a/b" }, `DELETE ${at}/issues/7/labels/a%2Fb`]],
  add_assignees: [
    [{ ...seven, assignees: "a, b" }, `POST ${at}/issues/7/assignees`, { assignees: ["a", "b"] }],
  ],
  list_prs: [
    [repo, `GET ${at}/pulls?state=open&per_page=30`],
    [{ ...repo, state: "closed" }, `GET ${at}/pulls?state=closed&per_page=30`],
  ],
  get_pr: [[seven, `GET ${at}/pulls/7`]],
  get_pr_diff: [[seven, `GET ${at}/pulls/7`]],
  list_pr_files: list(`${at}/pulls/7/files`, seven),
  create_pr: [
    [
      { ...repo, title: "t", head: "o:h", base: "b", draft: false },
      `POST ${at}/pulls`,
      { title: "t", head: "o:h", base: "b", draft: false },
    ],
  ],
  update_pr: [
    [{ ...seven, body: "", base: "", title: "" }, `PATCH ${at}/pulls/7`, { body: "" }],
    [{ ...seven, state: "open", base: "b" }, `PATCH ${at}/pulls/7`, { state: "open", base: "b" }],
  ],
  merge_pr: [
    [seven, `PUT ${at}/pulls/7/merge`, { merge_method: "merge" }],
    [
      { ...seven, merge_method: "squash", commit_title: "t", commit_message: "" },
      `PUT ${at}/pulls/7/merge`,
      { merge_method: "squash", commit_title: "t", commit_message: "" },
    ],
  ],
  list_reviews: list(`${at}/pulls/7/reviews`, seven),
  list_review_comments: list(`${at}/pulls/7/comments`, seven),
  create_review: [
    [{ ...seven, body: "b" }, `POST ${at}/pulls/7/reviews`, { event: "COMMENT", body: "b" }],
    [
      { ...seven, event: "APPROVE", commit_id: sha },
      `POST ${at}/pulls/7/reviews`,
      { event: "APPROVE", commit_id: sha },
    ],
  ],
  create_review_comment: [
    [
      { ...seven, body: "b", commit_id: sha, path: "p", line: 3 },
      `POST ${at}/pulls/7/comments`,
      { body: "b", commit_id: sha, path: "p", line: 3, side: "RIGHT" },
    ],
  ],
  request_reviewers: [
    [
      { ...seven, reviewers: "a", team_reviewers: "t, u" },
      `POST ${at}/pulls/7/requested_reviewers`,
      { reviewers: ["a"], team_reviewers: ["t", "u"] },
    ],
  ],
  search_issues: search("/search/issues"),
  search_repos: search("/search/repositories"),
  search_code: search("/search/code"),
  list_workflows: list(`${at}/actions/workflows`),
  list_workflow_runs: list(`${at}/actions/runs`),
  dispatch_workflow: [
    [
      { ...repo, workflow_id: 9, ref: "main" },
      `POST ${at}/actions/workflows/9/dispatches`,
      { ref: "main" },
    ],
    [
      { ...repo, workflow_id: ".github/workflows/ci.yml", ref: "main", inputs: '{"a": "b"}' },
      `POST ${at}/actions/workflows/ci.yml/dispatches`,
      { ref: "main", inputs: { a: "b" } },
    ],
  ],
  list_hooks: list(`${at}/hooks`),
  create_hook: [
    [
      { ...repo, url: "https://ci.example.com/h", secret: "" },
      `POST ${at}/hooks`,
      {
        name: "web",
        active: true,
        events: ["push"],
        config: { url: "https://ci.example.com/h", content_type: "json" },
      },
    ],
  ],
  get_file: [
    [{ ...repo, path: "/" }, `GET ${at}/contents`],
    [{ ...repo, path: "/docs/a b#.md" }, `GET ${at}/contents/docs/a%20b%23.md`],
    [{ ...repo, path: "a.md", ref: "x/y" }, `GET ${at}/contents/a.md?ref=x%2Fy`],
  ],
  create_or_update_file: [
    [
      { ...repo, path: "d/a.md", content: "Grüße\n", message: "m" },
      `PUT ${at}/contents/d/a.md`,
      { message: "m", content: base64, sha },
    ],
    [
      { ...repo, path: "a.md", content: "", message: "m", branch: "b", sha: "f00" },
      `PUT ${at}/contents/a.md`,
      { message: "m", content: "", branch: "b", sha: "f00" },
    ],
  ],
  list_releases: list(`${at}/releases`),
  get_latest_release: [[repo, `GET ${at}/releases/latest`]],
  get_release: [[{ ...repo, release_id: 9 }, `GET ${at}/releases/9`]],
  create_release: [
    [{ ...repo, tag_name: "v1" }, `POST ${at}/releases`, { tag_name: "v1" }],
    [
      { ...repo, tag_name: "v1", target_commitish: "b", draft: true, prerelease: false },
      `POST ${at}/releases`,
      { tag_name: "v1", target_commitish: "b", draft: true, prerelease: false },
    ],
  ],
  update_release: [
    [
      { ...repo, release_id: 9, tag_name: "", name: "", body: "", draft: false },
      `PATCH ${at}/releases/9`,
      { name: "", body: "", draft: false },
    ],
  ],
  delete_release: [[{ ...repo, release_id: 9 }, `DELETE ${at}/releases/9`]],
  get_me: [[{}, "GET /user"]],
};

test("The operations match the specification", () => {
  expect([...codehost.operations.keys()].sort()).toEqual(Object.keys(calls).sort());
});

test.each(
  Object.entries(calls),
)("%s sends the request that the API requires", async (key, given) => {
  await using host = startFakeHost(({ target }) => ({ body: answerFor(target) }));
  for (const [params, request, body] of given) {
    await host.run(key, params);
    const last = host.sent.at(-1);
    expect(`${last?.method} ${last?.target}`).toBe(request);
    expect(last?.body).toEqual(body);
    expect(last?.headers.get("authorization")).toBe("Bearer ghp_test");
    expect(last?.headers.get("x-github-api-version")).toBe("2022-11-28");
    expect(last?.headers.get("accept")).toBe(
      key === "get_pr_diff" ? "application/vnd.github.v3.diff" : "application/vnd.github+json",
    );
  }
});

test.each([
  ["update_repo", { ...repo, name: "", default_branch: "" }, "name, description, private"],
  ["update_issue", { ...seven, title: "" }, "title, body, state, labels"],
  ["update_pr", seven, "title, body, state, base"],
  ["update_release", { ...repo, release_id: 9 }, "tag_name, name, body"],
  ["create_branch", { ...repo, branch: "refs/heads/fix" }, "fix"],
  ["create_branch", { ...repo, branch: "fix", from_branch: "refs/heads/main" }, "main"],
  ["delete_ref", { ...repo, branch: "refs/heads/fix" }, "fix"],
  ["create_repo", { name: "octo-org/site" }, "org"],
])("%s refuses meaningless params and names what to give", async (key, params, named) => {
  await using host = startFakeHost(({ target }) => ({ body: answerFor(target) }));
  const calling = host.run(key, params);
  await expect(calling).rejects.toThrow(named);
  await expect(calling).rejects.toThrow("Nothing was sent");
  await expect(calling).rejects.toBeInstanceOf(InvalidInputError);
  expect(host.sent).toEqual([]);
});

/** Returns a list for list requests, and otherwise an object with the members that look-ups need. */
function answerFor(target: string): Json {
  if (/[?&]per_page=/.test(target) && !/search|actions/.test(target)) return [];
  if (/labels/.test(target)) return [{ name: "left" }];
  const lists = { items: [], workflows: [], workflow_runs: [] };
  return { ...lists, default_branch: "main", object: { sha }, sha };
}
