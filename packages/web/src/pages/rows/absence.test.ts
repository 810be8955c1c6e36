import { expect, test } from "bun:test";
import { toAbsence } from "./absence.ts";

test("A row without a connector says whether its plugin is not installed, disabled or refused", () => {
  const problem = "The program was changed.";
  const plugins = [
    undefined,
    { enabled: false, problem: null },
    { enabled: true, problem },
    { enabled: true, problem: null },
  ];
  expect(plugins.map((plugin) => toAbsence(plugin).short)).toEqual([
    "Not installed",
    "Plugin disabled",
    "Plugin fails",
    "Not ready",
  ]);
  expect(toAbsence({ enabled: true, problem }).advice).toBe(problem);
});
