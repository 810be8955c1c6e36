import type { Health, LookupItem, OperationExample } from "./connector-definition.ts";
import type {
  DiscoverContext,
  DiscoveredOperation,
  FoundServer,
  RowOperationContext,
  ServersContext,
} from "./discovered-operations.ts";
import type { FieldRecord, FieldValues } from "./field-tags.ts";
import type { JsonSchema } from "./json.ts";
import type { HealthContext, LookupContext, OperationContext } from "./operation-context.ts";

/** An operation without inputs takes no params. */
type Params<Input> = unknown extends Input ? Record<never, never> : FieldValues<Input>;

type OperationBase<Input> = {
  /** The name for users and models. The default is the operation's key. */
  name?: string;
  /** Written for a model: what it does, when to use it, what to do next. */
  description: string;
  input?: Input & FieldRecord;
  /** The JSON Schema of its result. */
  output?: JsonSchema;
  destructive?: boolean;
  /**
   * The operation changes nothing anywhere, so it may run without a question: `hub_read` runs it. It cannot be
   * destructive as well.
   */
  reads?: boolean;
  /**
   * A second call with the same params and `idempotencyKey` has no further effect. Then workflows
   * repeat a destructive operation after a failure that may have had effects.
   */
  idempotent?: boolean;
  adminOnly?: boolean;
  timeoutMs?: number;
  examples?: OperationExample[];
};

/** The configuration of an incomplete row: every value may be missing. */
type Unfinished<Config> = Partial<FieldValues<Config>>;

type RunContext<Config, Input, Extra> = OperationContext<Config, Params<Input>> & Extra;

/**
 * An operation in a connector's source. A `configOnly` operation serves the settings page, so it
 * also runs while required configuration is missing.
 */
export type OperationSource<Config, Input, Extra> = OperationBase<Input> &
  (
    | { configOnly?: false; run(ctx: RunContext<FieldValues<Config>, Input, Extra>): unknown }
    | { configOnly: true; run(ctx: RunContext<Unfinished<Config>, Input, Extra>): unknown }
  );

/** The source of a connector. */
export type ConnectorSource<
  Config extends FieldRecord,
  Inputs extends Record<string, unknown>,
  Extra,
> = {
  key: string;
  name: string;
  icon: string;
  tier: "builtin" | "plugin";
  description: string;
  config: Config;
  operations: { [Key in keyof Inputs]: OperationSource<Config, Inputs[Key], Extra> };
  /** Whether the outside system works. Called only when all required configuration is set. */
  health?(ctx: HealthContext<FieldValues<Config>> & Extra): Health | Promise<Health>;
  /** Items of a picker, also while required configuration is missing. */
  lookup?(ctx: LookupContext<Unfinished<Config>> & Extra): LookupItem[] | Promise<LookupItem[]>;
  /** One function for each `regen` field, by field name. */
  generators?: { [Name in keyof Config]?: () => string | Promise<string> };
};

/** The source of a connector whose rows bring their operations. */
export type RowConnectorSource<Config extends FieldRecord, Extra> = {
  key: string;
  name: string;
  icon: string;
  tier: "builtin" | "plugin";
  description: string;
  config: Config;
  operations: "by row";
  /** Asks the outside system for its operations. A call never waits for it. */
  discover(ctx: DiscoverContext<FieldValues<Config>> & Extra): Promise<DiscoveredOperation[]>;
  /**
   * The servers that a document names, for an admin to choose from; also while required configuration is
   * missing.
   */
  findServers?(ctx: ServersContext<Partial<FieldValues<Config>>> & Extra): Promise<FoundServer[]>;
  /** Calls one of the row's operations; returns its result. */
  run(ctx: RowOperationContext<FieldValues<Config>> & Extra): unknown;
  health?(ctx: HealthContext<FieldValues<Config>> & Extra): Health | Promise<Health>;
  lookup?(
    ctx: LookupContext<Partial<FieldValues<Config>>> & Extra,
  ): LookupItem[] | Promise<LookupItem[]>;
};
