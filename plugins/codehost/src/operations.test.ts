import { describe, expect, test } from "bun:test";
import { oneLine, toInputSchema } from "@hub/connector";
import { codehost } from "./connector.ts";

const operations = [...codehost.operations.values()];

describe("Operation descriptions", () => {
  test("There are many operations", () => expect(operations.length).toBeGreaterThan(50));

  test.each(
    operations,
  )("The description of $key has a short first line, examples and a text for each input", (operation) => {
    const [first = ""] = operation.description.split("\n");
    expect(oneLine(first).length).toBeWithin(10, 110);
    expect(first).toEndWith(".");
    expect(operation.examples.length).toBeGreaterThan(0);
    for (const { key, description, options } of operation.inputFields) {
      expect(description ?? options?.join(), `${operation.key}.${key}`).toBeTruthy();
    }
  });

  test("Descriptions name only operations that exist", () => {
    const keys = new Set(codehost.operations.keys());
    const named = operations.flatMap(({ key, description }) => {
      const names = description.match(
        /\b(list|get|search|create|update|add|remove|merge|dispatch)_[a-z_]+/g,
      );
      return (names ?? []).map((name) => ({ key, name }));
    });
    expect(named.length).toBeGreaterThan(10);
    for (const { key, name } of named) expect(keys.has(name), `${key} names ${name}`).toBe(true);
  });

  test("Every operation on a repository requires owner and repo", () => {
    const alone = [
      "list_repos",
      "create_repo",
      "get_me",
      "search_issues",
      "search_repos",
      "search_code",
    ];
    expect(operations.length).toBeGreaterThan(alone.length);
    for (const { key, inputFields } of operations) {
      const { required } = toInputSchema(inputFields);
      if (alone.includes(key)) expect(required ?? []).not.toContain("owner");
      else expect(required).toEqual(expect.arrayContaining(["owner", "repo"]));
    }
  });
});

test("Each operation reads or is destructive, and these read", () => {
  expect(operations.filter(({ reads, destructive }) => reads === destructive)).toEqual([]);
  expect(operations.filter(({ reads }) => reads).map(({ key }) => key)).toEqual([
    "list_repos",
    "get_repo",
    "list_branches",
    "list_tags",
    "list_commits",
    "list_forks",
    "list_stargazers",
    "list_collaborators",
    "get_commit",
    "compare_commits",
    "list_issues",
    "get_issue",
    "list_issue_comments",
    "list_prs",
    "get_pr",
    "get_pr_diff",
    "list_pr_files",
    "list_reviews",
    "list_review_comments",
    "search_issues",
    "search_repos",
    "search_code",
    "list_workflows",
    "list_workflow_runs",
    "list_hooks",
    "get_file",
    "list_releases",
    "get_latest_release",
    "get_release",
    "get_me",
  ]);
});
