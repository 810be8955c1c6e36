import { defineConnector, wick } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { authenticateBearer } from "../../identity/authenticate-bearer.ts";
import { findCaller } from "../../identity/find-caller.ts";
import { createPersonalToken } from "../../identity/personal-token.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { deleteRow, insertRow, setRowTags, updateRow } from "../../store/rows/rows-table.ts";
import { setOperationState, setTypeState } from "../../store/rows/switches.ts";
import { newRow, newToken, newUser } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { insertToken } from "../../store/users/tokens-table.ts";
import { insertUser, setUserTags, updateUser } from "../../store/users/users-table.ts";
import { openTestOperations } from "./open-test-operations.ts";
import { type Change, operations, type VisibilityCase } from "./visibility-cases.ts";
import type { ModelRow, ModelUser, ModelWorld } from "./visibility-model.ts";

/** A user in the store, and the model of that user. */
export type WorldUser = { model: ModelUser; enter(): Promise<Array<Caller | null>> };

/** A row that is or was in the store. Its model is null after it is deleted. */
export type WorldRow = { id: string; label: string; model: ModelRow | null };

export type VisibilityWorld = Awaited<ReturnType<typeof openVisibilityWorld>>;

/**
 * Puts the same users, rows and states into a real store and into the model. Changes go through a
 * second store, as from another process.
 */
export async function openVisibilityWorld(start: VisibilityCase) {
  /** The markers of the calls that reached their operation. */
  const reached: Set<string> = new Set();
  const beta = defineKind("beta", reached);
  const hub = await openTestOperations(defineKind("alpha", reached), { others: [beta] });
  const other = await openTestStore({ dataDir: hub.dataDir });
  const users: WorldUser[] = [];
  const rows: WorldRow[] = [];
  const model: ModelWorld = {
    registered: new Map([
      ["alpha", operations],
      ["beta", operations],
    ]),
    disabledTypes: new Set(),
  };

  async function addUser(user: ModelUser): Promise<void> {
    const names = { email: `user${users.length}@example.com`, name: `User ${users.length}` };
    const { id } = await insertUser(other.db, newUser({ ...user, ...names }));
    const { token, tokenHash, lastFour } = createPersonalToken();
    await insertToken(other.db, { ...newToken(id, 0), tokenHash, lastFour });
    const { reads } = hub.store;
    users.push({
      model: { ...user },
      enter: () =>
        Promise.all([
          authenticateBearer({ reads, now: Date.now, recordUse: () => {} }, token, "checked"),
          findCaller({ reads }, id),
        ]),
    });
    ids.push(id);
  }
  const ids: string[] = [];

  async function addRow(row: ModelRow): Promise<void> {
    const id = crypto.randomUUID();
    // Pairs of rows share a label, and all rows share a word.
    const label = `zebra ${Math.floor(rows.length / 2)}`;
    await transaction(other.db, async (trx) => {
      const { connector: connectorKey, tags } = row;
      await insertRow(trx, newRow({ id, connectorKey, label, tags, tests: row.tests }));
      await updateRow(trx, id, { disabled: row.disabled }, Date.now());
      for (const [key, isEnabled] of Object.entries(row.states)) {
        await setOperationState(trx, id, key, isEnabled, Date.now());
      }
    });
    rows.push({ id, label, model: { ...row, states: { ...row.states } } });
  }

  async function apply(change: Change): Promise<void> {
    switch (change.kind) {
      case "user":
        return await changeUser(change);
      case "add-row":
        return await addRow(change.row);
      case "type":
        setMember(model.disabledTypes, change.key, change.disabled);
        return await setTypeState(other.db, change.key, change.disabled);
      case "registration":
        return register(change.isRegistered);
      default:
        return await changeRow(other.db, pick(rows, change.index), change);
    }
  }

  async function changeUser({ index, to }: Extract<Change, { kind: "user" }>): Promise<void> {
    const user = pick(users, index);
    const id = pick(ids, index);
    const { tags, ...rest } = to;
    Object.assign(user.model, to);
    if (tags !== undefined) await setUserTags(other.db, id, tags, Date.now());
    else await updateUser(other.db, id, rest, Date.now());
  }

  function register(isRegistered: boolean): void {
    if (isRegistered === model.registered.has("beta")) return;
    if (isRegistered) {
      model.registered.set("beta", operations);
      hub.registry.register(createLocalConnector(beta, () => ({})));
    } else {
      model.registered.delete("beta");
      hub.registry.unregister("beta");
    }
  }

  for (const user of start.users) await addUser(user);
  for (const row of start.rows) await addRow(row);
  return {
    operations: hub.operations,
    model,
    users,
    rows,
    reached,
    async apply(change: Change) {
      await apply(change);
      await nextTurn();
    },
    async removeRow(row: WorldRow) {
      await changeRow(other.db, row, { kind: "delete-row" });
      await nextTurn();
    },
    async close() {
      await other.close();
      await hub.close();
    },
  };
}

/** What another process commits is seen by the requests of the next turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

type RowChange =
  | { kind: "delete-row" }
  | Omit<Extract<Change, { kind: "row" }>, "index">
  | Omit<Extract<Change, { kind: "operation" }>, "index">;

/** A change to a deleted row does nothing. */
async function changeRow(db: Db, row: WorldRow, change: RowChange): Promise<void> {
  const { id, model } = row;
  if (model === null) return;
  if (change.kind === "delete-row") {
    row.model = null;
    await deleteRow(db, id);
  } else if (change.kind === "operation") {
    model.states[change.key] = change.enabled;
    await setOperationState(db, id, change.key, change.enabled, Date.now());
  } else {
    const { tags, disabled, tests } = change.to;
    Object.assign(model, change.to);
    if (tags !== undefined) await setRowTags(db, id, tags, Date.now());
    if (disabled !== undefined) await updateRow(db, id, { disabled }, Date.now());
    if (tests !== undefined) await updateRow(db, id, { tests }, Date.now());
  }
}

function defineKind(key: string, reached: Set<string>) {
  const entries = Object.entries(operations).map(([name, flags]) => [
    name,
    {
      description: `The operation ${name} of ${key}.`,
      ...flags,
      reads: name === "read",
      input: { Marker: wick("required") },
      run({ params }: { params: { Marker: string } }) {
        reached.add(params.Marker);
        return { marker: params.Marker };
      },
    },
  ]);
  return defineConnector({
    key,
    name: `Kind ${key}`,
    icon: "box",
    tier: "builtin",
    description: "A connector for tests.",
    config: {},
    operations: Object.fromEntries(entries),
  });
}

function pick<T>(list: readonly T[], index: number): T {
  const found = list[index % list.length];
  if (found === undefined) throw new Error("The list is empty.");
  return found;
}

function setMember<T>(set: Set<T>, member: T, isIn: boolean): void {
  if (isIn) set.add(member);
  else set.delete(member);
}
