import {
  defineList,
  defineListAt,
  defineReading,
  defineWriting,
  get,
  type OperationCases,
  repo,
  repoPath,
  send,
} from "./operation-case.ts";

const releases = `${repoPath}/releases`;
const release = { ...repo, release_id: 9 };
const hooks = `${repoPath}/hooks`;
const hookUrl = "https://ci.example.com/hook";
const dispatches = (id: string) => `${repoPath}/actions/workflows/${id}/dispatches`;
const contents = `${repoPath}/contents`;
const file = { path: "notes/hello.rb", content: "Grüße\n", message: "Greet" };
const content = "R3LDvMOfZQo=";
const sha = "95b966ae1c166bd92f8ae7d1c313e738c731dfc3";

const search = (path: string, q: string) => defineListAt(path, { required: { q }, query: { q } });

export const filesAndMore: OperationCases = {
  search_issues: search("/search/issues", "login is:issue repo:octocat/hello-world"),
  search_repos: search("/search/repositories", "hello+you language:ruby"),
  search_code: search("/search/code", "greet & wave repo:octocat/hello-world"),
  list_workflows: defineList("/actions/workflows"),
  list_workflow_runs: defineList("/actions/runs"),
  dispatch_workflow: defineWriting(
    {
      given: { ...repo, workflow_id: "ci.yml", ref: "main" },
      sends: [send("POST", dispatches("ci.yml"), { ref: "main" })],
    },
    {
      given: { ...repo, workflow_id: "161335", ref: "main", inputs: '{"environment":"staging"}' },
      sends: [
        send("POST", dispatches("161335"), { ref: "main", inputs: { environment: "staging" } }),
      ],
    },
  ),
  list_hooks: defineList("/hooks"),
  create_hook: defineWriting(
    {
      given: { ...repo, url: hookUrl },
      sends: [
        send("POST", hooks, {
          name: "web",
          active: true,
          events: ["push"],
          config: { url: hookUrl, content_type: "json" },
        }),
      ],
    },
    {
      given: {
        ...repo,
        url: hookUrl,
        events: "push,pull_request",
        secret: "correct horse",
        content_type: "form",
      },
      sends: [
        send("POST", hooks, {
          name: "web",
          active: true,
          events: ["push", "pull_request"],
          config: { url: hookUrl, content_type: "form", secret: "correct horse" },
        }),
      ],
    },
  ),
  get_file: defineReading(
    { given: { ...repo, path: "README.md" }, sends: [get(`${contents}/README.md`)] },
    {
      given: { ...repo, path: "notes/hello.rb", ref: "feature/login" },
      sends: [get(`${contents}/notes/hello.rb`, { ref: "feature/login" })],
    },
  ),
  create_or_update_file: defineWriting(
    {
      given: { ...repo, ...file },
      // The documented file exists, so its sha must be looked up.
      sends: [
        send("PUT", `${contents}/notes/hello.rb`, {
          message: "Greet",
          content,
          sha: "3d21ec53a331a6f037a91c368710b99387d012c1",
        }),
      ],
    },
    {
      given: { ...repo, ...file, branch: "feature/login", sha },
      sends: [
        send("PUT", `${contents}/notes/hello.rb`, {
          message: "Greet",
          content,
          branch: "feature/login",
          sha,
        }),
      ],
    },
  ),
  list_releases: defineList("/releases"),
  get_latest_release: defineReading({ given: repo, sends: [get(`${releases}/latest`)] }),
  get_release: defineReading({ given: release, sends: [get(`${releases}/9`)] }),
  create_release: defineWriting(
    {
      given: { ...repo, tag_name: "v2.0" },
      sends: [send("POST", releases, { tag_name: "v2.0" })],
    },
    {
      given: {
        ...repo,
        tag_name: "v2.0",
        name: "Two",
        body: "Faster.",
        target_commitish: "main",
        draft: true,
        prerelease: false,
      },
      sends: [
        send("POST", releases, {
          tag_name: "v2.0",
          name: "Two",
          body: "Faster.",
          target_commitish: "main",
          draft: true,
          prerelease: false,
        }),
      ],
    },
  ),
  update_release: defineWriting(
    {
      given: { ...release, draft: false },
      sends: [send("PATCH", `${releases}/9`, { draft: false })],
    },
    {
      given: {
        ...release,
        tag_name: "v2.1",
        name: "Two",
        body: "",
        draft: false,
        prerelease: true,
      },
      sends: [
        send("PATCH", `${releases}/9`, {
          tag_name: "v2.1",
          name: "Two",
          body: "",
          draft: false,
          prerelease: true,
        }),
      ],
    },
  ),
  delete_release: defineWriting({ given: release, sends: [send("DELETE", `${releases}/9`)] }),
};
