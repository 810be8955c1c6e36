import { expect, test } from "bun:test";
import { describeTriggers } from "./describe-trigger.ts";

test("What starts a workflow is said in words, each once", () => {
  const cron = { type: "cron", words: "Every day at 03:00", schedule: "0 0 3 * * *" };
  const hook = { type: "webhook", words: null, schedule: null };
  expect(describeTriggers([cron, hook, hook])).toBe("Every day at 03:00, webhook");
  expect(describeTriggers([hook, hook, cron])).toBe("Webhook, Every day at 03:00");
  expect(describeTriggers([{ ...cron, words: null }])).toBe("0 0 3 * * *");
  const types = ["manual", "channel", "error", "webhook", "schedule_at"];
  expect(describeTriggers(types.map((type) => ({ ...hook, type })))).toEndWith(" and 2 more");
  expect(describeTriggers([])).toBe("");
});
