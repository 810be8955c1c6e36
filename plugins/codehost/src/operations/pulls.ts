import { wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import {
  defineOperation,
  fullInput,
  numberInput,
  pageInput,
  pageNote,
  repoInput,
} from "../define-operation.ts";
import { checkAnyPresent, pickPresent } from "../pick-present.ts";
import { presentOne } from "../present-answer.ts";
import { requestJson } from "../request-codehost.ts";
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";
import { requestDiff } from "./pulls/diff.ts";

/** Pull requests: reading, opening, changing and merging them. */
export const pulls = {
  list_prs: defineOperation({
    name: "List pull requests",
    description: `List the pull requests of a repository, newest first.\n\nBodies are cut to 280 characters; get_pr returns the whole text and whether it can be merged. ${pageNote}`,
    reads: true,
    input: {
      ...repoInput,
      state: wick(
        "dropdown=open|closed|all;default=open;desc=closed includes merged ones, which have merged_at",
      ),
      ...pageInput,
    },
    examples: [
      { description: "Open issues", params: { owner: "octocat", repo: "hello-world" } },
      { params: { owner: "octocat", repo: "hello-world", state: "closed", per_page: 10 } },
    ],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/pulls`,
        query: { state: ctx.params.state },
        prose: toProseLimits("get_pr gives all"),
      }),
  }),

  get_pr: defineOperation({
    name: "Get pull request",
    description:
      "Get one pull request with its whole text, branches, size and whether it can be merged.\n\nhead.sha is the commit_id for reviews. If mergeable is missing, the host is still computing it: call again after some seconds.",
    reads: true,
    input: { ...repoInput, ...numberInput, ...fullInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347 } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}`;
      return await requestOne(ctx, { path });
    },
  }),

  get_pr_diff: defineOperation({
    name: "Get pull request diff",
    description:
      "Get the whole unified diff of a pull request as text.\n\nSet max_bytes, because a diff can be very large. It is then cut at the end of a line, with truncated: true and total_bytes. list_pr_files lists the changed files page by page.",
    reads: true,
    input: {
      ...repoInput,
      ...numberInput,
      max_bytes: wick.int("desc=Maximum bytes of the diff, such as 20000. Default: no limit"),
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, max_bytes: 20000 } },
    ],
    run: (ctx) => {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}`;
      return requestDiff(ctx, path, Number(ctx.params.max_bytes ?? 0));
    },
  }),

  list_pr_files: defineOperation({
    name: "List pull request files",
    description: `List the files that a pull request changes, each with line counts and its patch.\n\nPatches over 4000 characters are cut unless full is true. The host lists 3000 files at most. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...numberInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347, per_page: 100 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/files`,
        prose: toProseLimits("full: true, or get_pr_diff, gives all"),
      }),
  }),

  create_pr: defineOperation({
    name: "Create pull request",
    description:
      "Open a pull request from a pushed branch.\n\nThe host allows one per branch; list_prs shows whether one exists. Returns its number and URL.",
    destructive: true,
    input: {
      ...repoInput,
      title: wick("required;desc=Short description of the changes"),
      head: wick("required;desc=Branch with the changes. owner:branch for one in a fork"),
      base: wick("required;desc=Branch to merge into, such as main"),
      body: wick(
        "textarea;desc=The text, in Markdown. Closes #12 in it closes issue 12 at the merge",
      ),
      draft: wick.bool("desc=true opens a draft, which cannot be merged"),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          title: "Fix the login",
          head: "feature/login",
          base: "main",
          body: "Closes #1347.",
        },
      },
      {
        description: "From a fork",
        params: {
          owner: "octocat",
          repo: "hello-world",
          title: "Fix the login",
          head: "hubot:feature/login",
          base: "main",
          draft: true,
        },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls`;
      const body = pickPresent(ctx.params, ["title", "head", "base", "body", "draft"]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_pr: defineOperation({
    name: "Update pull request",
    description:
      "Change a pull request's title, text, state or base branch.\n\nOnly the given params change. To merge it use merge_pr; to change labels and assignees use the operations for issues.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      title: wick("desc=New title"),
      body: wick("textarea;desc=Text that replaces the old one. An empty text clears it"),
      state: wick("dropdown=open|closed;desc=closed closes it without a merge, open reopens it"),
      base: wick("desc=New branch to merge into"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, title: "Fix the login" } },
      { params: { owner: "octocat", repo: "hello-world", number: 1347, state: "closed" } },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}`;
      const names = ["title", "body", "state", "base"] as const;
      const body = pickPresent(ctx.params, names, ["body"]);
      checkAnyPresent(body, names);
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  merge_pr: defineOperation({
    name: "Merge pull request",
    description:
      "Merge a pull request into its base branch.\n\nBranch protection applies: if checks or reviews are missing, the host refuses (405). Check get_pr first. Returns merged and the sha.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      merge_method: wick(
        "dropdown=merge|squash|rebase;default=merge;desc=squash creates one commit, rebase adds the commits to the base",
      ),
      commit_title: wick("desc=First line of the merge commit. Default: the host's text"),
      commit_message: wick("textarea;desc=Body of the commit message. Default: the host's text"),
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347 } },
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          number: 1347,
          merge_method: "squash",
          commit_title: "Fix the login (#1347)",
        },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/merge`;
      const body = pickPresent(
        ctx.params,
        ["merge_method", "commit_title", "commit_message"],
        ["commit_message"],
      );
      return presentOne(ctx, await requestJson(ctx, { method: "PUT", path, body }));
    },
  }),
};
