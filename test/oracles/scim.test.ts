/** SCIM with an independent checker, `scim2-tester`, which sends every attribute that `/Schemas` names and expects it back. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { findPythonProgram } from "./support/python-packages.ts";

setDefaultTimeout(300_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  hub = owned.use(await startHub({ isHere: true }));
});

afterAll(() => owned.disposeAsync());

/** The checker, or why it is skipped. */
const checker = await findPythonProgram({
  program: "scim2",
  requirements: join(import.meta.dirname, "support", "scim2-requirements.txt"),
});
const title =
  "All checks of scim2-tester pass: discovery, create, find, replace, delete, and PATCH";
const testWithChecker = typeof checker === "string" ? test : test.skip;

testWithChecker(
  typeof checker === "string" ? title : `${title} (skipped: ${checker.reason})`,
  async () => {
    if (typeof checker !== "string") return;
    const made = await hub.cli("scim", "add", "Checker", "--json");
    const { token } = made.json<{ token: string }>();
    const address = `${hub.url}/scim/v2`;
    const args = ["-u", address, "-h", `Authorization: Bearer ${token}`, "test"];
    const child = Bun.spawn([checker, ...args], {
      stdout: "pipe",
      stderr: "pipe",
      stdin: "ignore",
    });
    const text = await new Response(child.stdout).text();
    const outcomes = text.split("\n").filter((line) => /^[A-Z]+ \w+$/.test(line));
    const failed = outcomes.filter((line) => !/^(?:SUCCESS|SKIPPED) /.test(line));
    expect(failed.length === 0 ? "" : text).toBe("");
    expect(outcomes.filter((line) => line.startsWith("SUCCESS ")).length).toBeGreaterThanOrEqual(
      60,
    );
    // A search over several types of resources in one request is not offered.
    expect([...new Set(outcomes.filter((line) => line.startsWith("SKIPPED ")))]).toEqual([
      "SKIPPED search_with_attributes",
    ]);
  },
);
