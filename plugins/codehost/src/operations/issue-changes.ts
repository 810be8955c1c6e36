import { isJsonObject, type Json, wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { defineOperation, fullInput, numberInput, repoInput } from "../define-operation.ts";
import { checkAnyPresent, pickPresent, splitList, splitNames } from "../pick-present.ts";
import { toShapeError } from "../present-answer.ts";
import { requestJson } from "../request-codehost.ts";
import { requestOne } from "../request-one.ts";
import { requestLabelsWithout } from "./issue-changes/request-labels-without.ts";

const commentInput = {
  comment_id: wick.int("required;desc=The id of the comment, from list_issue_comments"),
};

/** Changes of issues. Comments, labels and assignees also work for pull requests. */
export const issueChanges = {
  create_issue: defineOperation({
    name: "Create issue",
    description:
      "Open an issue in a repository: report a bug, or ask for something.\n\nSearch first with search_issues, because the issue may exist already. Returns its number and URL.",
    destructive: true,
    input: {
      ...repoInput,
      title: wick("required;desc=Short description of the problem or request"),
      body: wick("textarea;desc=The text, in Markdown"),
      labels: wick(
        "embed=list;desc=Comma-separated labels, without a leading #. Unknown labels are ignored",
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
        ...pickPresent(ctx.params, ["title", "body"]),
        ...(labels.length > 0 && { labels }),
      };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_issue: defineOperation({
    name: "Update issue",
    description:
      "Change an issue's title, text or labels, close it or reopen it.\n\nOnly the given params change. labels replaces all labels: add_labels and remove_label change single ones.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      title: wick("desc=New title"),
      body: wick("textarea;desc=Text that replaces the old one. An empty text clears it"),
      state: wick("dropdown=open|closed;desc=closed closes the issue, open reopens it"),
      labels: wick(
        "embed=list;desc=Comma-separated labels that replace all labels. An empty text removes all",
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
        ...pickPresent(ctx.params, ["title", "body", "state"], ["body"]),
        ...(labels !== undefined && { labels: splitList(labels) }),
      };
      checkAnyPresent(body, ["title", "body", "state", "labels"]);
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  add_comment: defineOperation({
    name: "Comment on issue or pull request",
    description:
      "Comment on an issue or a pull request: reply in its conversation.\n\nTo comment on a line of a diff use create_review_comment. Returns the comment's id.",
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
      "Replace the text of a comment on an issue or pull request.\n\nThe new text replaces the old text completely.",
    destructive: true,
    input: {
      ...repoInput,
      ...commentInput,
      body: wick("textarea;required;desc=The text that replaces the old one, in Markdown"),
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
      "Delete a comment on an issue or pull request permanently.\n\nReturns ok: true. This cannot be undone.",
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
      "Add labels to an issue or pull request.\n\nExisting labels are kept. Returns all labels.",
    destructive: true,
    input: {
      ...repoInput,
      ...numberInput,
      labels: wick(
        "required;embed=list;desc=Comma-separated labels, without a leading #. Unknown labels are ignored",
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
      "Remove one label from an issue or pull request.\n\nReturns the remaining labels. It is not an error if the label is not set.",
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
      "Assign users to an issue or pull request.\n\nExisting assignees are kept. The host ignores users without access to the repository, without an error: check assignees in the result.",
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

/** The labels of an issue after a change. Without labels, the list is empty, not missing. */
function presentLabels(json: Json, full: boolean | undefined): Json {
  if (json === null) return { ok: true };
  if (!Array.isArray(json)) throw toShapeError("a list of labels");
  if (full === true) return { labels: json };
  return { labels: json.map((label) => (isJsonObject(label) ? label.name : label)) };
}
