import { InvalidInputError, wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import {
  defineOperation,
  fullInput,
  numberInput,
  pageInput,
  pageNote,
  repoInput,
} from "../define-operation.ts";
import { pickPresent, splitList } from "../pick-present.ts";
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";

const commentProse = toProseLimits("full: true gives all", { body: 2000 });

/** Reviews of pull requests, and comments on lines of their diffs. */
export const reviews = {
  list_reviews: defineOperation({
    name: "List reviews",
    description: `List the reviews of a pull request, oldest first.\n\nstate is APPROVED, CHANGES_REQUESTED or COMMENTED. Comments on single lines are in list_review_comments. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...numberInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/reviews`,
        prose: commentProse,
      }),
  }),

  list_review_comments: defineOperation({
    name: "List review comments",
    description: `List the comments on lines of a pull request's diff.\n\nEach has path, line and side. A comment without line is on a line that has changed since. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...numberInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/comments`,
        prose: commentProse,
      }),
  }),

  create_review: defineOperation({
    name: "Review pull request",
    description:
      "Review a pull request: comment, approve or request changes.\n\nCOMMENT and REQUEST_CHANGES need a body. You cannot approve your own pull request.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      event: wick(
        "dropdown=APPROVE|REQUEST_CHANGES|COMMENT;default=COMMENT;desc=The result of the review",
      ),
      body: wick("textarea;desc=The review's text, in Markdown"),
      commit_id: wick("desc=The reviewed commit. Default: the newest commit"),
      ...fullInput,
    },
    examples: [
      {
        params: { owner: "octocat", repo: "hello-world", number: 1347, body: "Are there tests?" },
      },
      { params: { owner: "octocat", repo: "hello-world", number: 1347, event: "APPROVE" } },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/reviews`;
      const body = pickPresent(ctx.params, ["event", "body", "commit_id"]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  create_review_comment: defineOperation({
    name: "Comment on a line of a pull request",
    description:
      "Comment on one line of a pull request's diff.\n\nThe line must be part of the diff, which list_pr_files shows. To comment on the whole pull request use add_comment.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      body: wick("textarea;required;desc=The comment, in Markdown"),
      commit_id: wick("required;desc=The commit of the comment: head.sha of get_pr"),
      path: wick("required;desc=The file, such as src/main.ts"),
      line: wick.int("required;desc=The line's number in the file"),
      side: wick(
        "dropdown=LEFT|RIGHT;default=RIGHT;desc=RIGHT counts lines of the new file, LEFT of the old one, for lines that were deleted",
      ),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          number: 1347,
          body: "Why not a constant?",
          commit_id: "ecdd80bb57125d7ba9641ffaa4d7d2c19d3f3091",
          path: "src/main.ts",
          line: 12,
        },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/comments`;
      const body = pickPresent(ctx.params, ["body", "commit_id", "path", "line", "side"]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  request_reviewers: defineOperation({
    name: "Request reviewers",
    description:
      "Request reviews of a pull request from users or teams.\n\nThe author cannot be a reviewer. Set reviewers, team_reviewers or both.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      reviewers: wick("embed=list;desc=Comma-separated logins, such as octocat, hubot"),
      team_reviewers: wick(
        "embed=list;desc=Comma-separated slugs of teams of the organization, such as core",
      ),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, reviewers: "hubot" } },
      { params: { owner: "octo-org", repo: "site", number: 7, team_reviewers: "core, docs" } },
    ],
    async run(ctx) {
      const people = splitList(ctx.params.reviewers ?? "");
      const teams = splitList(ctx.params.team_reviewers ?? "");
      if (people.length + teams.length === 0) {
        throw new InvalidInputError("", "Set reviewers, team_reviewers or both. Nothing was sent.");
      }
      const path = apiPath`${toRepoPath(ctx.params)}/pulls/${ctx.params.number}/requested_reviewers`;
      const body = {
        ...(people.length > 0 && { reviewers: people }),
        ...(teams.length > 0 && { team_reviewers: teams }),
      };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),
};
