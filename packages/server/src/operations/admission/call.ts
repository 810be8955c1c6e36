import type { Caller } from "../../caller.ts";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Directory, Row } from "../../connectors/rows/row-directory.ts";

/**
 * The path of a call. Clients use the operations that they are offered. A tester, who may be an admin,
 * uses the same ones, and a user through a widget also the operations behind widgets. The manager's test
 * path, which admins have, also reaches maintenance and disabled rows. The hub itself uses a row
 * without a call of its connector: it takes the events of a channel, or keeps a session.
 */
export type CallPath = "client" | "tester" | "widget" | "manager" | "hub";

/** The path of a caller's test, or of a click in a widget. */
export function toTestPath({ role }: Pick<Caller, "role">, isWidget: boolean): CallPath {
  if (role === "admin") return "manager";
  return isWidget ? "widget" : "tester";
}

/** What gates know beside the call. */
export type World = {
  directory: Pick<Directory, "isTypeDisabled">;
  registry: Pick<ConnectorRegistry, "isAwaited">;
  /** The id of this hub; null until a call that came over other hubs needs it. */
  hubId: string | null;
  /** In epoch ms. */
  now(): number;
};

type Base = {
  path: CallPath;
  caller: Pick<Caller, "role" | "tags" | "bounds">;
  /** Null if this process has no such connector. */
  connector: RegisteredConnector | null;
  /** Ids of the other hubs that the call has passed. */
  hubs?: readonly string[] | undefined;
  /** Whether a widget makes the call. */
  hasWidget?: boolean;
  /** Whether only an operation that reads may run. */
  readsOnly?: boolean | undefined;
  /** Whether a script makes the call. */
  isFromScript?: boolean;
};

/** The members of a row that lists depend on. Stored rows have them too. */
export type ListedRow = Pick<
  Row,
  "id" | "connectorKey" | "owner" | "label" | "disabled" | "tests" | "tags" | "operationStates"
>;

/** A use of a row that was found, or of one of its operations. */
export type ListedCall = Base & {
  row: ListedRow;
  /** Undefined if the call is about the row itself, and null if the row has no such operation. */
  operation?: Operation | null | undefined;
};

/** A call of a row that was found. */
export type Call = ListedCall & { row: Row };

/** A call of an operation. `row` is null if it does not exist. */
export type ToolCall = Base & { row: Row | null; operation: Operation | null };

/** A question to a row's connector that is no operation, such as a health check. */
export type RowCall = Base & { row: Row | null; operation?: undefined };

/** What is known of a call that has passed the gates of visibility. */
export type Admitted<Asked extends ToolCall | RowCall> = Asked & {
  row: Row;
  connector: RegisteredConnector;
} & (Asked extends ToolCall ? { operation: Operation } : unknown);

export function toWorld(
  { registry, now }: Pick<World, "registry" | "now">,
  directory: World["directory"],
): World {
  return { directory, registry, hubId: null, now };
}
