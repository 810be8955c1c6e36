import { toJsonText } from "@hub/connector";
import type { Principal } from "../../../caller.ts";
import {
  endForbiddenCalls,
  expirePendingCalls,
  markUnknownCalls,
} from "../../../store/pending/end-pending-calls.ts";
import { putPendingDecision } from "../../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { digestRequest } from "../../calls/call-digest.ts";
import { pendingLimits } from "../pending-limits.ts";
import { type ModelCall, PendingModel } from "./pending-model.ts";
import type { Death, TrialHub } from "./trial-hub.ts";

const principals = [
  { kind: "stdio", id: "" },
  { kind: "session", id: "" },
] as const satisfies readonly Principal[];
const texts = ["a", "b", "c"];

type Outcome = Awaited<ReturnType<TrialHub["call"]>>;

/** The steps of a trial. Each compares what has happened with the model. */
export function createTrialSteps(hub: TrialHub, random: () => number, seed: number) {
  const { db, clock, runs, ring, toolId } = hub;
  const model = new PendingModel();
  const counts: Record<string, number> = {};
  let version = 0;
  let isVisible = true;

  const pick = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("Nothing to pick");
    return item;
  };

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
    const { at } = clock;
    const server = pick(hub.servers);
    const principal = pick(principals);
    const text = pick(texts);
    const key = toKey(principal, text);
    const before = runs.length;
    const last = model.calls.get(key);
    const isById = last !== undefined && random() < 0.3;
    const expected = model.expect(key, principal.kind, at, isById);
    const request = isById ? { pendingId: last.id } : { text };
    const outcome = await hub.call(server, principal, request, death);
    const ran = runs.slice(before);
    const code = codeOf(outcome);
    if (!isVisible) {
      check(code === "not_found" && ran.length === 0, "A hidden row answered", { code, ran });
      return count("hidden");
    }
    count(outcome === "dead" ? `killed ${death}` : expected.kind);
    if (outcome === "dead") {
      await hub.bury(server);
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
    const { at } = clock;
    const principal = pick(principals);
    const text = pick(texts);
    const key = toKey(principal, text);
    const before = runs.length;
    const expected = model.expect(key, principal.kind, at);
    const outcomes = await Promise.all(
      hub.servers.map((server) => hub.call(server, principal, { text })),
    );
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
    const { at } = clock;
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
        putPendingDecision(pick(hub.stores).db, {
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
      await hub.setVisible(isVisible);
      return;
    }
    version += 1;
    model.basis = version;
    await hub.change(what, version);
  }

  /** The jobs of a server: none of them changes what a repeat is answered, but that what is hidden ends. */
  async function runJobs(): Promise<void> {
    count("jobs");
    await expirePendingCalls(db, clock.at);
    await markUnknownCalls(db, clock.at);
    await endForbiddenCalls(db, { localUserId: "local", at: clock.at });
    if (isVisible) return;
    for (const call of model.calls.values()) {
      if (call.state === "open" || call.state === "approved") call.state = "ended";
    }
  }

  return { pick, counts, isVisible: () => isVisible, makeCall, callTwice, decide, change, runJobs };
}
