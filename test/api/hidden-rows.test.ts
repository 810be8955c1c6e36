/**
 * Protects: hidden rows, runs and workflows change no list, count, filter, page or export of a caller (trap 9).
 * Every GET route is requested with and without hidden rows; the answers must have the same bytes.
 * A route fails if its parameters have no values here. `.ci/run` requests each route with each value of each parameter while the
 * others are of what the caller sees, and each hidden address with one query; `.ci/nightly` requests all combinations.
 */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type ApiRoute, apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { toCursorText } from "@hub/server/lib/input/page-cursor.ts";
import { isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import { deleteRow, insertRow, updateRow } from "@hub/server/store/rows/rows-table.ts";
import { setOperationState } from "@hub/server/store/rows/switches.ts";
import { countRowActivity } from "@hub/server/store/runs/count-activity.ts";
import { newFinishedRun, newRow, newWorkflow } from "@hub/server/store/test-data.ts";
import { insertTestApproval } from "@hub/server/store/testing/insert-approval.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import {
  deleteWorkflow,
  insertWorkflow,
  setWorkflowTags,
  updateWorkflow,
} from "@hub/server/store/workflows/workflow-changes.ts";
import fc from "fast-check";
import { addApproval, addWorkflow } from "./add-workflow.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(180_000);

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

const hiddenRows: string[] = [crypto.randomUUID(), crypto.randomUUID()];
/** The slugs of these rows, which are channels too. */
const hiddenSlugs = ["hidden-one", "hidden-two"];
const hiddenWorkflows = ["hidden-aaaaaa", "hidden-bbbbbb"];
const hiddenApprovals = [crypto.randomUUID(), crypto.randomUUID()];
/** A message of the caller, which may have made hidden calls too. */
const visibleMessage = Bun.randomUUIDv7();
/** Of nothing. The same in all worlds, because answers are compared by address. */
const unknownId = crypto.randomUUID();
const hiddenRuns = Array.from({ length: 6 }, () => Bun.randomUUIDv7());
let hub: ApiHub;
let caller: TestUser;
let other: TestUser;
let visibleRow: string;
let visibleRun: string;
let visibleWorkflow: string;
let visibleApproval: string;
/** Without hidden rows and runs. */
let answersBefore: Map<string, string>;
/** How many worlds of hidden rows and runs are tried. Each one requests all routes again; at night there are thirty. */
const worlds = Math.ceil(3 * Number(process.env.HUB_TEST_MASS ?? "0.3"));

beforeAll(async () => {
  hub = await openApiHub();
  caller = await hub.addUser("eve@example.com", { tags: ["blue"] });
  other = await hub.addUser("ada@example.com", { tags: ["blue", "red"] });
  visibleRow = (await hub.addRow("Shared", ["blue", "red"])).id;
  // A hidden row must not make a short name of the visible one ambiguous.
  hiddenRows[1] = toShortId(visibleRow) + crypto.randomUUID().slice(8);
  visibleRun = await hub.greet(caller, visibleRow);
  await hub.greet(other, visibleRow);
  const ofCaller = { userId: caller.user.id, connectorId: null, rowLabel: null };
  const message = { ...ofCaller, id: visibleMessage, operationKey: "hub_read" };
  await hub.store.runs.insertFinished(newFinishedRun(message));
  await updateRow(hub.store.db, visibleRow, { slug: "visible" }, 1);
  const shared = await addWorkflow(hub, other.user.id, { tags: ["blue", "red"] });
  visibleWorkflow = shared.id;
  visibleApproval = await addApproval(hub, shared.id, other.user.id, ["blue"]);
  // So that the state of the visible row does not change meanwhile.
  await countRowActivity(hub.store.db, { endedBefore: Date.now() + 1, now: Date.now() });
  answersBefore = await fetchAllAnswers();
});
afterAll(() => hub[Symbol.asyncDispose]());

function toShortId(id: string): string {
  return id.slice(0, 8);
}

/** The values for each path parameter, including hidden ids. */
const pathValues: Record<string, () => string[]> = {
  row: () => [visibleRow, ...hiddenRows],
  channel: () => ["visible", ...hiddenSlugs],
  run: () => [visibleRun, visibleMessage, ...hiddenRuns],
  // All rows of `http` are hidden; `fixture` has visible rows too.
  key: () => ["fixture", "http"],
  user: () => [caller.user.id, other.user.id],
  operation: () => ["greet", "get"],
  workflow: () => [visibleWorkflow, ...hiddenWorkflows],
  version: () => ["1"],
  rule: () => [crypto.randomUUID()],
  source: () => [unknownId],
  reference: () => [unknownId],
  field: () => ["token"],
  approval: () => [visibleApproval, ...hiddenApprovals],
  call: () => ["0".repeat(32)],
};

/** The values for each query parameter. Each route is also requested without a query. */
const queryValues: Record<string, () => string[]> = {
  row: () => [visibleRow, ...hiddenRows],
  user: () => [caller.user.id, other.user.id],
  status: () => ["success", "error"],
  filter: () => ["new"],
  source: () => ["mcp", "test"],
  operation: () => ["greet", "get"],
  error: () => ["e", "not_found"],
  code: () => ["not_found"],
  cause_id: () => [visibleMessage],
  from: () => ["2020-01-01T00:00:00Z"],
  to: () => ["2100-01-01T00:00:00Z"],
  before: () => [...hiddenRuns.slice(0, 2), "ffffffff-ffff-7fff-bfff-ffffffffffff"],
  after: () => [
    "no-cursor",
    "1",
    ...hiddenRows.flatMap((id) => [0, 4e12].map((key) => toCursorText({ key, id }))),
  ],
  limit: () => ["1", "2"],
  offset: () => ["0", "1"],
  operations: () => ["all", "none"],
  callable: () => ["true"],
  key: () => ["greet"],
  connector: () => ["fixture", "http"],
  q: () => ["", "Hidden"],
  tool_id: () =>
    [visibleRow, ...hiddenRows].flatMap((id) => [`conn:${id}/greet`, `${toShortId(id)}/greet`]),
  role: () => ["user"],
  without_tag: () => ["red"],
  grouped: () => ["true"],
  ids: () => hiddenRows,
  by_row: () => ["none"],
  tags: () => ["red"],
  people: () => [other.user.id],
  actor_id: () => [other.user.id],
  action: () => ["row.create"],
  target_kind: () => ["row"],
  target_id: () => hiddenRows,
  tag: () => ["blue", "red"],
  owner: () => [caller.user.id, other.user.id],
  state: () => ["draft", "published", "disabled", "failing", "pending", "unused", "ready", "open"],
  sort: () => ["label", "state", "calls", "last_call"],
  order: () => ["asc", "desc"],
  workflow: () => [visibleWorkflow, ...hiddenWorkflows],
  run: () => [visibleRun, ...hiddenRuns],
  mine: () => ["true"],
  may_decide: () => ["true"],
  decidable: () => ["true"],
  decided: () => ["true"],
  items: () => ["false"],
  body: () => ["draft"],
  version: () => ["draft", "1"],
  // Its ticks would differ from one request to the next.
  span: () => ["week"],
  schedule: () => ["not valid"],
  timezone: () => ["UTC"],
  trigger: () => ["hook", "start"],
  outcome: () => ["refused", "ended"],
  "lookup source": () => ["people"],
};

/** The addresses of a route, the first of which names only what the caller sees. */
function listAddresses({ path, endpoint, guard }: ApiRoute): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const paths = combine(names, path);
  const queries = Object.keys(endpoint.query?.shape ?? {}).flatMap((name) => {
    const isLookup = path.endsWith("/lookup") && name === "source";
    const values = valuesOf(queryValues, isLookup ? "lookup source" : name, path);
    return values.map((value) => `?${name}=${encodeURIComponent(value)}`);
  });
  const isRefused = guard.name === "admin";
  return paths.flatMap((one, at) => {
    const isWhole = isWholeAmount || (at === 0 && !isRefused);
    const some = isWhole ? queries : queries.slice(at % queries.length).slice(0, 1);
    return [one, ...some.map((query) => `${one}${query}`)];
  });
}

/** The path with the values of its parameters: with at most one that is not the first of its kind, or all of them. */
function combine(names: readonly string[], path: string): string[] {
  const valuesIn = (name: string) => {
    // A look-up in the visible row records a run, which changes later answers.
    if (path.endsWith("/lookup")) return name === "channel" ? hiddenSlugs : hiddenRows;
    return valuesOf(pathValues, name, path);
  };
  let list = [{ text: path, others: 0 }];
  for (const name of names) {
    list = list.flatMap(({ text, others }) =>
      valuesIn(name).map((value, at) => ({
        text: text.replace(`{${name}}`, value),
        others: others + Number(at > 0),
      })),
    );
  }
  return list.filter(({ others }) => isWholeAmount || others < 2).map(({ text }) => text);
}

function valuesOf(table: Record<string, () => string[]>, name: string, path: string): string[] {
  const values = table[name];
  if (values === undefined) throw new Error(`Add values for the parameter "${name}" of ${path}.`);
  return values();
}

const fetchAllAnswers = () =>
  fetchAnswers(apiRoutes.filter(({ method }) => method === "GET").flatMap(listAddresses));

/** The answers for the caller, by address. `last_used_at` is replaced because it changes with each request. */
async function fetchAnswers(addresses: readonly string[]): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  for (const address of addresses) {
    const response = await fetch(`${hub.url}${address}`, { headers: caller.headers });
    const body = (await response.text()).replace(/("last_used_at":)("[^"]*"|null)/g, "$1TIME");
    answers.set(address, `${response.status} ${body}`);
  }
  return answers;
}

const hiddenData = fc.record({
  rows: fc.tuple(
    ...hiddenRows.map(() =>
      fc.record({
        connectorKey: fc.constantFrom("fixture", "http", "absent"),
        label: fc.constantFrom("Shared", "Hidden", "ä"),
        // Only admins see a row without tags.
        tags: fc.constantFrom([], ["red"], ["green"]),
        disabled: fc.boolean(),
        operationOff: fc.boolean(),
      }),
    ),
  ),
  workflows: fc.tuple(
    ...hiddenWorkflows.map(() =>
      fc.record({
        name: fc.constantFrom("Report", "Hidden", "ä"),
        tags: fc.constantFrom([], ["red"], ["green"]),
        enabled: fc.boolean(),
        runBy: fc.constantFrom("tags", "owner"),
      }),
    ),
  ),
  runs: fc.tuple(
    ...hiddenRuns.map(() =>
      fc.record({
        /** The row of the run: hidden, deleted, or none for another user's call of a meta-tool. */
        about: fc.constantFrom("first row", "second row", "deleted row", "no row"),
        isCallers: fc.boolean(),
        status: fc.constantFrom("success", "error", "denied", "cancelled"),
        source: fc.constantFrom("mcp", "test", "retry"),
        operationKey: fc.constantFrom("greet", "get"),
        isRetry: fc.boolean(),
        isInner: fc.boolean(),
      }),
    ),
  ),
});
type HiddenData = typeof hiddenData extends fc.Arbitrary<infer World> ? World : never;

async function addHidden({ rows, runs, workflows }: HiddenData): Promise<void> {
  const { db } = hub.store;
  for (const [index, { connectorKey, label, tags, disabled, operationOff }] of rows.entries()) {
    const id = hiddenRows[index] ?? "";
    const slug = hiddenSlugs[index] ?? null;
    await insertRow(db, newRow({ id, connectorKey, label, tags, slug }));
    if (operationOff) await setOperationState(db, id, "greet", false, Date.now());
    if (disabled) await hub.admin.rows.disable(id);
  }
  for (const [index, { enabled, ...given }] of workflows.entries()) {
    const workflow = newWorkflow(other.user.id, { ...given, id: hiddenWorkflows[index] ?? "" });
    await insertWorkflow(db, workflow);
    await updateWorkflow(db, workflow.id, { enabled }, Date.now());
    await insertTestApproval(db, {
      id: hiddenApprovals[index] ?? "",
      workflowId: workflow.id,
      ownerId: other.user.id,
      people: [{ kind: "tag", name: "red" }],
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
    });
  }
  const deleted = crypto.randomUUID();
  for (const [index, run] of runs.entries()) {
    const { about, isCallers, isRetry, isInner, ...given } = run;
    const connectorId = {
      "first row": hiddenRows[0] ?? "",
      "second row": hiddenRows[1] ?? "",
      "deleted row": deleted,
      "no row": null,
    }[about];
    const isOwn = isCallers && about !== "no row";
    await hub.store.runs.insertFinished(
      newFinishedRun({
        ...given,
        id: hiddenRuns[index] ?? "",
        connectorId,
        rowLabel: connectorId === null ? null : "Hidden",
        userId: isOwn ? caller.user.id : other.user.id,
        parentRunId: isRetry ? (hiddenRuns[0] ?? null) : null,
        ...(isInner && { causeKind: "batch", causeId: visibleMessage }),
      }),
    );
  }
}

async function removeHidden(): Promise<void> {
  const { db } = hub.store;
  for (const id of hiddenRows) await deleteRow(db, id);
  for (const id of hiddenWorkflows) {
    await deleteWorkflow(db, id, Date.now());
    await runSql(db, "delete from workflows where id = ?", id);
  }
  for (const id of hiddenApprovals) {
    await runSql(db, "delete from workflow_approvals where id = ?", id);
  }
  for (const id of hiddenRuns) await runSql(db, "delete from connector_runs where id = ?", id);
}

describe("Hidden rows and runs", () => {
  test("Rows and runs that a user may not see do not change any byte of an answer", async () => {
    await fc.assert(
      fc.asyncProperty(hiddenData, async (world) => {
        await addHidden(world);
        try {
          const withHidden = await fetchAllAnswers();
          for (const [address, answer] of answersBefore) {
            expect([address, withHidden.get(address)]).toEqual([address, answer]);
          }
        } finally {
          await removeHidden();
        }
      }),
      { numRuns: worlds },
    );
  });

  test("The comparison detects rows and runs that become visible", async () => {
    const world = fc.sample(hiddenData, { numRuns: 1, seed: 7 })[0];
    if (world === undefined) throw new Error("No sample.");
    await addHidden(world);
    for (const id of hiddenRows) await hub.admin.rows.set(id, { tags: ["blue"] });
    for (const id of hiddenWorkflows) await setWorkflowTags(hub.store.db, id, ["blue"], Date.now());
    const [row = ""] = hiddenRows;
    const addresses = [
      "/manager/api/rows",
      "/manager/api/connectors",
      `/manager/api/rows/${row}`,
      `/manager/api/rows/${row}/runs`,
      `/manager/api/rows/${row}/runs/export`,
      "/profile/api/runs",
      "/manager/api/workflows",
      `/manager/api/workflows/${hiddenWorkflows[0]}`,
    ];
    const withVisible = await fetchAnswers(addresses);
    await removeHidden();
    const changed = addresses.filter((one) => withVisible.get(one) !== answersBefore.get(one));
    expect(changed).toEqual(addresses);
    // Each is one of the addresses that the other test compares.
    expect(addresses.filter((one) => !answersBefore.has(one))).toEqual([]);
  });
});
