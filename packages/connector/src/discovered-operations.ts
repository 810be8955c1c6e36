import type { Json, JsonSchema } from "./json.ts";
import type { CallTools, OperationTools, ValuesByName } from "./operation-context.ts";

/**
 * An operation that a row brings, as its outside system describes it. The host checks and cuts all
 * of its texts and schemas, so a connector passes on what it got.
 */
export type DiscoveredOperation = {
  /** The name in the outside system. It identifies the operation from one discovery to the next. */
  sourceName: string;
  /** The name for people. The default is `sourceName`. */
  title?: string;
  description: string;
  /** A schema of an object. */
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  destructive: boolean;
  idempotent?: boolean;
  /** What `run` needs to call the operation. It is stored, compared like a schema, and not shown. */
  binding?: Json;
};

/** A server that a document names. */
export type FoundServer = {
  /** As the document has it. */
  url: string;
  /** The whole address with the defaults of its variables; null if it is not one. */
  address: string | null;
  /** Whether all operations may go there, not only some. */
  isShared: boolean;
};

/** The operation of a row that `run` calls. */
export type RowOperation = Pick<DiscoveredOperation, "sourceName" | "inputSchema"> & {
  binding: Json;
};

/** The context of `discover`. */
export type DiscoverContext<Config = ValuesByName> = CallTools & {
  config: Config;
  /** A document that the admin gives with this discovery, such as an uploaded file. */
  document?: string;
  /**
   * Reports an operation that cannot be offered, and why, as a sentence for admins. With `count`, the entry stands
   * for so many operations.
   */
  leaveOut(sourceName: string, reason: string, count?: number): void;
};

/** The context of `findServers`. */
export type ServersContext<Config = ValuesByName> = Omit<DiscoverContext<Config>, "leaveOut">;

/** The context of `run` of a connector whose rows bring their operations. */
export type RowOperationContext<Config = ValuesByName> = OperationTools & {
  config: Config;
  /** By the names of the operation's schema, checked against it. */
  params: Record<string, unknown>;
  operation: RowOperation;
};

/** The functions of a connector whose rows bring their operations. */
export type RowOperations<Extra extends object = object> = {
  discover(ctx: DiscoverContext & Extra): Promise<DiscoveredOperation[]>;
  findServers?(ctx: ServersContext & Extra): Promise<FoundServer[]>;
  run(ctx: RowOperationContext & Extra): unknown;
};
