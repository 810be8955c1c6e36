/**
 * Protects: rows that a user may not see do not exist for that user, through every member of the
 * operations, and every check reads current data (traps 9 and 11). The rule is in
 * testing/visibility-model.ts.
 */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { amount } from "../../lib/testing/amount.ts";
import { toTestCall } from "../testing/open-test-operations.ts";
import { operations, visibilityCases } from "../testing/visibility-cases.ts";
import {
  judgeClient,
  judgeTest,
  type ModelRow,
  mayEnter,
  type Verdict,
} from "../testing/visibility-model.ts";
import {
  openVisibilityWorld,
  type VisibilityWorld,
  type WorldUser,
} from "../testing/visibility-world.ts";

const slowTestMs = 120_000;

type Target = { toolId: string; row: ModelRow | null; key: string };

/** The result of a call and the bytes of its refusal. */
type Outcome = { verdict: Verdict | "failed"; bytes: string };

test(
  "List, search, get and execute agree with the rule and with each other after every change by another process",
  () =>
    fc.assert(
      fc.asyncProperty(visibilityCases, async (start) => {
        const world = await openVisibilityWorld(start);
        try {
          await checkEveryUser(world);
          for (const change of start.changes) {
            await world.apply(change);
            await checkEveryUser(world);
          }
        } finally {
          await world.close();
        }
      }),
      { seed: 20_261_120, numRuns: amount(2, 12) },
    ),
  slowTestMs,
);

test(
  "Rows that a user may not see do not change that user's list and search results",
  () =>
    fc.assert(
      fc.asyncProperty(visibilityCases, async (start) => {
        const world = await openVisibilityWorld(start);
        try {
          for (const user of world.users) {
            const [caller = null] = await user.enter();
            if (caller === null) continue;
            const before = await readFound(world, caller);
            await removeHidden(world, user);
            expect(await readFound(world, caller)).toEqual(before);
          }
        } finally {
          await world.close();
        }
      }),
      { seed: 20_261_121, numRuns: amount(2, 12) },
    ),
  slowTestMs,
);

async function checkEveryUser(world: VisibilityWorld): Promise<void> {
  for (const user of world.users) {
    const callers = await user.enter();
    const isIn = mayEnter(user.model);
    expect(callers.map((caller) => caller !== null)).toEqual([isIn, isIn]);
    for (const caller of callers) if (caller !== null) await checkUser(world, user, caller);
  }
}

async function checkUser(world: VisibilityWorld, user: WorldUser, caller: Caller): Promise<void> {
  const targets = listTargets(world);
  const expected = targets.map(({ row, key }) => judgeClient(world.model, user.model, row, key));
  const open = targets.filter((_, index) => expected[index] === "open");
  const openIds = open.map(({ toolId }) => toolId).sort();

  expect(await listIds(world, caller)).toEqual(openIds);
  for (const query of ["", "zebra"]) {
    expect(await searchIds(world, caller, query)).toEqual({ ids: openIds, total: openIds.length });
  }

  await checkBatch(world, caller, targets, expected);

  const refusals: Set<string> = new Set();
  await Promise.all(
    targets.map(async ({ toolId, row, key }, index) => {
      const verdict = expected[index] ?? "failed";
      const got = await toOutcome(world.operations.catalogue.get(caller, toolId));
      const executed = await run(world, "execute", caller, toolId);
      expect({ toolId, get: got.verdict, execute: executed.verdict }).toEqual({
        toolId,
        get: verdict,
        execute: verdict,
      });
      if (verdict !== "open") expect(executed.bytes).toBe(got.bytes);

      const tested = await run(world, "test", caller, toolId);
      const clicked = await run(world, "click", caller, toolId);
      expect({ toolId, test: tested.verdict, click: clicked.verdict }).toEqual({
        toolId,
        test: judgeTest(world.model, user.model, row, { operationKey: key, isWidget: false }),
        click: judgeTest(world.model, user.model, row, { operationKey: key, isWidget: true }),
      });
      for (const { verdict: reason, bytes } of [got, executed, tested, clicked]) {
        if (reason === "not_found") refusals.add(bytes);
      }
    }),
  );
  // Some targets never existed, and hidden targets must give the same bytes.
  expect(refusals.size).toBe(1);
}

/** Each call has the same outcome within one message as alone, where it is a call of `hub_read`. */
async function checkBatch(
  world: VisibilityWorld,
  caller: Caller,
  targets: readonly Target[],
  expected: readonly Verdict[],
): Promise<void> {
  const calls = targets.map(({ toolId }) => ({ toolId, params: { marker: crypto.randomUUID() } }));
  const results = [];
  for (let start = 0; start < calls.length; start += 100) {
    const batch = { calls: calls.slice(start, start + 100) };
    const { text } = await world.operations.batches.read(toTestCall([], { caller }), batch);
    results.push(...JSON.parse(text).results);
  }
  expect(results).toHaveLength(targets.length);
  for (const [index, { toolId, key }] of targets.entries()) {
    const verdict = expected[index] === "open" && key !== "read" ? unmarked : expected[index];
    const { tool_id, status, code = "open", error, ...rest } = results[index];
    expect({ toolId: tool_id, verdict: code }).toEqual({ toolId, verdict });
    const marker = String(calls[index]?.params.marker);
    expect([toolId, world.reached.has(marker)]).toEqual([toolId, status === "success"]);
    if (verdict === "open" || verdict === unmarked) continue;
    const alone = await toOutcome(world.operations.catalogue.get(caller, toolId));
    expect(JSON.stringify([code, error, rest])).toBe(alone.bytes);
  }
}

const unmarked = "destructive_operation";

/** Every operation of every row that exists or was deleted, and of one row that never existed. */
function listTargets({ rows }: VisibilityWorld): Target[] {
  const all = [...rows, { id: crypto.randomUUID(), model: null }];
  const keys = [...Object.keys(operations), "no_such_operation"];
  const targets = all.flatMap(({ id, model }) =>
    keys.map((key) => ({ toolId: `conn:${id}/${key}`, row: model, key })),
  );
  return [...targets, { toolId: "nonsense", row: null, key: "" }];
}

async function listIds({ operations }: VisibilityWorld, caller: Caller): Promise<string[]> {
  return (await operations.catalogue.list(caller)).map(({ tool_id }) => tool_id).sort();
}

async function searchIds({ operations }: VisibilityWorld, caller: Caller, query: string) {
  const { tools, total } = await operations.catalogue.search(caller, { query, limit: 100 });
  return { ids: tools.map(({ tool_id }) => tool_id).sort(), total };
}

/** Returns the call's outcome. Checks that it agrees with whether the operation ran. */
async function run(
  { operations, reached }: VisibilityWorld,
  member: "execute" | "test" | "click",
  caller: Caller,
  toolId: string,
): Promise<Outcome> {
  const marker = crypto.randomUUID();
  const ctx = toTestCall([], { caller });
  const request = { toolId, params: { marker } };
  const outcome = await toOutcome(
    member === "click"
      ? operations.rows.test(ctx, { ...request, widget: { inputs: {} } })
      : (member === "test" ? operations.rows.test : operations.calls.call)(ctx, request),
  );
  expect([toolId, reached.has(marker)]).toEqual([toolId, outcome.verdict === "open"]);
  return outcome;
}

async function toOutcome(call: Promise<unknown>): Promise<Outcome> {
  try {
    await call;
    return { verdict: "open", bytes: "" };
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    const { code, message, detail } = thrown;
    const bytes = JSON.stringify([code, message, detail]);
    switch (code) {
      case "not_found":
      case "forbidden":
      case "connector_disabled":
      case "operation_disabled":
        return { verdict: code, bytes };
      default:
        return { verdict: "failed", bytes };
    }
  }
}

/** Whole words, parts of words and misspelt words, from rows, operations and connectors. */
const queries = [
  "",
  "zebra",
  "zebra 1",
  "zeb",
  "zebar",
  "read",
  "operation write",
  "alpha",
  "beta 0",
];

async function readFound(world: VisibilityWorld, caller: Caller) {
  const found = queries.map((query) => searchIds(world, caller, query));
  return { list: await world.operations.catalogue.list(caller), found: await Promise.all(found) };
}

async function removeHidden(world: VisibilityWorld, user: WorldUser): Promise<void> {
  for (const row of world.rows) {
    const keys = Object.keys(operations);
    const isHidden = keys.every(
      (key) => judgeClient(world.model, user.model, row.model, key) === "not_found",
    );
    if (isHidden) await world.removeRow(row);
  }
}
