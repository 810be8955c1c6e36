import { HubError } from "../../errors.ts";
import type { ReferenceDefinition } from "../../secrets/sources/secret-definitions.ts";
import { findPublisher, listBoundAddresses } from "../accounts/bound-addresses.ts";
import type { RegisteredConnector } from "../connector-port.ts";

/** A row as the place that a secret would be sent to. */
export type Destination = {
  rowId: string;
  connector: RegisteredConnector;
  /** Its plain texts by field key. */
  texts: ReadonlyMap<string, string>;
};

/** Where a row sends its secrets: by whose code, and to which addresses. */
export function listDestinations({ connector, texts }: Omit<Destination, "rowId">): string[] {
  return [findPublisher(connector), ...listBoundAddresses(connector, texts)];
}

/** How far a secret may go with a row: to these origins, or to its own addresses if the row is named (null). */
export type Permission = { onlyHosts: readonly string[] | null };

/**
 * Whether a secret may be sent to a row. Throws `needs_setup` if not. Attack: a token that changes rows points one of
 * them to a host of its holder, and reads the secret there. So the addresses must be those that an admin saw, or hosts
 * that an admin named.
 */
export function checkDestination(
  reference: Pick<ReferenceDefinition, "name" | "rows" | "hosts">,
  destination: Destination,
): Permission {
  const chosen = reference.rows.find(({ id }) => id === destination.rowId);
  if (chosen !== undefined) {
    if (Bun.deepEquals([...chosen.addresses], listDestinations(destination))) {
      return { onlyHosts: null };
    }
    throw refuse(reference, "was chosen for this row when it had another address");
  }
  const onlyHosts = reference.hosts.map(toHostOrigin);
  const addresses = listBoundAddresses(destination.connector, destination.texts);
  const isInside =
    onlyHosts.length > 0 &&
    addresses.every((text) => URL.canParse(text) && onlyHosts.includes(new URL(text).origin));
  if (isInside) return { onlyHosts };
  throw refuse(reference, "may not be sent to this row");
}

/**
 * A host stands for https: without encryption, all on the way read the secret. An admin may name `http://nas.lan:8080`.
 */
function toHostOrigin(host: string): string {
  return host.includes("://") ? host : `https://${host}`;
}

function refuse({ name }: Pick<ReferenceDefinition, "name">, reason: string): HubError {
  return new HubError(
    "needs_setup",
    `The secret "${name}" ${reason}. An admin can allow it at Admin → Secret managers.`,
  );
}
