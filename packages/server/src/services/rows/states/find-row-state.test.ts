import { expect, test } from "bun:test";
import { makeActivity, toRecord } from "../../../store/runs/row-activity.ts";
import { findOutcome, recordOutcome } from "../../../store/runs/run-outcomes.ts";
import { findRowState } from "./find-row-state.ts";
import type { Known } from "./known-row.ts";
import { toAdminState } from "./present-state.ts";

const facts: Known["facts"] = {
  connectorName: "HTTP",
  missing: [],
  lacksConnection: false,
  waiting: 0,
  enabled: { admin: 1, user: 1 },
  label: "row",
  text: "row",
};

type Run = {
  status: "success" | "error";
  code?: string;
  http?: number;
  unreached?: 1;
  key?: string;
};

/** What runs that ended one after the other leave behind. */
function after(...runs: Run[]) {
  const activity = makeActivity("r1");
  runs.forEach(({ status, code = null, http = null, unreached = null, key = "get" }, index) => {
    const run = {
      id: `${index}`,
      row_id: "r1",
      operation_key: key,
      status,
      error_code: code ?? (status === "error" ? "upstream_error" : null),
      http_status: http,
      unreached,
      latency_ms: 1,
      started_at: index,
      ended_at: index,
      health: null,
    };
    recordOutcome(activity, run, findOutcome(run));
  });
  return toRecord(activity);
}

const known = (part: Partial<Known> = {}): Known => ({
  facts,
  isDisabled: false,
  isTypeDisabled: false,
  lost: null,
  activity: null,
  ...part,
});
const stateOf = (...runs: Run[]) => findRowState(known({ activity: after(...runs) }));

const works = { status: "success" } as const;
const closed = { status: "error", unreached: 1 } as const;
const unauthorized = { status: "error", http: 401 } as const;
const broken = { status: "error", http: 500 } as const;

test("The first that applies is the state", () => {
  const worst = { ...facts, missing: ["token"], waiting: 1 };
  const activity = after(closed);
  expect(findRowState(known({ isTypeDisabled: true, facts: worst, activity }))).toBe("disabled");
  expect(findRowState(known({ facts: worst, activity }))).toBe("needs_setup");
  const review = { ...facts, waiting: 1 };
  expect(findRowState(known({ facts: review, activity }))).toBe("unreachable");
  expect(findRowState(known({ facts: review, activity: after(works) }))).toBe("needs_review");
  expect(findRowState(known({ activity, lost: { reason: "", at: 0 } }))).toBe("unreachable");
});

test.each([
  ["unused", []],
  ["ready", [works]],
  ["unreachable", [works, closed]],
  ["ready", [closed, works]],
  ["refused", [works, unauthorized]],
  ["refused", [{ status: "error", http: 403 }]],
  ["ready", [works, { status: "error", http: 403 }]],
  ["refused", [works, { status: "error", http: 403, key: "hub.health" }]],
  ["unreachable", [unauthorized, closed]],
  // The host answered, so it can be reached. That it works was not seen.
  ["unused", [closed, broken]],
  ["ready", [works, closed, broken]],
  ["failing", [works, { ...broken, key: "hub.health" }]],
  ["ready", [works, { status: "error", code: "invalid_params" }]],
  ["refused", [unauthorized, { status: "error", code: "invalid_params" }]],
] as [string, Run[]][])("%s: %j", (state, runs) => {
  expect(stateOf(...runs)).toBe(state as never);
});

test("A row fails from half of at least five calls in the last hour on", () => {
  const failing = (recentCalls: number, recentErrors: number) =>
    findRowState(known({ activity: { ...after(works), recentCalls, recentErrors } }));
  expect([failing(4, 4), failing(5, 2), failing(5, 3), failing(10, 5)]).toEqual([
    "ready",
    "ready",
    "failing",
    "failing",
  ]);
});

test("A lost connection is refused, and a later success does not hide it", () => {
  const lost = { reason: "It was revoked.", at: 1 };
  expect(findRowState(known({ lost, activity: after(works) }))).toBe("refused");
});

test("What began before the row's values changed says nothing", () => {
  const activity = { ...makeActivity("r1"), valid_from: 5 };
  const run = { id: "1", operation_key: "get", http_status: 401, started_at: 4, ended_at: 6 };
  recordOutcome(activity, run, "refused");
  expect(toRecord(activity).outcome).toBeNull();
  recordOutcome(activity, { ...run, started_at: 5 }, "refused");
  expect(toRecord(activity).outcome?.kind).toBe("refused");
});

test("An admin is not told to ask an admin", () => {
  const reason = (message: string) =>
    toAdminState("refused", { id: "r1", connectorKey: "mcp" }, known(), message).reason;
  const refused = "It refused the row's credentials.";
  expect(reason(`${refused} Ask an admin to check them.`)).toBe(refused);
  expect(reason(refused)).toBe(refused);
  expect(reason("Ask an admin to check the row. It says: no.")).toEndWith("It says: no.");
});
