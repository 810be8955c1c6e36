import { defineConnector, toJsonText, wick } from "@hub/connector";
import type { Principal } from "../../../caller.ts";
import { createLocalConnector } from "../../../connectors/local-connector.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  endForbiddenCalls,
  expirePendingCalls,
  markUnknownCalls,
} from "../../../store/pending/end-pending-calls.ts";
import { putPendingDecision } from "../../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { putRowValues, setRowTags } from "../../../store/rows/rows-table.ts";
import { putRule } from "../../../store/rules/call-rules-table.ts";
import { newRule } from "../../../store/rules/testing/new-rule.ts";
import { insertInstance, removeInstances } from "../../../store/servers/instances.ts";
import type { Store } from "../../../store/store.ts";
import { newUser } from "../../../store/test-data.ts";
import { insertUser } from "../../../store/users/users-table.ts";
import { digestRequest } from "../../calls/call-digest.ts";
import {
  openTestOperations,
  openTestRing,
  testUserId,
  toTestCall,
} from "../../testing/open-test-operations.ts";
import { pendingLimits } from "../pending-limits.ts";
import { type ModelCall, PendingModel } from "./pending-model.ts";

type Trial = {
  /** Two servers of one database. */
  stores: readonly [Store, Store];
  steps: number;
  seed: number;
  onStep?: (step: number) => void;
};

/** Where a server dies. */
type Death = "before the question" | "during the run" | "before the record" | "before the result";
const deaths = [
  "before the question",
  "during the run",
  "before the record",
  "before the result",
] as const satisfies readonly Death[];

const principals = [
  { kind: "stdio", id: "" },
  { kind: "session", id: "" },
] as const satisfies readonly Principal[];
const texts = ["a", "b", "c"];
const minuteMs = 60_000;

type Outcome = { ran: string } | { failed: HubError } | "dead";

/** What a trial has seen, so that a script can show that it has tried everything. */
export type TrialReport = { runs: number; counts: Record<string, number> };

/**
 * Makes random steps of users, approvers, admins, clocks and dying servers, and compares each with a small model. Throws at
 * the first difference: a call that ran unasked, twice, or as something else than was shown.
 */
export async function tryPendingCalls({
  stores,
  steps,
  seed,
  onStep,
}: Trial): Promise<TrialReport> {
  const trial = await openTrial(stores, seed);
  try {
    for (let step = 0; step < steps; step += 1) {
      await trial.step();
      onStep?.(step);
    }
    return trial.report();
  } finally {
    await trial.close();
  }
}

async function openTrial(stores: Trial["stores"], seed: number) {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("Nothing to pick");
    return item;
  };
  const model = new PendingModel();
  const counts: Record<string, number> = {};
  const ring = await openTestRing();
  const { db } = stores[0];
  let at = 1_700_000_000_000;
  /** The texts that ran, in order. */
  const runs: string[] = [];
  let dying: Death | null = null;
  let onDeath = () => {};
  let version = 0;
  let operationVersion = 0;
  let ruleRevision = 1;
  let isVisible = true;

  const die = (place: Death): Promise<never> | null => {
    if (dying !== place) return null;
    dying = null;
    onDeath();
    return new Promise<never>(() => {});
  };
  const makeConnector = () =>
    createLocalConnector(
      defineConnector({
        key: "trial",
        name: "Trial",
        icon: "box",
        tier: "builtin",
        description: "Acts.",
        config: { Place: wick("default=home") },
        operations: {
          act: {
            description: `Acts in version ${operationVersion}.`,
            destructive: true,
            input: { Text: wick("required") },
            async run({ params }) {
              runs.push(params.Text);
              await die("during the run");
              return { acted: params.Text };
            },
          },
        },
      }),
      () => ({}),
    );

  async function openServer(store: Store, index: number) {
    const instanceId = crypto.randomUUID();
    await insertInstance(db, {
      id: instanceId,
      kind: "serve",
      pid: index,
      hostname: "trial",
      startedAt: at,
    });
    const mortal: Store = {
      ...store,
      runs: {
        ...store.runs,
        finish: (...ended) => die("before the record") ?? store.runs.finish(...ended),
      },
    };
    const hub = await openTestOperations(trialDefinition, {
      store: mortal,
      instanceId,
      baseUrl: "https://hub.example",
      now: () => at,
      ring: {
        current: ring.current,
        reload: () => die("before the question") ?? die("before the result") ?? ring.reload(),
      },
    });
    hub.registry.replace(makeConnector());
    return { hub, instanceId };
  }

  await insertUser(db, newUser({ id: testUserId, email: "trial@example.com", tags: ["team"] }));
  const servers = [await openServer(stores[0], 0), await openServer(stores[1], 1)];
  const first = servers[0];
  if (first === undefined) throw new Error("There is no server");
  const rowId = await first.hub.addRow({ tags: ["team"], label: "Trial" });
  const toolId = `conn:${rowId}/act`;
  const setRule = () =>
    transaction(db, (trx) => putRule(trx, newRule({ id: "trial", rowId, revision: ruleRevision })));
  await setRule();

  async function call(
    server: (typeof servers)[number],
    principal: Principal,
    request: { text: string } | { pendingId: string },
  ): Promise<Outcome> {
    const ctx = toTestCall(["team"], { caller: { principal } });
    const died = new Promise<"dead">((resolve) => {
      onDeath = () => resolve("dead");
    });
    const sent =
      "text" in request
        ? { toolId, params: { text: request.text } }
        : { toolId: "", params: {}, pendingId: request.pendingId };
    const calling = server.hub.operations.calls.call(ctx, sent).then(
      ({ value }): Outcome => ({ ran: toJsonText(value) }),
      (thrown: unknown): Outcome => {
        if (thrown instanceof HubError) return { failed: thrown };
        throw thrown;
      },
    );
    return await Promise.race([calling, died]);
  }

  function check(holds: boolean, sentence: string, seen?: unknown): void {
    if (holds) return;
    throw new Error(`seed ${seed}: ${sentence}: ${Bun.inspect(seen)}`);
  }

  function count(what: string): void {
    counts[what] = (counts[what] ?? 0) + 1;
  }

  const codeOf = (outcome: Outcome) =>
    outcome === "dead" ? "dead" : "failed" in outcome ? outcome.failed.code : "ran";

  const toKey = (principal: Principal, text: string) => `${principal.kind} ${text}`;

  /** What ran is what was shown: the digest of what has just run is that of the approved question. */
  async function checkRan(shown: ModelCall, text: string): Promise<void> {
    const stored = await findPendingCall(db, shown.id);
    const request = { toolId, params: { text }, account: null, fields: [], step: null };
    const digest = await digestRequest(ring.current(), request);
    check(stored?.digest === digest?.text, "The digest of what ran is another one", shown);
    check(
      toJsonText(Object(stored).shown.params) === toJsonText({ text }),
      "Something else was shown",
      stored?.shown,
    );
  }

  async function makeCall(death: Death | null): Promise<void> {
    const server = pick(servers);
    const principal = pick(principals);
    const text = pick(texts);
    const key = toKey(principal, text);
    const before = runs.length;
    const last = model.calls.get(key);
    const isById = last !== undefined && random() < 0.3;
    const expected = model.expect(key, principal.kind, at, isById);
    dying = death;
    const outcome = await call(server, principal, isById ? { pendingId: last.id } : { text });
    dying = null;
    const ran = runs.slice(before);
    const code = codeOf(outcome);
    if (!isVisible) {
      check(code === "not_found" && ran.length === 0, "A hidden row answered", { code, ran });
      return count("hidden");
    }
    count(outcome === "dead" ? `killed ${death}` : expected.kind);
    if (outcome === "dead") {
      await bury(server);
      const state = last === undefined ? null : (await findPendingCall(db, last.id))?.state;
      if (expected.kind === "run" && ran.length > 0) {
        check(ran.length === 1 && ran[0] === text, "A dead server ran something else", ran);
        await checkRan(expected.call, text);
        check(state === "unknown", "It is not unknown", state);
        expected.call.state = "unknown";
        return;
      }
      check(ran.length === 0, "A dead server ran what was not approved", ran);
      // It may have died before it looked.
      if (state !== last?.state) model.complete(key, at);
      const waits = last?.state === "open" || last?.state === "approved";
      if (waits) check(state === last.state, "A death decided", { state, last });
      return;
    }
    model.complete(key, at);
    if (expected.kind === "run") {
      check(code === "ran" && ran.length === 1 && ran[0] === text, "It did not run once", {
        code,
        ran,
        outcome,
      });
      await checkRan(expected.call, text);
      expected.call.state = "done";
      expected.call.resultAt = at;
      return;
    }
    check(ran.length === 0, "It ran unasked", { expected, ran, last, at });
    const failed = "failed" in outcome ? outcome.failed : null;
    const id = String(failed?.detail.pending_id);
    switch (expected.kind) {
      case "stored":
        return check(codeOf(outcome) === "ran", "The result is lost", outcome);
      case "same question":
        return check(
          code === "approval_required" && id === expected.call.id,
          "Another question",
          outcome,
        );
      case "new question":
        check(code === "approval_required" && id !== last?.id, "No new question", outcome);
        return model.ask(key, id, at);
      case "denied":
      case "refused for an hour":
        return check(code === "refused_by_rule", "It is not refused", outcome);
      case "still running":
        return check(code === "still_running", "It does not say that it runs", outcome);
    }
  }

  /** Two servers get equal calls at once: together they run it once at most. */
  async function callTwice(): Promise<void> {
    const principal = pick(principals);
    const text = pick(texts);
    const key = toKey(principal, text);
    const before = runs.length;
    const expected = model.expect(key, principal.kind, at);
    const outcomes = await Promise.all(servers.map((server) => call(server, principal, { text })));
    const ran = runs.slice(before);
    if (!isVisible) return check(ran.length === 0, "A hidden row ran", ran);
    model.complete(key, at);
    count(`${expected.kind}, twice at once`);
    if (expected.kind === "run") {
      check(ran.length === 1 && ran[0] === text, "Two calls at once did not run once", {
        ran,
        outcomes,
      });
      await checkRan(expected.call, text);
      expected.call.state = "done";
      expected.call.resultAt = at;
      return;
    }
    check(ran.length === 0, "Two calls at once ran unasked", ran);
    if (expected.kind !== "new question") return;
    const ids = outcomes.map((outcome) =>
      outcome !== "dead" && "failed" in outcome ? String(outcome.failed.detail.pending_id) : "",
    );
    check(
      ids[0] !== "" && ids[0] === ids[1],
      "Two equal calls at once are two questions",
      outcomes,
    );
    model.ask(key, ids[0] ?? "", at);
  }

  /** One or two people decide, on the page of a question that may have ended. */
  async function decide(): Promise<void> {
    const all = [...model.calls];
    const open = all.filter(([, call]) => call.state === "open");
    // Most decisions are about what is open.
    const known = open.length > 0 && random() < 0.8 ? open : all;
    if (known.length === 0) return;
    const [key, asked] = pick(known);
    const states =
      random() < 0.15
        ? (["approved", "denied"] as const)
        : [random() < 0.12 ? ("denied" as const) : ("approved" as const)];
    const isLive = asked.state === "open" && asked.expiresAt > at;
    const decided = await Promise.all(
      states.map((state, index) =>
        putPendingDecision(pick(stores).db, {
          id: asked.id,
          state,
          at,
          by: `approver-${index}`,
          byEmail: `approver-${index}@example.com`,
          via: "page",
          comment: null,
          approvedUntil: at + pendingLimits.approvedMs,
          keepUntil: at + pendingLimits.keptMs,
        }),
      ),
    );
    const winners = states.filter((_, index) => decided[index]);
    check(winners.length === (isLive ? 1 : 0), "Not one decision took effect", { asked, decided });
    count(`${states.length} decisions, ${winners.length} in effect`);
    const [winner] = winners;
    if (winner !== undefined) model.decide(asked, key.split(" ")[0] ?? "", winner, at);
  }

  async function change(): Promise<void> {
    const what = isVisible ? pick(["row", "rule", "operation", "rights"] as const) : "rights";
    count(`change of the ${what}`);
    if (what === "rights") {
      isVisible = !isVisible;
      await setRowTags(db, rowId, isVisible ? ["team"] : [], at);
      return;
    }
    version += 1;
    model.basis = version;
    if (what === "row") {
      await putRowValues(
        db,
        rowId,
        [{ key: "place", value: `place ${version}`, sealed: null }],
        at,
      );
    } else if (what === "rule") {
      ruleRevision += 1;
      await setRule();
    } else {
      operationVersion = version;
      for (const { hub } of servers) hub.registry.replace(makeConnector());
    }
  }

  /** The jobs of a server: none of them changes what a repeat is answered, but that what is hidden ends. */
  async function runJobs(): Promise<void> {
    count("jobs");
    await expirePendingCalls(db, at);
    await markUnknownCalls(db, at);
    await endForbiddenCalls(db, { localUserId: "local", at });
    if (isVisible) return;
    for (const call of model.calls.values()) {
      if (call.state === "open" || call.state === "approved") call.state = "ended";
    }
  }

  /** Closed at the end only: a server that has died does nothing more. */
  const dead: (typeof servers)[number][] = [];

  async function bury(server: (typeof servers)[number]): Promise<void> {
    await removeInstances(db, [server.instanceId]);
    await markUnknownCalls(db, at);
    const index = servers.indexOf(server);
    const store = stores[index];
    if (store === undefined) throw new Error("There is no such server");
    dead.push(server);
    servers[index] = await openServer(store, index);
  }

  return {
    async step() {
      at += Math.floor(random() * 2 * minuteMs);
      const choice = random();
      if (choice < 0.42) return await makeCall(null);
      if (choice < 0.5) return await makeCall(isVisible ? pick(deaths) : null);
      if (choice < 0.6) return await callTwice();
      if (choice < 0.86) return await decide();
      if (choice < (isVisible ? 0.9 : 0.95)) return await change();
      if (choice < 0.97) return await runJobs();
      at += pick([10, 20, 70]) * minuteMs;
    },
    report: (): TrialReport => ({ runs: runs.length, counts }),
    async close() {
      for (const { hub } of [...servers, ...dead]) await hub.close();
    },
  };
}

const trialDefinition = defineConnector({
  key: "trial",
  name: "Trial",
  icon: "box",
  tier: "builtin",
  description: "Acts.",
  config: { Place: wick("default=home") },
  operations: {},
});

/** Equal numbers for equal seeds. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
