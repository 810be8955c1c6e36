/**
 * The connector `codehost`, installed and called as by a user, against checkers that others made: an
 * emulator that keeps state, and GitHub's own description of its API, which every request has to
 * follow; and against the answers that the documentation shows.
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
  type CheckedStage,
  type Edition,
  forward,
  startCheckedStage,
} from "./support/checked-stage.ts";
import { createCoverage } from "./support/coverage.ts";
import {
  createDocumentedAnswers,
  documentedDiff,
  documentedText,
  findDocumented,
  listLeaves,
} from "./support/documented-host.ts";
import { emulatorScenarios, notEmulated, type World } from "./support/emulator-scenarios.ts";
import { type GithubEmulator, startGithubEmulator } from "./support/github-emulator.ts";

setDefaultTimeout(120_000);

const columns = ["emulator", "description, minimal", "description, full", "documented answers"];
const editions: readonly Edition[] = [
  { name: "public", description: "api.github.com", prefix: "" },
  { name: "enterprise", description: "ghes-3.19", prefix: "/api/v3" },
];
const operations = Object.keys(operationCases);
const coverage = createCoverage(operations);

/** What models search for, and what they need. */
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

describe.each(editions)("at the $name host", (edition) => {
  let stage: CheckedStage;
  let run: RunOperation;
  let toolId: (operation: string) => string;

  beforeAll(async () => {
    const home = owned.use(await createDataFolder());
    stage = owned.use(
      await startCheckedStage({ edition, requests: describedRequests, home: home.path }),
    );
    const row = await codehost.addRow({
      label: `Code of ${edition.name}`,
      baseUrl: stage.baseUrl,
      token: emulator.token,
    });
    run = row.run;
    toolId = (operation) => `conn:${row.id}/${operation}`;
  });

  test("the operations are those of the specification, and so is what each does to the host", async () => {
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
    // A list of them all has to fit into a model's context: one line each, the warning beside it.
    for (const { name, description } of listed) {
      const [line = ""] = description.split(" Destructive: ");
      expect(line.length, name).toBeWithin(10, 120);
    }
  });

  test.each(phrases)("a model that looks for %p is shown %s", async (phrase, key) => {
    const { value } = await codehost.client.call("hub_search", { query: phrase });
    const found = value.tools
      .map((tool: { tool_id: string }) => tool.tool_id)
      .filter((id: string) => id.startsWith(toolId("")));
    expect(found.slice(0, 4)).toContain(toolId(key));
  });

  describe("before the emulator", () => {
    beforeAll(() => stage.answerBy((sent) => forward(sent, emulator.url)));

    test.each(Object.entries(emulatorScenarios))("%s", async (_, play) => {
      const runAlone: World["run"] = async (operation, params = {}) => {
        const answer = await run(operation, params);
        expect(answer.isError, `${operation}: ${answer.text}`).toBe(false);
        // An empty list shows nothing of how one is read.
        if (answer.value.items?.length !== 0) coverage.add(operation, "emulator", edition.name);
        return answer.value;
      };
      const place = { owner: "octocat", repo: edition.name };
      stage.take();
      await play({
        ...place,
        runAlone,
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
        run: (operation, params) => runAlone(operation, { ...place, ...params }),
      });
      expect(stage.take().faults).toEqual([]);
    });

    test("every operation that it has was used", () => {
      const unseen = coverage.findUncovered(["emulator"], edition.name);
      expect(unseen.sort()).toEqual([...notEmulated].sort());
    });
  });

  describe("before the documented answers", () => {
    beforeAll(() => stage.answerBy(createDocumentedAnswers(stage.description)));

    test.each(operations)("%s follows the description with the inputs it needs", async (key) => {
      await checkCall(key, "minimal", {});
    });

    test.each(operations)("%s follows the description with every input", async (key) => {
      const { value } = await codehost.client.call("hub_get", { tool_id: toolId(key) });
      const names = Object.keys(value.input_schema.properties);
      // Inputs that the connector has beside those of the specification.
      const extra = names.includes("full") ? { full: true } : {};
      const given = { ...operationCases[key]?.full.given, ...extra };
      expect(Object.keys(given).sort()).toEqual(names.sort());
      await checkCall(key, "full", extra);
    });

    async function checkCall(key: string, form: "minimal" | "full", extra: Params): Promise<void> {
      const call = findCall(key, form);
      stage.take();
      const answer = await run(key, { ...call.given, ...extra });
      const { sent, faults } = stage.take();
      expect(answer.isError, answer.text).toBe(false);
      expect(faults).toEqual([]);
      checkSent(sent, call);
      coverage.add(key, `description, ${form}`, edition.name);
      checkResult(answer, { isFull: extra.full === true, sent, stage });
      coverage.add(key, "documented answers", edition.name);
    }
  });

  test("the checker reports a wrong request to each operation that can be wrong", async () => {
    stage.answerBy(() => ({ status: 204 }));
    for (const request of describedRequests) {
      const [method = "", template = ""] = request.split(" ");
      const path = template.replace(/\{\w*(number|_id)\}/g, "7").replace(/\{\w+\}/g, "x");
      const members = stage.description.listBody(request);
      const isPaged = stage.description.listQuery(request).includes("per_page");
      if (members.length === 0 && !isPaged) continue;
      const answer = await fetch(`${stage.baseUrl}${path}${isPaged ? "?per_page=few" : ""}`, {
        method,
        ...(members.length > 0 && {
          body: JSON.stringify(Object.fromEntries(members.map((name) => [name, { wrong: true }]))),
          headers: { "content-type": "application/json" },
        }),
      });
      await answer.body?.cancel();
      expect(stage.take().faults, request).not.toEqual([]);
    }
    await fetch(`${stage.baseUrl}/repos/octocat/hello-world/issues?sate=all`);
    expect(stage.take().faults).toEqual([expect.stringContaining('no parameter "sate"')]);
    await fetch(`${stage.baseUrl}/repos/octocat/hello-world/unknown`);
    expect(stage.take().faults).toEqual([
      expect.stringMatching(/NO_PATH_MATCHED|route not found/i),
    ]);
  });
});

test("every operation was seen by somebody", () => {
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

/** The credential and the media type on every request; the requests as the specification has them. */
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

/** Nothing in a result is made up, and with `full` nothing is left out. */
function checkResult(
  { value }: ToolAnswer,
  { isFull, sent, stage }: { isFull: boolean; sent: readonly SentRequest[]; stage: CheckedStage },
): void {
  const last = sent.at(-1);
  if (last === undefined) throw new Error("Nothing was sent.");
  if (last.headers.accept?.includes("diff")) {
    expect(documentedDiff).toStartWith(value.diff);
    return;
  }
  const [path = ""] = last.target.split("?");
  const request = stage.description.findRequest(last.method, path);
  if (request === null) throw new Error(`${last.method} ${path} is not described.`);
  const { status, body } = findDocumented(stage.description, request);
  if (status === 204 || body === undefined) {
    expect(value).toMatchObject({ ok: true });
    return;
  }
  const told = sealAlike(findThings(value));
  const documented = sealAlike(findThings(body));
  if (isFull) expect(told).toEqual(documented);
  // A file's text comes decoded.
  const leaves = new Set([...listLeaves(documented), documentedText]);
  expect(listLeaves(told).filter((leaf) => !leaves.has(leaf))).toEqual([]);
}

/** The one thing, or the items of a list, without what is said of the list itself. */
function findThings(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { items, workflows, workflow_runs: runs, labels, ...rest } = value;
  const isLabels = Object.keys(rest).length === 0;
  const lists = [items, workflows, runs, ...(isLabels ? [labels] : [])];
  return lists.find((member) => Array.isArray(member)) ?? value;
}

/** A credential that the host itself sends arrives sealed, as anew each time. */
function sealAlike(value: Json): Json {
  const text = JSON.stringify(value)
    .replaceAll(/hub_enc_[\w-]+/g, "sealed")
    .replaceAll(/("temp_clone_token":)"[^"]+"/g, '$1"sealed"');
  return JSON.parse(text);
}
