import { UpstreamError } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { findRowConnection, type RowConnection } from "../../../store/rows/row-connections.ts";
import type { AuthorizedRow, AuthorizerDeps } from "./authorized-row.ts";
import { toAddressText } from "./connect-target.ts";
import { type ConnectionSecrets, openConnection } from "./connection-secrets.ts";

/** Of rows whose tokens are kept open. */
const openedMax = 1000;

export type LoadedConnection = { connection: RowConnection; secrets: ConnectionSecrets };

/** The connections of rows, as they are stored now, with their tokens opened. */
export class OpenConnections {
  readonly #deps: Pick<AuthorizerDeps, "db" | "ring" | "findBaseUrl">;
  readonly #opened = new Map<string, { tokensId: string; secrets: ConnectionSecrets }>();

  constructor(deps: Pick<AuthorizerDeps, "db" | "ring" | "findBaseUrl">) {
    this.#deps = deps;
  }

  /** Throws `needs_setup` if the row has no connection that can be used. */
  async load(row: AuthorizedRow): Promise<LoadedConnection> {
    const connection = await findRowConnection(this.#deps.db, row.rowId);
    if (connection === null) {
      this.#opened.delete(row.rowId);
      throw await this.refuse(row.rowId, "This row is not connected with its MCP server.");
    }
    if (connection.id !== row.connectionId) {
      throw new UpstreamError("The row was connected anew during the call. Try again.");
    }
    if (connection.lost !== null) throw await this.refuse(row.rowId, connection.lost.reason);
    // Attack: a changed address would send the token to another server.
    if (connection.address !== toAddressText(row.address)) {
      throw await this.refuse(row.rowId, "The row's address has changed since it was connected.");
    }
    return { connection, secrets: await this.#openOnce(connection) };
  }

  /** Opening takes longer than reading, and each request of a call needs the token. */
  async #openOnce({ rowId, tokensId, sealed }: RowConnection): Promise<ConnectionSecrets> {
    const known = this.#opened.get(rowId);
    if (known?.tokensId === tokensId) return known.secrets;
    const secrets = await openConnection(this.#deps.ring, rowId, sealed);
    this.#opened.set(rowId, { tokensId, secrets });
    const [oldest] = this.#opened.keys();
    if (this.#opened.size > openedMax && oldest !== undefined) this.#opened.delete(oldest);
    return secrets;
  }

  /** The error that leads an admin to the page of the row. */
  async refuse(rowId: string, reason: string): Promise<HubError> {
    const page = await this.findPage(rowId);
    return new HubError("needs_setup", `${reason} Ask an admin to connect it at ${page}.`);
  }

  async findPage(rowId: string): Promise<string> {
    return `${await this.#deps.findBaseUrl()}/manager/connectors/mcp/${rowId}?tab=settings`;
  }
}
