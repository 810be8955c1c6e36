import {
  defineList,
  defineReading,
  defineWriting,
  get,
  type OperationCases,
  repo,
  repoPath,
  send,
} from "./operation-case.ts";

const issues = `${repoPath}/issues`;
const issue = { ...repo, number: 7 };
const comment = { ...repo, comment_id: 42 };

export const issueOperations: OperationCases = {
  list_issues: defineList("/issues", { optional: { state: "all" } }),
  get_issue: defineReading({ given: issue, sends: [get(`${issues}/7`)] }),
  list_issue_comments: defineList("/issues/7/comments", { required: { number: 7 } }),
  create_issue: defineWriting(
    {
      given: { ...repo, title: "Login fails" },
      sends: [send("POST", issues, { title: "Login fails" })],
    },
    {
      given: { ...repo, title: "Login fails", body: "Since 2.0.", labels: "bug, help wanted" },
      sends: [
        send("POST", issues, {
          title: "Login fails",
          body: "Since 2.0.",
          labels: ["bug", "help wanted"],
        }),
      ],
    },
  ),
  update_issue: defineWriting(
    {
      given: { ...issue, state: "closed" },
      sends: [send("PATCH", `${issues}/7`, { state: "closed" })],
    },
    {
      given: { ...issue, title: "Login works", body: "Fixed.", state: "open", labels: "bug,done" },
      sends: [
        send("PATCH", `${issues}/7`, {
          title: "Login works",
          body: "Fixed.",
          state: "open",
          labels: ["bug", "done"],
        }),
      ],
    },
  ),
  add_comment: defineWriting({
    given: { ...issue, body: "Seen here, too." },
    sends: [send("POST", `${issues}/7/comments`, { body: "Seen here, too." })],
  }),
  update_comment: defineWriting({
    given: { ...comment, body: "Not seen any more." },
    sends: [send("PATCH", `${issues}/comments/42`, { body: "Not seen any more." })],
  }),
  delete_comment: defineWriting({
    given: comment,
    sends: [send("DELETE", `${issues}/comments/42`)],
  }),
  add_labels: defineWriting({
    given: { ...issue, labels: "bug,help wanted" },
    sends: [send("POST", `${issues}/7/labels`, { labels: ["bug", "help wanted"] })],
  }),
  remove_label: defineWriting({
    given: { ...issue, name: "help wanted" },
    sends: [send("DELETE", `${issues}/7/labels/help%20wanted`)],
  }),
  add_assignees: defineWriting({
    given: { ...issue, assignees: "octocat, hubot" },
    sends: [send("POST", `${issues}/7/assignees`, { assignees: ["octocat", "hubot"] })],
  }),
};
