import { SQL } from "bun";
import { HubError } from "../../../errors.ts";
import { toAddressError, toStartError } from "../postgres-errors.ts";
import { toDatabaseAddress } from "../to-database-address.ts";
import { findAddressFault } from "./find-address-fault.ts";

const connectSeconds = 10;

/** Opens no connection yet. Integers beyond 2^53 arrive as bigints. */
export function openClient(options: SQL.PostgresOrMySQLOptions): SQL {
  return new SQL({ bigint: true, connectionTimeout: connectSeconds, ...options });
}

/** Converts a failure of the first connection to an error that says what to do. */
export async function explainStart(failure: unknown, url: string): Promise<unknown> {
  const err = toStartError(failure);
  if (!(err instanceof HubError) || err.code !== "unavailable") return err;
  return toAddressError(err, await findAddressFault(url), toDatabaseAddress(url));
}
