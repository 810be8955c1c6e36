import { expect } from "bun:test";

/** The tools of a scenario: a new repository, and operations that must succeed. */
export type ScenarioTools = {
  owner: string;
  repo: string;
  /** Runs an operation on the repository and returns its result. */
  // biome-ignore lint/suspicious/noExplicitAny: scenarios name members that only assertions can check.
  run(operation: string, params?: Record<string, unknown>): Promise<any>;
  /** Runs an operation without owner and repo. */
  runWithoutRepository: ScenarioTools["run"];
  /** Changes the repository directly, if no operation does it. */
  prepare(method: string, path: string, body?: object): Promise<void>;
};

type Scenario = (tools: ScenarioTools) => Promise<void>;

/** Scenarios that use every operation of the emulator, and read its effect. */
export const emulatorScenarios: Record<string, Scenario> = {
  async "create, find and change repositories"({
    owner,
    repo,
    run,
    runWithoutRepository,
    prepare,
  }) {
    expect((await runWithoutRepository("get_me")).login).toBe(owner);
    expect(toNames(await runWithoutRepository("list_repos"))).toContain(repo);
    const fresh = `${repo}-fresh`;
    await runWithoutRepository("create_repo", { name: fresh, description: "New", auto_init: true });
    expect(toNames(await runWithoutRepository("list_repos", { per_page: 100 }))).toContain(fresh);
    await runWithoutRepository("create_repo", { name: fresh, org: "octo-org" });
    const inOrg = await run("get_repo", { owner: "octo-org", repo: fresh });
    expect(inOrg.full_name).toBe(`octo-org/${fresh}`);

    await run("update_repo", { description: "Greets", private: true });
    expect(await run("get_repo")).toMatchObject({ description: "Greets", private: true });
    // Omitted fields keep their values; empty fields are cleared.
    await run("update_repo", { description: "" });
    const cleared = await run("get_repo");
    expect(cleared.private).toBe(true);
    expect(cleared.description ?? "").toBe("");
    await run("update_repo", { private: false });

    const found = await runWithoutRepository("search_repos", { q: `${fresh} in:name` });
    expect(toNames(found)).toContain(fresh);
    await prepare("PUT", "/collaborators/hubot", { permission: "push" });
    expect((await run("list_collaborators")).items).toMatchObject([{ login: "hubot" }]);
  },

  async "create a branch, write and compare files, and delete the branch"({ run }) {
    await run("create_branch", { branch: "feature/greet" });
    expect(toNames(await run("list_branches"))).toContain("feature/greet");
    const file = { path: "notes/hello wörld.txt", branch: "feature/greet" };
    await run("create_or_update_file", { ...file, content: "Grüße\n", message: "Greet" });
    const read = { path: file.path, ref: file.branch };
    expect(await run("get_file", read)).toMatchObject({ content: "Grüße\n" });
    // Without a sha for an existing file, the connector looks up the sha.
    await run("create_or_update_file", { ...file, content: "Hello\n", message: "In English" });
    const changed = await run("get_file", read);
    expect(changed.content).toBe("Hello\n");
    await run("create_or_update_file", {
      ...file,
      content: "",
      message: "Say nothing",
      sha: changed.sha,
    });
    expect((await run("get_file", read)).content).toBe("");

    const commits = await run("list_commits", { sha: "feature/greet" });
    const [newest] = commits.items;
    expect(JSON.stringify(newest)).toContain("Say nothing");
    const commit = await run("get_commit", { sha: newest.sha });
    expect(commit.sha).toBe(newest.sha);
    const compared = await run("compare_commits", { base: "main", head: "feature/greet" });
    expect(compared).toMatchObject({ ahead_by: 3 });
    expect(JSON.stringify(compared)).toContain("hello wörld.txt");

    await run("create_branch", { branch: "second", from_branch: "feature/greet" });
    const [secondHead] = (await run("list_commits", { sha: "second" })).items;
    expect(secondHead.sha).toBe(newest.sha);
    await run("create_branch", { branch: "third", sha: newest.sha });
    await run("delete_ref", { branch: "feature/greet" });
    const left = toNames(await run("list_branches"));
    expect(left).not.toContain("feature/greet");
    expect(left).toContain("third");
  },

  async "open, change, comment on and close an issue"({ owner, repo, run, runWithoutRepository }) {
    const created = await run("create_issue", {
      title: "Login fails",
      body: "Since 2.0.",
      labels: "bug, login",
    });
    const issue = { number: created.number };
    const read = await run("get_issue", issue);
    expect(read).toMatchObject({ title: "Login fails", body: "Since 2.0.", state: "open" });
    expect(toLabels(read)).toEqual(["bug", "login"]);

    await run("add_labels", { ...issue, labels: "help wanted,later" });
    await run("remove_label", { ...issue, name: "help wanted" });
    expect(toLabels(await run("get_issue", issue))).toEqual(["bug", "later", "login"]);
    await run("add_assignees", { ...issue, assignees: owner });
    expect(JSON.stringify((await run("get_issue", issue)).assignees)).toContain(owner);

    const comment = await run("add_comment", { ...issue, body: "Seen here, too." });
    await run("update_comment", { comment_id: comment.id, body: "Not any more." });
    const comments = (await run("list_issue_comments", issue)).items;
    expect(comments).toMatchObject([{ id: comment.id, body: "Not any more." }]);
    await run("delete_comment", { comment_id: comment.id });
    expect((await run("list_issue_comments", issue)).items).toEqual([]);

    await run("update_issue", { ...issue, state: "closed", labels: "done" });
    const closed = await run("get_issue", issue);
    expect(closed).toMatchObject({ title: "Login fails", body: "Since 2.0.", state: "closed" });
    expect(toLabels(closed)).toEqual(["done"]);
    await run("update_issue", { ...issue, body: "", labels: "" });
    const cleared = await run("get_issue", issue);
    expect(toLabels(cleared)).toEqual([]);
    expect(cleared.body ?? "").toBe("");
    expect((await run("list_issues")).items).toEqual([]);
    expect((await run("list_issues", { state: "closed" })).items).toMatchObject([issue]);
    const found = await runWithoutRepository("search_issues", {
      q: `repo:${owner}/${repo} is:issue Login`,
    });
    expect(found.items).toMatchObject([issue]);
  },

  async "review and merge a pull request"({ run }) {
    await run("create_branch", { branch: "fix" });
    const file = { path: "fix.txt", content: "one\ntwo\n", message: "Fix", branch: "fix" };
    await run("create_or_update_file", file);
    const created = await run("create_pr", { title: "Fix login", head: "fix", base: "main" });
    const pull = { number: created.number };
    expect((await run("list_prs")).items).toMatchObject([pull]);
    await run("update_pr", { ...pull, title: "Mend login", body: "Closes #1." });
    const read = await run("get_pr", pull);
    expect(read).toMatchObject({ title: "Mend login", body: "Closes #1.", state: "open" });
    const withIssues = (await run("list_issues", { state: "all" })).items;
    const asIssue = withIssues.find((each: { number: number }) => each.number === pull.number);
    if (asIssue !== undefined) expect(asIssue.pull_request).not.toBeNull();
    await run("list_pr_files", pull);

    const headSha = JSON.stringify(read).match(/[0-9a-f]{40}/)?.[0];
    await run("create_review", { ...pull, body: "Read it." });
    expect((await run("list_reviews", pull)).items).toMatchObject([
      { state: "COMMENTED", body: "Read it." },
    ]);
    const remark = { body: "Why two?", path: "fix.txt", line: 2, commit_id: headSha };
    await run("create_review_comment", { ...pull, ...remark });
    expect((await run("list_review_comments", pull)).items).toMatchObject([
      { body: "Why two?", path: "fix.txt" },
    ]);
    await run("request_reviewers", { ...pull, reviewers: "hubot" });
    expect(JSON.stringify((await run("get_pr", pull)).requested_reviewers)).toContain("hubot");

    const merged = await run("merge_pr", { ...pull, merge_method: "squash" });
    expect(merged).toMatchObject({ merged: true });
    expect(await run("get_pr", pull)).toMatchObject({ state: "closed", merged: true });
    expect(await run("get_file", { path: "fix.txt" })).toMatchObject({ content: "one\ntwo\n" });
    expect((await run("list_prs")).items).toEqual([]);
  },

  async "create and delete releases, and keep their tags"({ run, prepare }) {
    const [{ sha }] = (await run("list_commits")).items;
    const tag = { tag: "v0.9", message: "Nearly", object: sha, type: "commit" };
    await prepare("POST", "/git/tags", tag);
    expect((await run("list_tags")).items).toMatchObject([{ name: "v0.9" }]);
    const created = await run("create_release", { tag_name: "v1.0", name: "One", body: "First." });
    const release = { release_id: created.id };
    expect(await run("get_release", release)).toMatchObject({ tag_name: "v1.0", body: "First." });
    expect(await run("get_latest_release")).toMatchObject({ tag_name: "v1.0" });
    await run("update_release", { ...release, name: "The one" });
    expect((await run("list_releases")).items).toMatchObject([
      { name: "The one", body: "First.", draft: false },
    ]);
    await run("delete_release", release);
    expect((await run("list_releases")).items).toEqual([]);
  },

  async "use forks, webhooks, workflows and code search"({
    owner,
    repo,
    run,
    runWithoutRepository,
  }) {
    const fork = await run("create_fork", { organization: "octo-org" });
    expect(fork.full_name).toBe(`octo-org/${repo}`);
    expect(JSON.stringify(await run("list_forks"))).toContain(`octo-org/${repo}`);
    const url = "https://ci.example.com/hook";
    await run("create_hook", { url, events: "push,pull_request", secret: "correct horse" });
    const hooks = await run("list_hooks");
    expect(hooks.items).toMatchObject([{ events: ["push", "pull_request"] }]);
    expect(JSON.stringify(hooks)).toContain(url);
    expect((await run("list_workflows")).items).toEqual([]);
    expect((await run("list_workflow_runs")).items).toEqual([]);
    const code = await runWithoutRepository("search_code", { q: `README repo:${owner}/${repo}` });
    expect(code.items).toBeArray();
  },
};

/** The operations for which the emulator has no answer or only an empty one. */
export const notEmulated = [
  "list_stargazers",
  "star_repo",
  "unstar_repo",
  "get_pr_diff",
  "list_workflows",
  "list_workflow_runs",
  "dispatch_workflow",
  "list_pr_files",
];

function toNames(list: { items: Array<{ name?: string; full_name?: string }> }): string[] {
  return list.items.map(({ name, full_name: fullName }) => name ?? fullName?.split("/")[1] ?? "");
}

function toLabels({ labels = [] }: { labels?: string[] }): string[] {
  return [...labels].sort();
}
