import { expect, test } from "bun:test";
import { createLocalCallCounts } from "../../../store/limits/call-counts-local.ts";
import { createWebhookPace } from "./webhook-pace.ts";

function openPace(perMinute = 2) {
  let time = 0;
  const now = () => time;
  const pace = createWebhookPace({ counts: createLocalCallCounts({ now }), now, perMinute });
  const pass = (ms: number) => {
    time += ms;
  };
  return { pace, pass };
}

const live = { workflowId: "w1", isTest: false };

test("After the pace is used up, requests are refused before their body is read, until it is free", async () => {
  const { pace, pass } = openPace();
  await pace.count(live);
  await pace.count(live);
  // Not known yet: nothing was refused.
  pace.checkBefore(live);
  await expect(pace.count(live)).rejects.toMatchObject({
    code: "rate_limited",
    detail: { retry_after_s: 30 },
  });
  expect(() => pace.checkBefore(live)).toThrow(/2 requests a minute. Send it again in 30 s/);
  pace.checkBefore({ ...live, isTest: true });
  pace.checkBefore({ ...live, workflowId: "w2" });
  pass(29_999);
  expect(() => pace.checkBefore(live)).toThrow(/in 1 s/);
  pass(1);
  pace.checkBefore(live);
  await pace.count(live);
});

test("Requests that are refused before their body is read do not use up the pace", async () => {
  const { pace, pass } = openPace();
  for (let count = 0; count < 3; count += 1) await pace.count(live).catch(() => {});
  for (let count = 0; count < 100; count += 1) expect(() => pace.checkBefore(live)).toThrow();
  pass(30_000);
  pace.checkBefore(live);
  await pace.count(live);
});

test("A clock that was set back does not block a workflow", async () => {
  const { pace, pass } = openPace();
  for (let count = 0; count < 3; count += 1) await pace.count(live).catch(() => {});
  pass(-3_600_000);
  pace.checkBefore(live);
});
