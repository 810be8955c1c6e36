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

const sha = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d";
const refs = `${repoPath}/git/refs`;
const starred = "/user/starred/octocat/hello-world";

export const repositories: OperationCases = {
  list_repos: {
    ...defineListAt("/user/repos", {
      query: {},
      optional: { affiliation: "owner,collaborator", visibility: "private" },
    }),
    minimal: { given: {}, sends: [get("/user/repos", { affiliation: "owner" })] },
  },
  get_repo: defineReading({ given: repo, sends: [get(repoPath)] }),
  list_branches: defineList("/branches"),
  list_commits: defineList("/commits", {
    optional: { sha: "feature/login", path: "src/main.ts", author: "octocat" },
  }),
  list_forks: defineList("/forks"),
  list_stargazers: defineList("/stargazers"),
  list_collaborators: defineList("/collaborators"),
  get_commit: defineReading({
    given: { ...repo, sha },
    sends: [get(`${repoPath}/commits/${sha}`)],
  }),
  compare_commits: defineReading({
    given: { ...repo, base: "main", head: "feature" },
    sends: [get(`${repoPath}/compare/main...feature`)],
  }),
  list_tags: defineList("/tags"),
  get_me: defineReading({ given: {}, sends: [get("/user")] }),
  create_fork: defineWriting(
    { given: repo, sends: [send("POST", `${repoPath}/forks`, {})] },
    {
      given: { ...repo, organization: "octo-org", name: "hello-fork" },
      sends: [send("POST", `${repoPath}/forks`, { organization: "octo-org", name: "hello-fork" })],
    },
  ),
  star_repo: defineWriting({ given: repo, sends: [send("PUT", starred)] }),
  unstar_repo: defineWriting({ given: repo, sends: [send("DELETE", starred)] }),
  create_repo: defineWriting(
    { given: { name: "fresh" }, sends: [send("POST", "/user/repos", { name: "fresh" })] },
    {
      given: { name: "fresh", description: "New", private: true, auto_init: true, org: "octo-org" },
      sends: [
        send("POST", "/orgs/octo-org/repos", {
          name: "fresh",
          description: "New",
          private: true,
          auto_init: true,
        }),
      ],
    },
  ),
  update_repo: defineWriting(
    {
      given: { ...repo, description: "Greets" },
      sends: [send("PATCH", repoPath, { description: "Greets" })],
    },
    {
      given: {
        ...repo,
        name: "hello-you",
        description: "",
        private: false,
        default_branch: "develop",
        archived: false,
      },
      sends: [
        send("PATCH", repoPath, {
          name: "hello-you",
          description: "",
          private: false,
          default_branch: "develop",
          archived: false,
        }),
      ],
    },
  ),
  create_branch: defineWriting(
    {
      given: { ...repo, branch: "feature/login" },
      sends: [
        get(repoPath),
        // The branch and the commit are those of the documented example.
        get(`${repoPath}/git/ref/heads/master`),
        send("POST", refs, {
          ref: "refs/heads/feature/login",
          sha: "aa218f56b14c9653891f9e74264a383fa43fefbd",
        }),
      ],
    },
    {
      given: { ...repo, branch: "feature/login", from_branch: "release/2.0", sha },
      sends: [send("POST", refs, { ref: "refs/heads/feature/login", sha })],
    },
  ),
  delete_ref: defineWriting({
    given: { ...repo, branch: "feature/login" },
    sends: [send("DELETE", `${refs}/heads/feature/login`)],
  }),
};
