import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { newRow } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import {
  claimRefresh,
  deleteRowConnection,
  findRowConnection,
  listSealedConnections,
  loseRowConnection,
  putRefreshedTokens,
  putRowConnection,
  type RowConnection,
  releaseRefresh,
  replaceSealedConnections,
} from "./row-connections.ts";
import { putRowConnect, takeRowConnect } from "./row-connects.ts";
import { deleteRow, findRow, insertRow } from "./rows-table.ts";

function newConnection(rowId: string): RowConnection {
  return {
    rowId,
    id: "connection",
    tokensId: "first",
    sealed: new Uint8Array([1, 2]),
    issuer: "https://as.example",
    address: "https://mcp.example/mcp",
    scope: "read write",
    connectedAt: 5,
    expiresAt: 3600,
    renewAt: 3540,
    canRenew: true,
    lost: null,
  };
}

const renewed = {
  tokensId: "second",
  sealed: new Uint8Array([3]),
  scope: "read",
  expiresAt: null,
  renewAt: null,
  canRenew: false,
};

/** The OAuth connections of rows. */
export function describeRowConnections(stores: () => TestStores): void {
  async function connect() {
    const { db } = stores().store;
    const { id: rowId, version } = await insertRow(db, newRow());
    const connection = newConnection(rowId);
    await transaction(db, (trx) => putRowConnection(trx, connection));
    return { db, rowId, connection, version };
  }
  const claimOf = (rowId: string, refreshId: string, tokensId = "first") => ({
    rowId,
    refreshId,
    tokensId,
  });
  const time = { now: 100, until: 200 };

  test("A connection is stored with its row, which has another version and the connection's id", async () => {
    const { db, rowId, connection, version } = await connect();
    expect(await findRowConnection(db, rowId)).toEqual(connection);
    expect(await findRow(db, rowId)).toMatchObject({
      connectionId: "connection",
      version: version + 1,
    });
    const again = { ...connection, id: "again", tokensId: "other" };
    await transaction(db, (trx) => putRowConnection(trx, again));
    expect(await findRowConnection(db, rowId)).toEqual(again);
    expect(await transaction(db, (trx) => deleteRowConnection(trx, rowId, 9))).toBe(true);
    expect(await transaction(db, (trx) => deleteRowConnection(trx, rowId, 9))).toBe(false);
    expect(await findRowConnection(db, rowId)).toBeNull();
    expect(await findRow(db, rowId)).toMatchObject({ connectionId: null, version: version + 3 });
  });

  test("A row's connection and its sign-ins are deleted with the row", async () => {
    const { db, rowId } = await connect();
    const stateHash = new Uint8Array([7]);
    const begun = { stateHash, rowId, sessionId: "s", sealed: stateHash, expiresAt: 50 };
    await putRowConnect(db, begun, 1);
    await deleteRow(db, rowId);
    expect(await findRowConnection(db, rowId)).toBeNull();
    expect(await takeRowConnect(db, stateHash)).toBeNull();
  });

  test("One of many claims gets the refresh, and another one after its time or its release", async () => {
    const { db, rowId } = await connect();
    const ids = ["a", "b", "c", "d"];
    const claim = (id: string, at = time) => claimRefresh(db, claimOf(rowId, id), at);
    const claimed = await Promise.all(ids.map((id) => claim(id)));
    expect(claimed.filter(Boolean)).toHaveLength(1);
    const holder = ids[claimed.indexOf(true)] ?? "";
    expect(await claim("e", { now: 200, until: 300 })).toBe(false);
    expect(await claim("e", { now: 201, until: 300 })).toBe(true);
    await releaseRefresh(db, claimOf(rowId, holder));
    expect(await claim("f", { now: 202, until: 300 })).toBe(false);
    await releaseRefresh(db, claimOf(rowId, "e"));
    expect(await claim("f", { now: 202, until: 300 })).toBe(true);
    expect(await claimRefresh(db, claimOf(rowId, "g", "other"), { now: 999, until: 1 })).toBe(
      false,
    );
  });

  test("Refreshed tokens replace those that were refreshed, and no others", async () => {
    const { db, rowId, connection } = await connect();
    const store = (tokensId: string) =>
      transaction(db, (trx) => putRefreshedTokens(trx, claimOf(rowId, "a", tokensId), renewed));
    expect(await store("other")).toBe(false);
    expect(await findRowConnection(db, rowId)).toEqual(connection);
    expect(await store("first")).toBe(true);
    expect(await findRowConnection(db, rowId)).toEqual({ ...connection, ...renewed });
    expect(await store("first")).toBe(false);
    // A later refresh can be claimed at once.
    expect(await claimRefresh(db, claimOf(rowId, "b", "second"), time)).toBe(true);
  });

  test("A lost connection is refreshed by nobody, but a refresh under way still counts", async () => {
    const { db, rowId } = await connect();
    const lost = { reason: "invalid_grant", at: 8 };
    await loseRowConnection(db, claimOf(rowId, "a", "other"), lost);
    expect((await findRowConnection(db, rowId))?.lost).toBeNull();
    await loseRowConnection(db, claimOf(rowId, "a"), lost);
    expect((await findRowConnection(db, rowId))?.lost).toEqual(lost);
    expect(await claimRefresh(db, claimOf(rowId, "b"), time)).toBe(false);
    await transaction(db, (trx) => putRefreshedTokens(trx, claimOf(rowId, "a"), renewed));
    expect((await findRowConnection(db, rowId))?.lost).toBeNull();
  });

  test("A sign-in is taken once, and expired ones are removed", async () => {
    const { db, rowId } = await connect();
    const begin = (byte: number, expiresAt: number) => ({
      stateHash: new Uint8Array([byte]),
      rowId,
      sessionId: "s",
      sealed: new Uint8Array([byte, 1]),
      expiresAt,
    });
    await putRowConnect(db, begin(1, 50), 1);
    await putRowConnect(db, begin(2, 150), 60);
    expect(await takeRowConnect(db, new Uint8Array([1]))).toBeNull();
    const takes = [1, 2, 3].map(() => takeRowConnect(db, new Uint8Array([2])));
    const taken = (await Promise.all(takes)).filter((one) => one !== null);
    expect(taken).toEqual([begin(2, 150)]);
  });

  test("Tokens that are sealed again replace those that were read, and no newer ones", async () => {
    const { db, rowId } = await connect();
    const [found] = await listSealedConnections(db);
    expect(found).toMatchObject({ rowId, sealed: new Uint8Array([1, 2]) });
    const to = new Uint8Array([9]);
    const replace = (from: Uint8Array) =>
      transaction(db, (trx) => replaceSealedConnections(trx, [{ rowId, from, to }]));
    expect(await replace(new Uint8Array([5]))).toBe(0);
    expect(await replace(new Uint8Array([1, 2]))).toBe(1);
    expect((await findRowConnection(db, rowId))?.sealed).toEqual(to);
  });
}
