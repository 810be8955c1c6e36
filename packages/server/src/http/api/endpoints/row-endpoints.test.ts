import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTestServices } from "../../../services/testing/open-test-services.ts";
import { createApiRequest } from "../../testing/api-request.ts";
import { generateRowField, saveRowField } from "./row-endpoints.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

describe.each([
  ["saving a field", saveRowField, { value: "x" }],
  ["generating a field", generateRowField, {}],
])("%s", (_, endpoint, more) => {
  const field = "hook_key";

  async function ask(row: string, version: number): Promise<Response> {
    const body = JSON.stringify({ ...more, version });
    const params = { row, field };
    return await endpoint.respond(createApiRequest({ services: hub.deps, params, body }).req);
  }

  const findField = (settings: unknown) =>
    Object(settings)
      .groups.flatMap((group: { fields: unknown[] }) => group.fields)
      .find(({ key }: { key: string }) => key === field);

  test("The answer contains the settings after the change", async () => {
    const { id, version } = await hub.admin.rows.add({ connector: "tracker", label: "Saved" });
    const settings = Object(await (await ask(id, version)).json());
    expect(settings.version).toBeGreaterThan(version);
    expect(findField(settings)).toMatchObject({ is_set: true, value: null });
  });

  test("A change with an old version gets conflict and changes nothing", async () => {
    const { id, version } = await hub.admin.rows.add({ connector: "tracker", label: "Kept" });
    await expect(ask(id, version + 1)).rejects.toMatchObject({ code: "conflict" });
    const settings = await hub.admin.rows.settings(id);
    expect(settings.version).toBe(version);
    expect(findField(settings)).toMatchObject({ is_set: false });
  });
});
