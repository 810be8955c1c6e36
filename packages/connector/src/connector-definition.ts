import type { RowOperations } from "./discovered-operations.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import type { JsonSchema } from "./json.ts";
import type { HealthContext, LookupContext, OperationContext } from "./operation-context.ts";

/** An example call for a model; `params` by wire key, checked when the connector is defined. */
export type OperationExample = { params: Record<string, unknown>; description?: string };

/** The description of one operation as plain data, for built-in connectors and plugins. */
export type OperationSpec = {
  key: string;
  name: string;
  description: string;
  inputFields: FieldSpec[];
  outputSchema?: JsonSchema;
  /** The operation changes or deletes something outside. Clients are warned. */
  destructive: boolean;
  /** The operation changes nothing anywhere. */
  reads?: true;
  /**
   * A second call with the same params and `idempotencyKey` has no further effect, so workflows may
   * repeat it after a failure.
   */
  idempotent?: true;
  /** The operation serves a settings widget: never over MCP, only for users who manage the row. */
  configOnly: boolean;
  /** The operation is for maintenance: never over MCP, only for admins. */
  adminOnly: boolean;
  /** The operation's time limit in milliseconds; overrides the hub's default. */
  timeoutMs?: number;
  examples: OperationExample[];
};

/** An operation with its function. */
export type OperationDefinition<Extra extends object = object> = OperationSpec & {
  run(ctx: OperationContext & Extra): unknown;
};

/** Whether the outside system works. `reason` is shown to admins. */
export type Health = { ok: boolean; reason?: string };

/** One item of a picker. */
export type LookupItem = { id: string; name: string };

/**
 * A connector after `defineConnector` has checked it. `Extra` is the additional context that its
 * functions need; the host passes it to `runOperation`.
 */
export type ConnectorDefinition<Extra extends object = object> = {
  key: string;
  name: string;
  icon: string;
  tier: "builtin" | "plugin";
  description: string;
  configFields: FieldSpec[];
  /** By operation key, in the order of their definition. */
  operations: ReadonlyMap<string, OperationDefinition<Extra>>;
  /** Its rows bring their operations; then `operations` is empty. */
  byRow?: RowOperations<Extra>;
  health?: (ctx: HealthContext & Extra) => Health | Promise<Health>;
  lookup?: (ctx: LookupContext & Extra) => LookupItem[] | Promise<LookupItem[]>;
  /** By wire key of the `regen` field. */
  generators: ReadonlyMap<string, () => string | Promise<string>>;
};
