import { InvalidInputError, wick } from "@hub/connector";
import { apiPath, toBranchSegments, toFullName, toRepoPath } from "../api-path.ts";
import { defineOperation, fullInput, repoInput } from "../define-operation.ts";
import { checkAnyPresent, pickPresent } from "../pick-present.ts";
import { requestJson } from "../request-codehost.ts";
import { requestOne } from "../request-one.ts";
import { findBranchSha, findDefaultBranch } from "./repository-changes/branch-head.ts";

/** Changing repositories: forks, stars, settings, branches. */
export const repositoryChanges = {
  create_fork: defineOperation({
    name: "Create fork",
    description:
      "Fork a repository into the token's account or an organization.\n\nThe host copies in the background, so the fork may be empty for some minutes.",
    destructive: true,
    input: {
      ...repoInput,
      organization: wick("desc=Organization to fork into. Default: the token's account"),
      name: wick("desc=Name of the fork. Default: the name of the repository"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world" } },
      { params: { owner: "octocat", repo: "hello-world", organization: "octo-org" } },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/forks`;
      const body = pickPresent(ctx.params, ["organization", "name"]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  star_repo: defineOperation({
    name: "Star repository",
    description: "Star a repository as the token's account.\n\nReturns ok: true.",
    destructive: true,
    input: repoInput,
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    async run(ctx) {
      await requestJson(ctx, {
        method: "PUT",
        path: apiPath`/user/starred/${toFullName(ctx.params)}`,
      });
      return { ok: true };
    },
  }),

  unstar_repo: defineOperation({
    name: "Unstar repository",
    description: "Remove the star of the token's account from a repository.\n\nReturns ok: true.",
    destructive: true,
    input: repoInput,
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    async run(ctx) {
      await requestJson(ctx, {
        method: "DELETE",
        path: apiPath`/user/starred/${toFullName(ctx.params)}`,
      });
      return { ok: true };
    },
  }),

  create_repo: defineOperation({
    name: "Create repository",
    description:
      "Create a repository in the token's account or in an organization.\n\nIt is public unless private is true, and empty unless auto_init is.",
    destructive: true,
    input: {
      name: wick("required;desc=Name of the new repository without owner, such as hello-world"),
      description: wick("desc=Short description"),
      private: wick.bool("desc=true makes it private"),
      auto_init: wick.bool("desc=true creates a first commit with a README, and so a branch"),
      org: wick("desc=Organization of the new repository. Default: the token's account"),
      ...fullInput,
    },
    examples: [
      { params: { name: "hello-world", private: true, auto_init: true } },
      { params: { name: "hello-world", description: "Greets", org: "octo-org" } },
    ],
    async run(ctx) {
      const { name, org = "" } = ctx.params;
      if (name.includes("/")) {
        throw new InvalidInputError(
          "name",
          'must be a name without "/". Give the organization as org. Nothing was sent.',
        );
      }
      const path =
        org === "" ? apiPath`/user/repos` : apiPath`/orgs/${{ input: "org", text: org }}/repos`;
      const body = pickPresent(ctx.params, ["name", "description", "private", "auto_init"]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_repo: defineOperation({
    name: "Update repository",
    description:
      "Change a repository's name, description, visibility, default branch or archiving.\n\nOnly the given params change. An archived repository is read-only. After a rename, only reads work under the old name.",
    destructive: true,
    input: {
      ...repoInput,
      name: wick("desc=New name of the repository"),
      description: wick("desc=New description. An empty text clears it"),
      private: wick.bool(
        "desc=true makes it private, false makes it public with its whole history",
      ),
      default_branch: wick("desc=An existing branch that becomes the default branch"),
      archived: wick.bool("desc=true makes it read-only, false makes it writable"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", description: "Greets all users" } },
      { params: { owner: "octocat", repo: "hello-world", archived: true } },
    ],
    async run(ctx) {
      const names = ["name", "description", "private", "default_branch", "archived"] as const;
      const body = pickPresent(ctx.params, names, ["description"]);
      checkAnyPresent(body, names);
      const path = toRepoPath(ctx.params);
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  create_branch: defineOperation({
    name: "Create branch",
    description:
      "Create a branch from another branch's newest commit, or from a commit.\n\nWithout from_branch and sha, it starts at the default branch.",
    destructive: true,
    input: {
      ...repoInput,
      branch: wick(
        "required;desc=Name of the new branch, such as feature/login, without refs/heads/",
      ),
      from_branch: wick(
        "desc=Branch from which the new branch starts. If left out, the default branch is used",
      ),
      sha: wick(
        "desc=Complete sha of the commit from which the branch starts, instead of from_branch",
      ),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", branch: "feature/login" } },
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          branch: "hotfix",
          from_branch: "release/2.0",
        },
      },
    ],
    async run(ctx) {
      const { branch, from_branch: from, sha: given } = ctx.params;
      const repo = toRepoPath(ctx.params);
      // Refuses an invalid branch name before the first request.
      apiPath`${toBranchSegments("branch", branch)}`;
      const sha =
        given || (await findBranchSha(ctx, repo, from || (await findDefaultBranch(ctx, repo))));
      const body = { ref: `refs/heads/${branch}`, sha };
      return await requestOne(ctx, {
        method: "POST",
        path: apiPath`${repo}/git/refs`,
        body,
      });
    },
  }),

  delete_ref: defineOperation({
    name: "Delete branch",
    description:
      "Delete a branch.\n\nCommits that are on no other branch or tag can then be found only by their sha. Returns ok: true.",
    destructive: true,
    input: {
      ...repoInput,
      branch: wick("required;desc=Name of the branch, such as feature/login, without refs/heads/"),
    },
    examples: [{ params: { owner: "octocat", repo: "hello-world", branch: "feature/login" } }],
    async run(ctx) {
      const branch = toBranchSegments("branch", ctx.params.branch);
      const path = apiPath`${toRepoPath(ctx.params)}/git/refs/heads/${branch}`;
      await requestJson(ctx, { method: "DELETE", path });
      return { ok: true };
    },
  }),
};
