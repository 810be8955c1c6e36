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
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";

/** Reading issues. On this host, pull requests are issues too. */
export const issues = {
  list_issues: defineOperation({
    name: "List issues",
    description: `List the issues of a repository, newest first, pull requests included.\n\nAn item with pull_request is a pull request. Bodies are cut to 280 characters; get_issue returns the whole text. To filter by label, author or words, use search_issues. ${pageNote}`,
    reads: true,
    input: {
      ...repoInput,
      state: wick("dropdown=open|closed|all;default=open"),
      ...pageInput,
    },
    examples: [
      { description: "Open issues", params: { owner: "octocat", repo: "hello-world" } },
      {
        description: "The second page of all",
        params: { owner: "octocat", repo: "hello-world", state: "all", page: 2 },
      },
    ],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/issues`,
        query: { state: ctx.params.state },
        prose: toProseLimits("get_issue gives all"),
      }),
  }),

  get_issue: defineOperation({
    name: "Get issue",
    description:
      "Get one issue with its whole text.\n\nIts discussion is in list_issue_comments. For a pull request, get_pr returns more.",
    reads: true,
    input: { ...repoInput, ...numberInput, ...fullInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347 } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/${ctx.params.number}`;
      return await requestOne(ctx, { path });
    },
  }),

  list_issue_comments: defineOperation({
    name: "List issue comments",
    description: `List the comments on an issue or pull request, oldest first.\n\nComments on lines of a diff are in list_review_comments. Texts over 2000 characters are cut unless full is true. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...numberInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", number: 1347 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/issues/${ctx.params.number}/comments`,
        prose: toProseLimits("full: true gives all", { body: 2000 }),
      }),
  }),
};
