import fc from "fast-check";
import type { ModelOperation, ModelRow, ModelUser } from "./visibility-model.ts";

/** The operations of every registered connector. */
export const operations: Record<string, ModelOperation> = {
  read: { configOnly: false, adminOnly: false },
  write: { configOnly: false, adminOnly: false },
  widget: { configOnly: true, adminOnly: false },
  upkeep: { configOnly: false, adminOnly: true },
  both: { configOnly: true, adminOnly: true },
};

/** A change by an admin. Users and rows are given by index, modulo their number. */
export type Change =
  | { kind: "user"; index: number; to: Partial<ModelUser> }
  | { kind: "row"; index: number; to: Partial<Pick<ModelRow, "tags" | "disabled" | "tests">> }
  | { kind: "add-row"; row: ModelRow }
  | { kind: "delete-row"; index: number }
  | { kind: "operation"; index: number; key: string; enabled: boolean }
  | { kind: "type"; key: string; disabled: boolean }
  | { kind: "registration"; isRegistered: boolean };

export type VisibilityCase = { users: ModelUser[]; rows: ModelRow[]; changes: Change[] };

const tags = fc.subarray(["red", "green", "blue", "everyone"]);
const operationKey = fc.constantFrom(...Object.keys(operations));
const index = fc.nat({ max: 9 });

const user: fc.Arbitrary<ModelUser> = fc.record({
  role: fc.constantFrom("admin", "user", "user", "user"),
  status: fc.constantFrom("active", "active", "active", "pending", "disabled"),
  tags,
});

const row: fc.Arbitrary<ModelRow> = fc.record({
  // `ghost` is a connector that this process does not have.
  connector: fc.constantFrom("alpha", "alpha", "beta", "ghost"),
  tags,
  disabled: fc.constantFrom(false, false, false, true),
  tests: fc.constantFrom("admins", "tag"),
  states: fc.dictionary(operationKey, fc.boolean(), { maxKeys: 3, noNullPrototype: true }),
});

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("user" as const),
    index,
    to: user.chain(({ role, status, tags: given }) =>
      fc.constantFrom<Partial<ModelUser>>({ role }, { status }, { tags: given }),
    ),
  }),
  fc.record({
    kind: fc.constant("row" as const),
    index,
    to: fc.oneof(
      fc.record({ tags }),
      fc.record({ disabled: fc.boolean() }),
      fc.record({ tests: fc.constantFrom("admins" as const, "tag" as const) }),
    ),
  }),
  fc.record({ kind: fc.constant("add-row" as const), row }),
  fc.record({ kind: fc.constant("delete-row" as const), index }),
  fc.record({
    kind: fc.constant("operation" as const),
    index,
    key: operationKey,
    enabled: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant("type" as const),
    key: fc.constantFrom("alpha", "beta", "ghost"),
    disabled: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("registration" as const), isRegistered: fc.boolean() }),
);

export const visibilityCases: fc.Arbitrary<VisibilityCase> = fc.record({
  users: fc.array(user, { minLength: 1, maxLength: 3 }),
  rows: fc.array(row, { minLength: 1, maxLength: 5 }),
  changes: fc.array(change, { maxLength: 8 }),
});
