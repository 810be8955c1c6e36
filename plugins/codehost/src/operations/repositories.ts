import { InvalidInputError, wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { listSecrets } from "../codehost-config-fields.ts";
import { defineOperation, fullInput, pageInput, pageNote, repoInput } from "../define-operation.ts";
import { presentOne } from "../present-answer.ts";
import { requestJson } from "../request-codehost.ts";
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { cutProse, toProseLimits } from "../trim/cut-prose.ts";
import { addMissingNote } from "./repositories/cut-by-host.ts";

const repoProse = toProseLimits("get_repo gives all");

/** Reading repositories: lists, forks, stargazers, collaborators, branches, tags and commits. */
export const repositories = {
  list_repos: defineOperation({
    name: "List repositories",
    description: `List the repositories of the token's account.\n\nFor repositories of others use search_repos. ${pageNote}`,
    reads: true,
    input: {
      affiliation: wick(
        "default=owner;embed=list;desc=Comma-separated: owner, collaborator, organization_member",
      ),
      visibility: wick("dropdown=all|public|private;default=all"),
      ...pageInput,
    },
    examples: [
      { description: "Repositories of the account", params: {} },
      {
        description: "All private repositories",
        params: { affiliation: "owner,collaborator,organization_member", visibility: "private" },
      },
    ],
    async run(ctx) {
      const { affiliation, visibility } = ctx.params;
      const query = { affiliation, visibility };
      return await requestPage(ctx, { path: apiPath`/user/repos`, query, prose: repoProse });
    },
  }),

  get_repo: defineOperation({
    name: "Get repository",
    description:
      "Get one repository: description, default branch, visibility, counts.\n\nUse it to find default_branch before you read files or create a branch.",
    reads: true,
    input: { ...repoInput, ...fullInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    async run(ctx) {
      return await requestOne(ctx, { path: toRepoPath(ctx.params) });
    },
  }),

  list_branches: defineOperation({
    name: "List branches",
    description: `List the branches of a repository, each with its newest commit's sha.\n\n${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", per_page: 100 } }],
    run: (ctx) =>
      requestPage(ctx, { path: apiPath`${toRepoPath(ctx.params)}/branches`, prose: repoProse }),
  }),

  list_tags: defineOperation({
    name: "List tags",
    description: `List the tags of a repository, each with its commit's sha.\n\nTheir release notes are in list_releases. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, { path: apiPath`${toRepoPath(ctx.params)}/tags`, prose: repoProse }),
  }),

  list_commits: defineOperation({
    name: "List commits",
    description: `List the commits of a branch, newest first, optionally of one file or one author.\n\nLong messages are cut; get_commit returns the whole message and the changes. ${pageNote}`,
    reads: true,
    input: {
      ...repoInput,
      sha: wick(
        "desc=Branch, tag or commit to start from. If left out, the default branch is used",
      ),
      path: wick("desc=Only commits that change this file or folder, such as src/main.ts"),
      author: wick("desc=Only commits of this login or e-mail address"),
      ...pageInput,
    },
    examples: [
      {
        description: "The newest ten",
        params: { owner: "octocat", repo: "hello-world", per_page: 10 },
      },
      {
        description: "Who changed a file on a branch",
        params: { owner: "octocat", repo: "hello-world", sha: "develop", path: "src/main.ts" },
      },
    ],
    async run(ctx) {
      const { sha, path: file, author } = ctx.params;
      const path = apiPath`${toRepoPath(ctx.params)}/commits`;
      const query = { sha, path: file, author };
      return await requestPage(ctx, { path, query, prose: toProseLimits("get_commit gives all") });
    },
  }),

  list_forks: defineOperation({
    name: "List forks",
    description: `List the forks of a repository, newest first.\n\n${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, { path: apiPath`${toRepoPath(ctx.params)}/forks`, prose: repoProse }),
  }),

  list_stargazers: defineOperation({
    name: "List stargazers",
    description: `List the users who starred a repository.\n\nFor only their number use stargazers_count of get_repo. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, { path: apiPath`${toRepoPath(ctx.params)}/stargazers`, prose: repoProse }),
  }),

  list_collaborators: defineOperation({
    name: "List collaborators",
    description: `List the collaborators of a repository, with their role_name.\n\nOnly a token with push access sees all of them. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/collaborators`,
        prose: repoProse,
      }),
  }),

  get_commit: defineOperation({
    name: "Get commit",
    description:
      "Get one commit with its whole message and the changes to each file.\n\nThe host lists at most 300 files; a note says if there are more.",
    reads: true,
    input: {
      ...repoInput,
      sha: wick("required;desc=The commit's sha, or a branch or tag for its newest commit"),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          sha: "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d",
        },
      },
    ],
    async run(ctx) {
      const { sha, full } = ctx.params;
      const path = apiPath`${toRepoPath(ctx.params)}/commits/${{ input: "sha", text: sha }}`;
      const answer = await requestJson(ctx, { path });
      return addMissingNote(presentOne(ctx, answer, full), answer);
    },
  }),

  compare_commits: defineOperation({
    name: "Compare commits",
    description:
      "Compare two branches, tags or commits: the changes in head that are not in base.\n\nReturns status (ahead, behind, diverged, identical), ahead_by, behind_by, the commits and the changed files. Patches over 4000 characters are cut unless full is true.",
    reads: true,
    input: {
      ...repoInput,
      base: wick("required;desc=Branch, tag or sha to compare with. owner:branch for another fork"),
      head: wick("required;desc=Branch, tag or sha to compare. owner:branch for another fork"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", base: "main", head: "feature/login" } },
    ],
    async run(ctx) {
      const { base, head, full } = ctx.params;
      checkComparable("base", base);
      checkComparable("head", head);
      const path = apiPath`${toRepoPath(ctx.params)}/compare/${{ input: "base", text: base }}...${{ input: "head", text: head }}`;
      const answer = await requestJson(ctx, { path });
      const shown = presentOne(ctx, answer, full);
      const prose = toProseLimits("get_commit, or full: true, gives all");
      return addMissingNote(
        full === true ? shown : cutProse(shown, prose, listSecrets(ctx)),
        answer,
      );
    },
  }),
};

/** Attack: the ref `main...evil` on one side would compare with another ref. */
function checkComparable(input: string, ref: string): void {
  if (!ref.includes("..")) return;
  throw new InvalidInputError(
    input,
    'must be one branch, tag or sha, without "..": base and head are given apart',
  );
}
