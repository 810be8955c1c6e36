import { wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { checkAnyGiven, pickGiven, splitList, splitNames } from "../given.ts";
import { defineOperation, fullInput, numberInput, repoInput } from "../operation.ts";
import { requestJson } from "../request.ts";
import { requestOne } from "../request-one.ts";
import { presentLabels } from "./issue-changes/present-labels.ts";
import { requestLabelsWithout } from "./issue-changes/request-labels-without.ts";

const commentInput = {
  comment_id: wick.int("required;desc=The id of the comment, from list_issue_comments"),
};

/** Changing issues, and what pull requests share with them: comments, labels, assignees. */
export const issueChanges = {
  create_issue: defineOperation({
    name: "Create issue",
    description:
      "Open an issue in a repository: report a bug, or ask for something.\n\nSearch first (search_issues), it may be there already. Answers its number and address.",
    destructive: true,
    input: {
      ...repoInput,
      title: wick("required;desc=One line that says what is wrong or wanted"),
      body: wick("textarea;desc=The text, in Markdown"),
      labels: wick(
        "embed=list;desc=Comma-separated labels, without a leading #. Unknown ones are ignored",
      ),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          title: "Login fails",
          body: "Since 2.0 the button does nothing.",
          labels: "bug, login",
        },
      },
    ],
    async run(ctx) {
      const labels = splitList(ctx.params.labels ?? "");
      const path = apiPath`${toRepoPath(ctx.params)}/issues`;
      const body = {
        ...pickGiven(ctx.params, ["title", "body"]),
        ...(labels.length > 0 && { labels }),
      };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_issue: defineOperation({
    name: "Update issue",
    description:
      "Change an issue's title, text or labels, close it or open it again.\n\nOnly what is given changes. labels replaces all labels: add_labels and remove_label change single ones.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      title: wick("desc=New title"),
      body: wick("textarea;desc=New text, in place of the old one. An empty text clears it"),
      state: wick("dropdown=open|closed;desc=closed closes the issue, open opens it again"),
      labels: wick(
        "embed=list;desc=Comma-separated labels that replace all. An empty text takes all away",
      ),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, state: "closed" } },
      { params: { owner: "octocat", repo: "hello-world", number: 1347, labels: "bug, ui" } },
    ],
    async run(ctx) {
      const { number, labels } = ctx.params;
      const path = apiPath`${toRepoPath(ctx.params)}/issues/${number}`;
      const body = {
        ...pickGiven(ctx.params, ["title", "body", "state"], ["body"]),
        ...(labels !== undefined && { labels: splitList(labels) }),
      };
      checkAnyGiven(body, ["title", "body", "state", "labels"]);
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  add_comment: defineOperation({
    name: "Comment on issue or pull request",
    description:
      "Comment on an issue or a pull request: reply in its conversation.\n\nFor a remark on a line of a diff use create_review_comment. Answers the comment's id.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      body: wick("textarea;required;desc=The comment, in Markdown"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, body: "Seen here, too." } },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/${ctx.params.number}/comments`;
      const body = { body: ctx.params.body };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_comment: defineOperation({
    name: "Update comment",
    description:
      "Replace the text of a comment on an issue or pull request.\n\nThe old text is gone from the page, so keep what should stay.",
    destructive: true,
    input: {
      ...repoInput,
      ...commentInput,
      body: wick("textarea;required;desc=The new text, in Markdown, in place of the old one"),
      ...fullInput,
    },
    examples: [
      {
        params: { owner: "octocat", repo: "hello-world", comment_id: 42, body: "Fixed in 2.1." },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/comments/${ctx.params.comment_id}`;
      const body = { body: ctx.params.body };
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  delete_comment: defineOperation({
    name: "Delete comment",
    description:
      "Delete a comment on an issue or pull request for good.\n\nAnswers ok: true. It cannot be brought back.",
    destructive: true,
    input: { ...repoInput, ...commentInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", comment_id: 42 } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/comments/${ctx.params.comment_id}`;
      await requestJson(ctx, { method: "DELETE", path });
      return { ok: true };
    },
  }),

  add_labels: defineOperation({
    name: "Add labels",
    description:
      "Add labels to an issue or pull request.\n\nThose that are there stay. Answers all labels it has now.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      labels: wick(
        "required;embed=list;desc=Comma-separated labels, without a leading #. Unknown ones are ignored",
      ),
      ...fullInput,
    },
    examples: [
      {
        params: { owner: "octocat", repo: "hello-world", number: 1347, labels: "bug, help wanted" },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/${ctx.params.number}/labels`;
      const body = { labels: splitNames("labels", ctx.params.labels) };
      const { json } = await requestJson(ctx, { method: "POST", path, body });
      return presentLabels(json, ctx.params.full);
    },
  }),

  remove_label: defineOperation({
    name: "Remove label",
    description:
      "Take one label off an issue or pull request.\n\nAnswers the labels that remain. A label that it does not have is no error.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      name: wick("required;desc=The label, without a leading #"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, name: "help wanted" } },
    ],
    async run(ctx) {
      const { number, name } = ctx.params;
      const labels = apiPath`${toRepoPath(ctx.params)}/issues/${number}/labels`;
      const path = apiPath`${labels}/${{ input: "name", text: name }}`;
      const { json } = await requestJson(ctx, { method: "DELETE", path }).catch((failure) =>
        requestLabelsWithout(ctx, { labels, name }, failure),
      );
      return presentLabels(json, ctx.params.full);
    },
  }),

  add_assignees: defineOperation({
    name: "Add assignees",
    description:
      "Assign people to an issue or pull request.\n\nThose that are assigned stay. The host leaves out, without an error, who may not work on the repository: look at assignees in the answer.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      assignees: wick("required;embed=list;desc=Comma-separated logins, such as octocat, hubot"),
      ...fullInput,
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", number: 1347, assignees: "octocat" } },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/issues/${ctx.params.number}/assignees`;
      const body = { assignees: splitNames("assignees", ctx.params.assignees) };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),
};
