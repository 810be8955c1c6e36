import { expect, test } from "bun:test";
import { hubsMax } from "../../lib/hub-path.ts";
import type { ListedCall, World } from "./call.ts";
import { hubPath } from "./not-looping.ts";

const world: World = {
  directory: { isTypeDisabled: () => false },
  registry: { isAwaited: () => false },
  hubId: "this",
  now: () => 0,
};
const row = {
  id: "00000000-0000-4000-8000-000000000001",
  connectorKey: "demo",
  owner: null,
  label: "Demo",
  disabled: false,
  tests: "admins" as const,
  tags: [],
  operationStates: {},
};
const caller = { role: "user", tags: new Set<string>() } as const;
const check = (hubs: readonly string[]) => {
  const call: ListedCall = { path: "client", caller, row, connector: null, hubs };
  const verdict = hubPath(world, call);
  return verdict.kind === "refuse" ? verdict.error.message : verdict.kind;
};
const others = (count: number) => Array.from({ length: count }, (_, at) => `hub ${at}`);

test("A call may come over eight hubs, but neither over more nor back to where it was", () => {
  expect(check([])).toBe("pass");
  expect(check(others(hubsMax))).toBe("pass");
  expect(check(others(hubsMax + 1))).toContain(`has passed ${hubsMax} hubs`);
  expect(check(["first", "this"])).toContain("has come back to the hub");
});
