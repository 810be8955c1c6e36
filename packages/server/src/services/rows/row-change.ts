import { rowAccessSchema, rowTestsSchema } from "@hub/contract/row.ts";
import { z } from "zod";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { HubError } from "../../errors.ts";
import {
  descriptionSchema,
  lineSchema,
  tagsSchema,
  toBadRequest,
} from "../../lib/input/check-input.ts";
import type { Db } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { updateRow } from "../../store/rows/rows-table.ts";
import { hasSameTags } from "../../store/tags/tag-change.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { type FieldTexts, toFieldTexts } from "./row-values.ts";

/** By field key. Text, or for numbers, booleans and lists the value itself. */
export const valuesSchema = z.record(z.string(), z.unknown());

/** The changeable parts of a row; missing members stay as they are. */
export const rowChangeSchema = z.strictObject({
  label: lineSchema(100).optional(),
  description: descriptionSchema.optional(),
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  addTags: tagsSchema.default([]),
  removeTags: tagsSchema.default([]),
  tests: rowTestsSchema.optional(),
  access: rowAccessSchema.optional(),
  /** An empty text unsets a field. */
  values: valuesSchema.default({}),
  /** `regen` fields to fill with a fresh value. */
  regenerate: z.array(z.string()).default([]),
  /** The version that the caller read. If the row is newer, nothing is changed. */
  version: z.int().optional(),
});

export type RowChangeInput = z.input<typeof rowChangeSchema>;
type RowChange = z.output<typeof rowChangeSchema>;

/** Refuses the second of two concurrent changes, so that the first is not lost. */
export function checkVersion(row: RowRecord, version: number | undefined): void {
  if (version === undefined || version === row.version) return;
  throw new HubError(
    "conflict",
    `"${row.label}" has changed since you read it. Read it again, then repeat your change.`,
    { detail: { version: row.version } },
  );
}

/** Writes the label, the description and who may test it, if given. */
export async function updateNames(
  db: Db,
  row: RowRecord,
  change: RowChange,
  at: number,
): Promise<void> {
  const { label, description, tests, access } = change;
  if (
    label === undefined &&
    description === undefined &&
    tests === undefined &&
    access === undefined
  )
    return;
  const names = {
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(tests !== undefined && { tests }),
    ...(access !== undefined && { access }),
  };
  await updateRow(db, row.id, names, at);
}

/** Label, tags and who may test it before and after. Of values only the names, since any value may be a secret. */
export function toRowChangeDetail(
  row: RowRecord,
  { label, description, tests, access }: RowChange,
  tags: readonly string[],
  texts: FieldTexts,
): Record<string, unknown> {
  return {
    ...(label !== undefined && label !== row.label && { label: { from: row.label, to: label } }),
    ...(description !== undefined && description !== row.description && { description: true }),
    ...(tests !== undefined && tests !== row.tests && { tests: { from: row.tests, to: tests } }),
    ...(access !== undefined &&
      access !== row.access && { access: { from: row.access, to: access } }),
    ...(!hasSameTags(tags, row.tags) && { tags: { from: row.tags, to: tags } }),
    ...(texts.size > 0 && { fields: [...texts.keys()] }),
  };
}

/** Called before the transaction, because a generator may be slow. */
export async function toChangedTexts(
  registry: ConnectorRegistry,
  connectorKey: string,
  { values, regenerate }: RowChange,
): Promise<FieldTexts> {
  if (Object.keys(values).length + regenerate.length === 0) return new Map();
  const connector = findConnector(registry, connectorKey);
  const texts = new Map(toFieldTexts(connector.configFields, values));
  const locked = connector.configFields.filter((field) => field.locked && texts.has(field.key));
  if (locked.length > 0) {
    throw toBadRequest(
      locked.map(({ key }) => ({
        path: key,
        message: "cannot be changed after the row is created",
      })),
    );
  }
  for (const key of regenerate) {
    const field = connector.configFields.find((candidate) => candidate.key === key);
    if (field?.regen !== true || connector.generate === undefined) {
      throw toBadRequest([{ path: key, message: "has no generator; give it a value instead" }]);
    }
    texts.set(key, await connector.generate(key));
  }
  return texts;
}
