/**
 * Values of every kind of field are the same after a save and a read over the API. No answer contains a
 * secret. A required field that `visible_when` hides is not missing.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createLocalConnector } from "@hub/server/connectors/local-connector.ts";
import { amount } from "@hub/server/lib/testing/amount.ts";
import { toStorableText } from "@hub/server/store/database/storable-text.ts";
import fc from "fast-check";
import { usesPostgres } from "../support/test-database.ts";
import {
  type FieldCase,
  type FieldValue,
  fieldCases,
  findMissingKeys,
  secretMark,
  toFieldConnector,
} from "./field-cases.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(180_000);

let hub: ApiHub;
let admin: Awaited<ReturnType<ApiHub["addUser"]>>;
beforeAll(async () => {
  hub = await openApiHub();
  admin = await hub.addUser("root@example.com", { admin: true });
});
afterAll(() => hub[Symbol.asyncDispose]());

/** Sends a body of JSON text. Long numbers in the parsed answer are strings of their digits. */
async function request(method: string, path: string, body?: string) {
  const response = await fetch(`${hub.url}/manager/api${path}`, {
    method,
    headers: { ...admin.headers, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  expect([path, response.ok, text]).toEqual([path, true, text]);
  expect(text).not.toContain(secretMark);
  return { text, value: parseExactly(text) };
}

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
function parseExactly(text: string): any {
  // TypeScript's own types do not have the third parameter yet.
  const keepDigits = (_: string, value: unknown, { source }: { source: string }) =>
    typeof value === "number" ? toPlainNumber(source) : value;
  return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
}

/** PostgreSQL does not store every character of a text. In the JSON of a list they are escaped. */
const toStored = (value: unknown) =>
  usesPostgres && typeof value === "string" ? toStorableText(value) : value;

/** Numbers of 16 digits and more keep their digits; others become their usual form. */
function toPlainNumber(source: string): string {
  return /^-?\d{16,}$/.test(source) ? source : `${Number(source)}`;
}

const toValues = (entries: (readonly [FieldCase, FieldValue])[]) =>
  `{${entries.map(([{ key }, { sent }]) => `"${key}":${sent}`).join(",")}}`;

/** Compares the row, as the API returns it, with the saved values. */
async function checkRow(
  id: string,
  cases: readonly FieldCase[],
  pick: (one: FieldCase) => FieldValue | null,
  { areDefaultsStored }: { areDefaultsStored: boolean },
) {
  const { value: settings } = await request("GET", `/rows/${id}/settings`);
  expect(settings.missing.toSorted()).toEqual(findMissingKeys(cases, pick));
  const fields = settings.groups.flatMap((group: { fields: object[] }) => group.fields);
  const shown = cases.filter((one) => !one.hidden);
  expect(fields.map((field: { key: string }) => field.key).toSorted()).toEqual(
    shown.map(({ key }) => key).toSorted(),
  );
  for (const one of shown) {
    const field = fields.find(({ key }: { key: string }) => key === one.key);
    const isSet = pick(one) !== null || (areDefaultsStored && one.hasDefault);
    expect([one.key, field.is_set, field.secret]).toEqual([one.key, isSet, one.secret]);
    if (one.secret) expect(field.value).toBeNull();
  }
  if (settings.missing.length > 0) return;
  const { value } = await request("POST", `/rows/${id}/operations/echo/test`, '{"params":{}}');
  for (const one of cases) {
    const given = pick(one);
    const got = value.result.config[one.name];
    if (given === null && one.hasDefault) expect(got).toBeDefined();
    else if (given === null) expect(got).toBeUndefined();
    else if (one.secret) expect(got).toStartWith("hub_enc_");
    else expect([one.key, got]).toEqual([one.key, toStored(parseExactly(given.got))]);
  }
}

let connectors = 0;

test("Fields saved together or one at a time keep their values, and no answer contains a secret", async () => {
  await fc.assert(
    fc.asyncProperty(fieldCases, async (cases) => {
      const connector = `fields_${++connectors}`;
      const definition = toFieldConnector(connector, cases);
      hub.hub.registry.register(createLocalConnector(definition, () => ({})));

      const given = cases.flatMap((one) => (one.first === null ? [] : [[one, one.first] as const]));
      const made = await request(
        "POST",
        "/rows",
        `{"connector":"${connector}","label":"Row","values":${toValues(given)}}`,
      );
      const { id } = made.value;
      await checkRow(id, cases, (one) => one.first, { areDefaultsStored: true });

      let version = made.value.version;
      for (const one of cases) {
        const value = one.second?.sent ?? '""';
        const saved = await request(
          "PUT",
          `/rows/${id}/fields/${one.key}`,
          `{"value":${value},"version":${version}}`,
        );
        version = saved.value.version;
      }
      // An emptied field has no stored value; its default applies.
      await checkRow(id, cases, (one) => one.second, { areDefaultsStored: false });
      await request("GET", `/rows/${id}`);
      hub.hub.registry.unregister(connector);
    }),
    { numRuns: amount(15, 40) },
  );
});
