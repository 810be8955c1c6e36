import { UpstreamError } from "@hub/connector";
import { toNeedsAccount } from "../../../connectors/accounts/resolve-account.ts";
import { HubError } from "../../../errors.ts";
import { findRow } from "../../../store/rows/rows-table.ts";
import { type AuthorizedRow, type AuthorizerDeps, toGrantId } from "./authorized-row.ts";
import { toAddressText } from "./connect-target.ts";
import { type ConnectionSecrets, openTokens } from "./connection-secrets.ts";
import { type StoredGrant, toGrantStore } from "./grant-store.ts";

/** Grants whose tokens are kept open. */
const openedMax = 1000;

export type LoadedConnection = { connection: StoredGrant; secrets: ConnectionSecrets };

/** The connections of rows and the accounts of users, as they are stored now, with their tokens opened. */
export class OpenConnections {
  readonly #deps: Pick<AuthorizerDeps, "db" | "ring" | "findBaseUrl">;
  readonly #opened = new Map<string, { tokensId: string; secrets: ConnectionSecrets }>();

  constructor(deps: Pick<AuthorizerDeps, "db" | "ring" | "findBaseUrl">) {
    this.#deps = deps;
  }

  /** Throws `needs_setup` or `needs_account` if there are no tokens that can be used. */
  async load(row: AuthorizedRow): Promise<LoadedConnection> {
    const connection = await toGrantStore(row).find(this.#deps.db);
    if (connection === null) {
      this.#opened.delete(toGrantId(row));
      throw await this.refuse(row, "This row is not connected with its server.");
    }
    if (row.account === null && connection.connectionId !== row.connectionId) {
      throw new UpstreamError("The row was connected anew during the call. Try again.");
    }
    if (connection.lost !== null) throw await this.refuse(row, connection.lost.reason);
    const secrets = await this.#openOnce(row, connection);
    // Attack: a changed address would send the token to another server.
    if ((connection.address ?? secrets.address) !== toAddressText(row.address)) {
      throw await this.refuse(row, "The row's address has changed since it was connected.");
    }
    return { connection, secrets };
  }

  /** Opening takes longer than reading, and each request of a call needs the token. */
  async #openOnce(
    row: AuthorizedRow,
    { tokensId, sealed }: StoredGrant,
  ): Promise<ConnectionSecrets> {
    const id = toGrantId(row);
    const known = this.#opened.get(id);
    if (known?.tokensId === tokensId) return known.secrets;
    const secrets = await openTokens(this.#deps.ring, toGrantStore(row).location, sealed);
    this.#opened.set(id, { tokensId, secrets });
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > openedMax && oldest !== undefined) this.#opened.delete(oldest);
    return secrets;
  }

  /** The error that leads to the page on which the row, or the user's account, is connected. */
  async refuse(row: AuthorizedRow, reason: string): Promise<HubError> {
    const { rowId: id, account } = row;
    if (account === null) return await this.refuseRow(row, reason);
    const label = (await findRow(this.#deps.db, id))?.label ?? "This row";
    return toNeedsAccount({ id, label }, `yours works no longer: ${reason.replace(/\.$/, "")}`);
  }

  /** The error that leads an admin to the page of the row. */
  async refuseRow({ rowId }: Pick<AuthorizedRow, "rowId">, reason: string): Promise<HubError> {
    const page = await this.findPage(rowId);
    return new HubError("needs_setup", `${reason} Ask an admin to connect it at ${page}.`);
  }

  async findPage(rowId: string): Promise<string> {
    const key = (await findRow(this.#deps.db, rowId))?.connectorKey ?? "mcp";
    return `${await this.#deps.findBaseUrl()}/manager/connectors/${key}/${rowId}?tab=settings`;
  }
}
