import { expect, test } from "bun:test";
import type { StoredOperation } from "../../store/rows/row-operations-table.ts";
import { toOperations } from "./row-operation.ts";

/** With outputs for every second operation, and a schema of about 1 KiB. */
function toStored(at: number): StoredOperation {
  const properties = Object.fromEntries(
    Array.from({ length: 20 }, (_, number) => [`field_${number}_of_${at}`, { type: "string" }]),
  );
  return {
    key: `op_${at}`,
    sourceName: `Op ${at}`,
    approvedAt: 1,
    pending: null,
    goneAt: null,
    definition: {
      name: `Op ${at}`,
      description: "",
      destructive: false,
      idempotent: false,
      inputSchema: JSON.stringify({ type: "object", properties }),
      outputSchema: at % 2 === 0 ? JSON.stringify({ type: "array", title: `List ${at}` }) : null,
      binding: JSON.stringify({ path: `/things/${at}` }),
    },
  };
}

test("Each operation of a large row has its own schemas and binding, and others get turns meanwhile", async () => {
  const stored = Array.from({ length: 1_000 }, (_, at) => toStored(at));
  let pauses = 0;
  const operations = await toOperations(stored, async () => {
    pauses += 1;
  });
  expect([...operations.keys()]).toEqual(stored.map(({ key }) => key));
  expect(pauses).toBe(5);
  for (const at of [0, 1, 30, 31, 32, 500, 999]) {
    const operation = operations.get(`op_${at}`);
    expect(operation?.inputFields.map(({ key }) => key)).toContain(`field_19_of_${at}`);
    expect(operation?.outputSchema).toEqual(
      at % 2 === 0 ? { type: "array", title: `List ${at}` } : undefined,
    );
    expect(operation?.fromRow?.readRowOperation()).toMatchObject({
      sourceName: `Op ${at}`,
      binding: { path: `/things/${at}` },
    });
  }
});
