import { expect, test } from "bun:test";
import { applyRunSettings, readRunSettings } from "./run-settings.ts";

test("Settings that a draft leaves out show their defaults, and broken ones are shown as they are", () => {
  expect(readRunSettings({})).toEqual({
    policy: "parallel",
    runsAtOnce: "8",
    waitingMax: "1000",
    timeoutS: "600",
    severity: "error",
    env: [],
  });
  expect(readRunSettings(null).policy).toBe("parallel");
  expect(readRunSettings({ settings: { timeout_s: "soon", queue: 7 } }).timeoutS).toBe("soon");
});

test("A change is put into the body of the draft, and everything else of it stays", () => {
  const body = {
    nodes: [1],
    settings: { queue: { policy: "queue" }, env: { A: "1" }, extra: true },
  };
  expect(applyRunSettings(body, { waitingMax: " 5 ", timeoutS: "soon" })).toEqual({
    nodes: [1],
    settings: {
      queue: { policy: "queue", waiting_max: 5 },
      env: { A: "1" },
      extra: true,
      timeout_s: "soon",
    },
  });
  expect(body.settings.queue).toEqual({ policy: "queue" } as never);
  expect(applyRunSettings(body, {})).toEqual(body);
});

test("Environment values without a name are left out", () => {
  const env = [
    { name: "A", value: "1" },
    { name: "", value: "lost" },
  ];
  expect(applyRunSettings({}, { env })).toEqual({ settings: { env: { A: "1" } } });
});
