import { expect, test } from "bun:test";
import { createLocalCallCounts } from "../../store/call-counts-local.ts";
import { createWebhookPace } from "./webhook-pace.ts";

function openPace({ perMinute = 2, bytesPerDay = 0 } = {}) {
  let time = 0;
  const now = () => time;
  const counts = createLocalCallCounts({ now });
  const given = createWebhookPace({ counts, now, perMinute, bytesPerDay });
  const pace = {
    ...given,
    count: (workflow: typeof live, bytes = 10) => given.count(workflow, bytes),
  };
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

test("A workflow whose bodies of a day are used up refuses more of them, and small ones as long as they fit", async () => {
  const { pace, pass } = openPace({ perMinute: 0, bytesPerDay: 100_000 });
  await pace.count(live, 95_000);
  await expect(pace.count(live, 10_000)).rejects.toMatchObject({
    code: "rate_limited",
    message: "The workflow takes 100000 bytes of bodies a day. Send it again in 4320 s.",
    detail: { retry_after_s: 4_320 },
  });
  pace.checkBefore(live);
  for (let count = 0; count < 5; count += 1) await pace.count(live, 1_000);
  await expect(pace.count(live, 1_000)).rejects.toThrow("Send it again in 864 s");
  expect(() => pace.checkBefore(live)).toThrow(
    /100000 bytes of bodies a day. Send it again in 60 s/,
  );
  pass(864_000);
  pace.checkBefore(live);
  await pace.count(live, 1_000);
});
