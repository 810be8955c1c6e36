/**
 * The connector `codehost`, installed and called as by a user, against independent checkers: an emulator
 * with state, GitHub's description of its API for every request, and the documented answers.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isJsonObject, type Json } from "@hub/connector";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "../support/codehost/codehost-hub.ts";
import { describedRequests } from "../support/codehost/described-requests.ts";
import type { ExpectedCall, Params } from "../support/codehost/operation-case.ts";
import { operationCases } from "../support/codehost/operation-cases.ts";
import { createDataFolder } from "../support/data-folder.ts";
import type { ToolAnswer } from "../support/mcp-client.ts";
import type { SentRequest } from "../support/recording-host.ts";
import {
  type CheckedHost,
  type Edition,
  forward,
  startCheckedHost,
} from "./support/checked-host.ts";
import { createCoverage } from "./support/coverage.ts";
import {
  createDocumentedAnswers,
  documentedDiff,
  documentedText,
  findDocumented,
  listLeaves,
} from "./support/documented-host.ts";
import {
  emulatorScenarios,
  notEmulated,
  type ScenarioTools,
} from "./support/emulator-scenarios.ts";
import { type GithubEmulator, startGithubEmulator } from "./support/github-emulator.ts";

setDefaultTimeout(180_000);

const columns = ["emulator", "description, minimal", "description, full", "documented answers"];
const editions: readonly Edition[] = [
  { name: "public", description: "api.github.com", prefix: "" },
  { name: "enterprise", description: "ghes-3.19", prefix: "/api/v3" },
];
const operations = Object.keys(operationCases);
const coverage = createCoverage(operations);

/** Queries of models, each with the operation that must be found. */
const phrases = [
  ["open a pull request", "create_pr"],
  ["approve pull request", "create_review"],
  ["merge", "merge_pr"],
  ["read a file", "get_file"],
  ["edit a file", "create_or_update_file"],
  ["close issue", "update_issue"],
  ["report a bug", "create_issue"],
  ["comment on a line of code", "create_review_comment"],
  ["reply to an issue", "add_comment"],
  ["diff of a pull request", "get_pr_diff"],
  ["delete branch", "delete_ref"],
  ["run a workflow", "dispatch_workflow"],
  ["release notes", "get_release"],
  ["my login on the code host", "get_me"],
  ["commits by author", "list_commits"],
  ["find code", "search_code"],
] as const;

const owned = new AsyncDisposableStack();
let codehost: CodehostHub;
let emulator: GithubEmulator;

beforeAll(async () => {
  const home = owned.use(await createDataFolder());
  emulator = owned.use(
    await startGithubEmulator(home.path, {
      users: ["hubot"],
      orgs: ["octo-org"],
      repos: editions.map(({ name }) => name),
    }),
  );
  codehost = owned.use(await startCodehostHub());
});
afterAll(() => owned.disposeAsync());

describe.each(editions)("At the $name host", (edition) => {
  let checkedHost: CheckedHost;
  let run: RunOperation;
  let toolId: (operation: string) => string;

  beforeAll(async () => {
    const home = owned.use(await createDataFolder());
    checkedHost = owned.use(
      await startCheckedHost({ edition, requests: describedRequests, home: home.path }),
    );
    const row = await codehost.addRow({
      label: `Code of ${edition.name}`,
      baseUrl: checkedHost.baseUrl,
      token: emulator.token,
    });
    run = row.run;
    toolId = (operation) => `conn:${row.id}/${operation}`;
  });

  test("The operations and their destructive flags match the specification", async () => {
    const { value } = await codehost.client.call("hub_list");
    const listed: Array<{
      tool_id: string;
      name: string;
      description: string;
      destructive: boolean;
    }> = value.tools.filter((tool: { tool_id: string }) => tool.tool_id.startsWith(toolId("")));
    const found = listed.map((tool) => [tool.tool_id.replace(toolId(""), ""), tool.destructive]);
    const specified = operations.map((key) => [key, operationCases[key]?.isDestructive ?? false]);
    expect(found.sort()).toEqual(specified.sort());
    // A list of all operations must fit into a model's context: one line each, plus the warning.
    for (const { name, description } of listed) {
      const [line = ""] = description.split(" Destructive: ");
      expect(line.length, name).toBeWithin(10, 120);
    }
  });

  test.each(phrases)("A search for %p finds %s", async (phrase, key) => {
    const { value } = await codehost.client.call("hub_search", { query: phrase });
    const found = value.tools
      .map((tool: { tool_id: string }) => tool.tool_id)
      .filter((id: string) => id.startsWith(toolId("")));
    expect(found.slice(0, 4)).toContain(toolId(key));
  });

  describe("With the emulator", () => {
    beforeAll(() => checkedHost.answerBy((sent) => forward(sent, emulator.url)));

    test.each(
      Object.entries(emulatorScenarios),
    )("The emulator accepts the scenario: %s", async (_, play) => {
      const runWithoutRepository: ScenarioTools["run"] = async (operation, params = {}) => {
        const answer = await run(operation, params);
        expect(answer.isError, `${operation}: ${answer.text}`).toBe(false);
        // An empty list does not show that lists are read correctly.
        if (answer.value.items?.length !== 0) coverage.add(operation, "emulator", edition.name);
        return answer.value;
      };
      const repository = { owner: "octocat", repo: edition.name };
      checkedHost.take();
      await play({
        ...repository,
        runWithoutRepository,
        async prepare(method, path, body) {
          const answer = await fetch(`${emulator.url}/repos/octocat/${edition.name}${path}`, {
            method,
            headers: {
              authorization: `Bearer ${emulator.token}`,
              "content-type": "application/json",
            },
            body: JSON.stringify(body),
          });
          expect(answer.ok, `${method} ${path}: ${await answer.text()}`).toBe(true);
        },
        run: (operation, params) => runWithoutRepository(operation, { ...repository, ...params }),
      });
      expect(checkedHost.take().faults).toEqual([]);
    });

    test("The scenarios use every operation that the emulator supports", () => {
      const uncovered = coverage.findUncovered(["emulator"], edition.name);
      expect(uncovered.sort()).toEqual([...notEmulated].sort());
    });
  });

  describe("With the documented answers", () => {
    beforeAll(() => checkedHost.answerBy(createDocumentedAnswers(checkedHost.description)));

    test.each(operations)("%s follows the description with its required inputs", async (key) => {
      await checkCall(key, "minimal", {});
    });

    test.each(operations)("%s follows the description with all inputs", async (key) => {
      const { value } = await codehost.client.call("hub_get", { tool_id: toolId(key) });
      const names = Object.keys(value.input_schema.properties);
      // Inputs of the connector that are not in the specification.
      const extra = {
        ...(names.includes("full") && { full: true }),
        ...(names.includes("offset") && { offset: 0 }),
      };
      const given = { ...operationCases[key]?.full.given, ...extra };
      expect(Object.keys(given).sort()).toEqual(names.sort());
      await checkCall(key, "full", extra);
    });

    async function checkCall(key: string, form: "minimal" | "full", extra: Params): Promise<void> {
      const call = findCall(key, form);
      checkedHost.take();
      const answer = await run(key, { ...call.given, ...extra });
      const { sent, faults } = checkedHost.take();
      expect(answer.isError, answer.text).toBe(false);
      expect(faults).toEqual([]);
      checkSent(sent, call);
      coverage.add(key, `description, ${form}`, edition.name);
      checkResult(answer, { isFull: extra.full === true, sent, checkedHost });
      coverage.add(key, "documented answers", edition.name);
    }
  });

  test("The checker reports an invalid request for every operation with inputs", async () => {
    checkedHost.answerBy(() => ({ status: 204 }));
    for (const request of describedRequests) {
      const [method = "", template = ""] = request.split(" ");
      const path = template.replace(/\{\w*(number|_id)\}/g, "7").replace(/\{\w+\}/g, "x");
      const members = checkedHost.description.listBody(request);
      const isPaged = checkedHost.description.listQuery(request).includes("per_page");
      if (members.length === 0 && !isPaged) continue;
      const answer = await fetch(`${checkedHost.baseUrl}${path}${isPaged ? "?per_page=few" : ""}`, {
        method,
        ...(members.length > 0 && {
          body: JSON.stringify(Object.fromEntries(members.map((name) => [name, { wrong: true }]))),
          headers: { "content-type": "application/json" },
        }),
      });
      await answer.body?.cancel();
      expect(checkedHost.take().faults, request).not.toEqual([]);
    }
    await fetch(`${checkedHost.baseUrl}/repos/octocat/hello-world/issues?sate=all`);
    expect(checkedHost.take().faults).toEqual([expect.stringContaining('no parameter "sate"')]);
    await fetch(`${checkedHost.baseUrl}/repos/octocat/hello-world/unknown`);
    expect(checkedHost.take().faults).toEqual([
      expect.stringMatching(/NO_PATH_MATCHED|route not found/i),
    ]);
  });
});

test("Every operation is covered by a checker", () => {
  console.log(`\n${coverage.toTable(columns)}\n`);
  expect(coverage.findUncovered(columns)).toEqual([]);
  for (const { name } of editions) {
    expect(coverage.findUncovered(["description, minimal"], name)).toEqual([]);
    expect(coverage.findUncovered(["description, full"], name)).toEqual([]);
  }
});

function findCall(key: string, form: "minimal" | "full"): ExpectedCall {
  const call = operationCases[key]?.[form];
  if (call === undefined) throw new Error(`There is no operation ${key}.`);
  return call;
}

/** Checks credential and media type of every request, and the requests against the specification. */
function checkSent(sent: readonly SentRequest[], { sends }: ExpectedCall): void {
  for (const { headers } of sent) {
    expect(headers.authorization).toBe(`Bearer ${emulator.token}`);
    expect(headers["x-github-api-version"]).toBe("2022-11-28");
    expect(headers.accept).toStartWith("application/vnd.github");
    expect(headers["user-agent"]).toContain("hub");
  }
  const last = sent.slice(-sends.length).map(({ method, target, body }) => {
    const url = new URL(target, "http://host");
    const query = Object.fromEntries(url.searchParams);
    return { method, path: url.pathname, query, body: body === "" ? undefined : JSON.parse(body) };
  });
  expect(last).toEqual(
    sends.map((each) => ({ ...each, query: expect.objectContaining(each.query) })),
  );
}

/** Checks that a result contains only documented values, and with `full` all of them. */
function checkResult(
  { value }: ToolAnswer,
  {
    isFull,
    sent,
    checkedHost,
  }: { isFull: boolean; sent: readonly SentRequest[]; checkedHost: CheckedHost },
): void {
  const last = sent.at(-1);
  if (last === undefined) throw new Error("Nothing was sent.");
  if (last.headers.accept?.includes("diff")) {
    expect(documentedDiff).toStartWith(value.diff);
    return;
  }
  const [path = ""] = last.target.split("?");
  const request = checkedHost.description.findRequest(last.method, path);
  if (request === null) throw new Error(`${last.method} ${path} is not described.`);
  const { status, body } = findDocumented(checkedHost.description, request);
  if (status === 204 || body === undefined) {
    expect(value).toMatchObject({ ok: true });
    return;
  }
  const actual = replaceCredentials(findContent(value));
  const documented = replaceCredentials(findContent(body));
  if (isFull) expect(actual).toEqual(documented);
  // A file's text is decoded.
  const leaves = new Set([...listLeaves(documented), documentedText]);
  expect(listLeaves(actual).filter((leaf) => !leaves.has(leaf))).toEqual([]);
}

/** The object, or the items of a list without the list's own members. */
function findContent(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { items, workflows, workflow_runs: runs, labels, ...rest } = value;
  const isLabels = Object.keys(rest).length === 0;
  const lists = [items, workflows, runs, ...(isLabels ? [labels] : [])];
  return lists.find((member) => Array.isArray(member)) ?? value;
}

/** Replaces credentials that the host sends, because each value token differs. */
function replaceCredentials(value: Json): Json {
  const text = JSON.stringify(value)
    .replaceAll(/hub_enc_[\w-]+/g, "sealed")
    .replaceAll(/("temp_clone_token":)"[^"]+"/g, '$1"sealed"');
  return JSON.parse(text);
}
