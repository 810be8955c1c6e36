import { expect, test } from "bun:test";
import { describePayload, describeTriggerTypes } from "./payload-schemas.ts";

test("Each type of trigger has a schema of its fields and of its payload", () => {
  const types = describeTriggerTypes();
  const names = types.map(({ type }) => String(type)).toSorted();
  expect(names).toEqual(["channel", "cron", "error", "manual", "schedule_at", "webhook"]);
  for (const { type, fields, payload } of types) {
    expect(JSON.stringify(fields)).toContain(`"const":"${type}"`);
    expect(payload).toMatchObject({ type: "object" });
  }
  const error = types.find(({ type }) => type === "error");
  expect(error?.payload).toMatchObject({
    required: ["run_id", "workflow_id", "error", "node_id", "severity", "depth", "event"],
  });
});

test("The payload of a manual trigger has the fields of its form", () => {
  expect(describePayload({ type: "manual", id: "start" })).toEqual({ type: "object" });
  const input = [{ name: "MaxRetries", type: "integer" as const, tag: "required" }];
  expect(describePayload({ type: "manual", id: "start", input })).toMatchObject({
    properties: { max_retries: { type: "integer" } },
    required: ["max_retries"],
  });
  expect(describePayload({ type: "cron", id: "tick" })).toMatchObject({
    properties: { caught_up: { type: "boolean" } },
  });
});
