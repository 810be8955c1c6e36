import type { FieldSpec } from "./fields/field-spec.ts";
import type { HealthContext, LookupContext, OperationContext } from "./operation-context.ts";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** A call shown to a model; `params` by wire key, checked when the connector is defined. */
export type OperationExample = { params: Record<string, unknown>; description?: string };

/** What a connector says of one operation. Plain data, for built-ins and plugins alike. */
export type OperationSpec = {
  key: string;
  name: string;
  description: string;
  inputFields: FieldSpec[];
  outputSchema?: JsonSchema;
  /** It changes or deletes something outside; clients are warned. */
  destructive: boolean;
  /** It serves a settings widget: never over MCP, for those who manage the row. */
  configOnly: boolean;
  /** It is maintenance: never over MCP, for admins. */
  adminOnly: boolean;
  /** Its own time limit in milliseconds, in place of the hub's. */
  timeoutMs?: number;
  examples: OperationExample[];
};

/** An operation with the function behind it. */
export type OperationDefinition<Extra extends object = object> = OperationSpec & {
  run(ctx: OperationContext & Extra): unknown;
};

/** Whether the outside system answers. `reason` is shown to admins. */
export type Health = { ok: boolean; reason?: string };

/** One item of a picker. */
export type LookupItem = { id: string; name: string };

/**
 * A connector after `defineConnector` has checked it. `Extra` is what its functions need beyond
 * the ordinary context; the host hands it to `runOperation`.
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
  health?: (ctx: HealthContext & Extra) => Health | Promise<Health>;
  lookup?: (ctx: LookupContext & Extra) => LookupItem[] | Promise<LookupItem[]>;
  /** By wire key of the `regen` field. */
  generators: ReadonlyMap<string, () => string | Promise<string>>;
};
