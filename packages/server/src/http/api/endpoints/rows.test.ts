import { describe, expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { createApiRequest } from "../../testing/api-request.ts";
import { generateRowField, saveRowField } from "./rows.ts";

const id = "0b9a6f1e-3c4d-4e5f-8a6b-7c8d9e0f1a2b";

/** The verbs on rows, which note when they begin and end. */
function openRows(failure: unknown = null) {
  const steps: unknown[] = [];
  const rows = {
    async set(...given: unknown[]) {
      steps.push(given);
      await Promise.resolve();
      if (failure !== null) throw failure;
      steps.push("set");
    },
    async settings(row: string) {
      steps.push(`settings of ${row}`);
      throw new Error("no more is needed");
    },
  };
  return { steps, manager: { rows } };
}

describe.each([
  ["saving a field", saveRowField, { value: "x" }, { values: { token: "x" } }],
  ["generating a field", generateRowField, {}, { regenerate: ["token"] }],
])("%s", (_, endpoint, more, change) => {
  const params = { row: id, field: "token" };
  const body = JSON.stringify({ ...more, version: 3 });

  test("answers with the settings as they are after it", async () => {
    const { steps, manager } = openRows();
    const { req } = createApiRequest({ manager, params, body });
    await expect(endpoint.respond(req)).rejects.toThrow("no more is needed");
    expect(steps).toEqual([[id, { ...change, version: 3 }], "set", `settings of ${id}`]);
  });

  test("answers with why it was not done, and reads nothing", async () => {
    const conflict = new HubError("conflict", "It has moved on.");
    const { steps, manager } = openRows(conflict);
    const { req } = createApiRequest({ manager, params, body });
    await expect(endpoint.respond(req)).rejects.toBe(conflict);
    expect(steps).toHaveLength(1);
  });
});
