import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { itemBuilders } from "../fixtures/realistic-lists.fixture.ts";
import {
  buildCommit,
  buildIssue,
  buildPull,
  buildRepo,
  buildUser,
  toSha,
} from "../fixtures/realistic-things.fixture.ts";
import { trim } from "./trim.ts";

describe("trim", () => {
  test("A trimmed pull request keeps what models need", () => {
    expect(trim({ ...buildPull(2), body: "Closes #7." })).toEqual({
      html_url: "https://github.com/octocat/hello-world/pull/2402",
      number: 2402,
      state: "open",
      locked: false,
      title: buildPull(2).title,
      user: "monalisa",
      body: "Closes #7.",
      created_at: "2026-10-30T11:01:12Z",
      updated_at: "2026-11-02T08:14:43Z",
      merge_commit_sha: toSha(102),
      assignees: ["defunkt"],
      requested_reviewers: ["mojombo"],
      labels: ["enhancement"],
      draft: false,
      head: { ref: "feature/2", sha: toSha(2), repo: "monalisa/hello-world-2" },
      base: { ref: "main", sha: toSha(1), repo: "hubot/hello-world-1" },
    });
  });

  test("A trimmed issue shows whether it is a pull request", () => {
    expect(trim(buildIssue(3))).toMatchObject({ pull_request: { merged_at: null } });
    expect(trim(buildIssue(1))).not.toHaveProperty("pull_request");
    expect(trim({ number: 1, pull_request: { url: "x" } })).toEqual({
      number: 1,
      pull_request: {},
    });
  });

  test("A trimmed commit has its author, its parents and whether it is signed", () => {
    expect(trim(buildCommit(1))).toMatchObject({
      sha: toSha(1),
      author: "hubot",
      parents: [toSha(2)],
      commit: { author: { name: "Mona Lisa" }, verification: true },
    });
  });

  test("A trimmed repository has its clone URL and no credential", () => {
    const small = trim({ ...buildRepo(1), temp_clone_token: "ABC" });
    expect(small).toMatchObject({ clone_url: "https://github.com/hubot/hello-world-1.git" });
    expect(small).toMatchObject({
      full_name: "hubot/hello-world-1",
      owner: "hubot",
      license: "MIT",
    });
    expect(toJsonText(small)).not.toContain("ABC");
  });

  test("A trimmed webhook keeps the URL that it calls", () => {
    expect(trim({ id: 1, url: "api", config: { url: "https://ci.example.com" } })).toEqual({
      id: 1,
      config: { url: "https://ci.example.com" },
    });
  });

  test("trim keeps false and 0, and ids beyond 2^53", () => {
    const thing = parseJson(
      '{"id": 9007199254740993, "draft": false, "comments": 0, "body": null}',
    );
    expect(toJsonText(trim(thing))).toBe('{"id":9007199254740993,"draft":false,"comments":0}');
  });

  test("trim accepts deleted accounts and forks", () => {
    expect(trim({ number: 1, user: null, head: { ref: "a", sha: "b", repo: null } })).toEqual({
      number: 1,
      head: { ref: "a", sha: "b" },
    });
  });

  test("A trimmed account keeps its name and login", () => {
    expect(trim({ ...buildUser(1), name: "Hu Bot", email: "hu@example.com" })).toMatchObject({
      login: "hubot",
      name: "Hu Bot",
      email: "hu@example.com",
    });
  });
});

/** Lists must contain the identifiers that other operations need as input. */
const needed: Record<string, string[]> = {
  list_repos: ["full_name", "default_branch", "private"],
  list_branches: ["name", "commit.sha"],
  list_tags: ["name", "commit.sha"],
  list_commits: ["sha", "commit.message"],
  list_forks: ["full_name"],
  list_stargazers: ["login"],
  list_collaborators: ["login", "role_name"],
  list_issues: ["number", "title", "state"],
  list_issue_comments: ["id", "body", "user"],
  list_prs: ["number", "head.sha", "base.ref", "draft"],
  list_pr_files: ["filename", "status", "patch"],
  list_reviews: ["id", "state", "body", "commit_id"],
  list_review_comments: ["id", "path", "line", "side", "diff_hunk", "commit_id"],
  search_issues: ["number", "html_url"],
  search_repos: ["full_name"],
  search_code: ["path", "repository", "sha"],
  list_workflows: ["id", "name", "path", "state"],
  list_workflow_runs: ["id", "status", "conclusion", "head_sha", "workflow_id"],
  list_hooks: ["id", "events", "active", "config.url"],
  list_releases: ["id", "tag_name", "draft", "prerelease"],
};

test.each(
  Object.entries(itemBuilders),
)("a trimmed item of %s keeps its identifier", (key, build) => {
  const small = trim(build(3));
  for (const path of needed[key] ?? []) expect(small).toHaveProperty(path);
  expect(needed[key]).toBeDefined();
  const text = toJsonText(small);
  expect(text).not.toMatch(
    /"(node_id|avatar_url|gravatar_id|_links|permissions)"|api\.github\.com/,
  );
  expect(text.replace(`"merged_at":null`, "")).not.toMatch(/:(null|""|\[\])/);
});
