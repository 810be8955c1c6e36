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

const pulls = `${repoPath}/pulls`;
const pull = { ...repo, number: 7 };
const sha = "ecdd80bb57125d7ba9641ffaa4d7d2c19d3f3091";
const remark = { body: "Why not a constant?", commit_id: sha, path: "src/main.ts", line: 3 };

export const pullRequests: OperationCases = {
  list_prs: defineList("/pulls", { optional: { state: "closed" } }),
  get_pr: defineReading({ given: pull, sends: [get(`${pulls}/7`)] }),
  get_pr_diff: defineReading(
    { given: pull, sends: [get(`${pulls}/7`)] },
    { given: { ...pull, max_bytes: 40 }, sends: [get(`${pulls}/7`)] },
  ),
  list_pr_files: defineList("/pulls/7/files", { required: { number: 7 } }),
  create_pr: defineWriting(
    {
      given: { ...repo, title: "Fix login", head: "feature", base: "main" },
      sends: [send("POST", pulls, { title: "Fix login", head: "feature", base: "main" })],
    },
    {
      given: {
        ...repo,
        title: "Fix login",
        head: "hubot:feature",
        base: "main",
        body: "Closes #7.",
        draft: true,
      },
      sends: [
        send("POST", pulls, {
          title: "Fix login",
          head: "hubot:feature",
          base: "main",
          body: "Closes #7.",
          draft: true,
        }),
      ],
    },
  ),
  update_pr: defineWriting(
    {
      given: { ...pull, title: "Mend login" },
      sends: [send("PATCH", `${pulls}/7`, { title: "Mend login" })],
    },
    {
      given: { ...pull, title: "Mend login", body: "", state: "closed", base: "develop" },
      sends: [
        send("PATCH", `${pulls}/7`, {
          title: "Mend login",
          body: "",
          state: "closed",
          base: "develop",
        }),
      ],
    },
  ),
  merge_pr: defineWriting(
    { given: pull, sends: [send("PUT", `${pulls}/7/merge`, { merge_method: "merge" })] },
    {
      given: {
        ...pull,
        merge_method: "squash",
        commit_title: "Fix login (#7)",
        commit_message: "It works.",
      },
      sends: [
        send("PUT", `${pulls}/7/merge`, {
          merge_method: "squash",
          commit_title: "Fix login (#7)",
          commit_message: "It works.",
        }),
      ],
    },
  ),
  list_reviews: defineList("/pulls/7/reviews", { required: { number: 7 } }),
  list_review_comments: defineList("/pulls/7/comments", { required: { number: 7 } }),
  create_review: defineWriting(
    {
      given: { ...pull, body: "Read it." },
      sends: [send("POST", `${pulls}/7/reviews`, { event: "COMMENT", body: "Read it." })],
    },
    {
      given: { ...pull, event: "REQUEST_CHANGES", body: "Tests?", commit_id: sha },
      sends: [
        send("POST", `${pulls}/7/reviews`, {
          event: "REQUEST_CHANGES",
          body: "Tests?",
          commit_id: sha,
        }),
      ],
    },
  ),
  create_review_comment: defineWriting(
    {
      given: { ...pull, ...remark },
      sends: [send("POST", `${pulls}/7/comments`, { ...remark, side: "RIGHT" })],
    },
    {
      given: { ...pull, ...remark, side: "LEFT" },
      sends: [send("POST", `${pulls}/7/comments`, { ...remark, side: "LEFT" })],
    },
  ),
  request_reviewers: defineWriting(
    {
      given: { ...pull, reviewers: "hubot" },
      sends: [send("POST", `${pulls}/7/requested_reviewers`, { reviewers: ["hubot"] })],
    },
    {
      given: { ...pull, reviewers: "hubot,monalisa", team_reviewers: "justice-league" },
      sends: [
        send("POST", `${pulls}/7/requested_reviewers`, {
          reviewers: ["hubot", "monalisa"],
          team_reviewers: ["justice-league"],
        }),
      ],
    },
  ),
};
