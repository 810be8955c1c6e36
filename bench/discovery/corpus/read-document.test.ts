import { expect, test } from "bun:test";
import { readDocuments } from "./read-document.ts";
import type { Service } from "./services.ts";

const service: Service = {
  connector: "Tracker",
  label: "Bugs",
  about: "Of all teams",
  documents: ["tracker"],
};

const listIssues = {
  operationId: "issues/listForRepo",
  summary: "List issues.",
  description: "Lists <b>all</b> issues of a [repository](https://example.org).",
  parameters: [
    { name: "per-page", in: "query" },
    { name: "X-Trace", in: "header" },
    { $ref: "#/components/parameters/owner" },
  ],
};
const createIssue = {
  description: "Creates an issue. Needs the permission to write.",
  deprecated: true,
  requestBody: {
    content: { "application/json": { schema: { $ref: "#/components/schemas/NewIssue" } } },
  },
};
const document = {
  paths: {
    "/repos/{owner}/issues/{number}/labels": { delete: { operationId: "removeLabel" } },
    "/repos/{owner}/issues": { get: listIssues, post: createIssue },
  },
  components: {
    parameters: { owner: { name: "owner", in: "path" } },
    schemas: {
      NewIssue: {
        allOf: [{ properties: { title: {} } }, { properties: { assigneeIDs: {} } }],
      },
    },
  },
};

test("Operations have their author's words, with the shortest paths first", () => {
  const row = { connector: "Tracker", label: "Bugs", about: "Of all teams" };
  expect(readDocuments(service, [document])).toEqual([
    {
      ...row,
      key: "issues_list_for_repo",
      name: "List issues",
      description: "Lists all issues of a repository.",
      inputs: ["per_page", "owner"],
    },
    {
      ...row,
      key: "post_repos_owner_issues",
      name: "Creates an issue",
      description: "Creates an issue. Needs the permission to write.",
      inputs: ["title", "assignee_ids"],
      deprecated: true,
    },
    {
      ...row,
      key: "remove_label",
      name: "Remove label",
      description: "Remove label",
      inputs: [],
    },
  ]);
});

test("A service has at most its number of operations, and only those of its paths", () => {
  const listKeys = (parts: Partial<Service>) =>
    readDocuments({ ...service, ...parts }, [document]).map(({ key }) => key);
  expect(listKeys({ max: 1 })).toEqual(["issues_list_for_repo"]);
  expect(listKeys({ paths: /labels$/ })).toEqual(["remove_label"]);
});
