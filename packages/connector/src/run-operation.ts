import type { ConnectorDefinition, Health, LookupItem } from "./connector-definition.ts";
import type {
  DiscoverContext,
  DiscoveredOperation,
  FoundServer,
  RowOperation,
} from "./discovered-operations.ts";
import { toFieldNames } from "./fields/field-names.ts";
import type { ValuesByKey } from "./fields/field-spec.ts";
import type { WidgetClick } from "./fields/widget-params.ts";
import type { CallTools, OperationTools } from "./operation-context.ts";
import { suggest } from "./suggest.ts";

/**
 * Runs one operation with values by wire key from `readConfig` and `checkParams`, which are not
 * checked again. Resolves with the result of `run`. Rejects with its error, or with an Error if the
 * operation does not exist.
 */
export async function runOperation<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "operations">,
  operationKey: string,
  values: { config: ValuesByKey; params: ValuesByKey; input?: WidgetClick["inputs"] },
  tools: OperationTools & Extra,
): Promise<unknown> {
  const operation = definition.operations.get(operationKey);
  if (operation === undefined) {
    const nearest = suggest(operationKey, definition.operations.keys());
    throw new Error(`"${definition.key}" has no operation "${operationKey}".${nearest}`);
  }
  return await operation.run({
    ...tools,
    config: toFieldNames(definition.configFields, values.config),
    params: toFieldNames(operation.inputFields, values.params),
    input: values.input ?? {},
  });
}

/** Asks the connector whether its configuration works. Throws if it has no `health`. */
export async function runHealth<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "health">,
  values: { config: ValuesByKey },
  tools: CallTools & Extra,
): Promise<Health> {
  if (definition.health === undefined) throw new Error(`"${definition.key}" has no health check.`);
  const config = toFieldNames(definition.configFields, values.config);
  return await definition.health({ ...tools, config });
}

/** The items of a picker's source for a typed text. Throws if the connector has no `lookup`. */
export async function runLookup<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "lookup">,
  values: { config: ValuesByKey; source: string; query: string },
  tools: CallTools & Extra,
): Promise<LookupItem[]> {
  if (definition.lookup === undefined) throw new Error(`"${definition.key}" has no lookup.`);
  const { source, query } = values;
  const config = toFieldNames(definition.configFields, values.config);
  return await definition.lookup({ ...tools, config, source, query });
}

/**
 * Generates a new value of a `regen` field, given by its wire key. Throws if the field has no
 * generator.
 */
export async function runGenerator(
  definition: Pick<ConnectorDefinition, "key" | "generators">,
  fieldKey: string,
): Promise<string> {
  const generate = definition.generators.get(fieldKey);
  if (generate === undefined) {
    throw new Error(`"${definition.key}" has no generator for "${fieldKey}".`);
  }
  return await generate();
}

/** Runs one operation that a row brought. Throws if the connector's rows bring none. */
export async function runRowOperation<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "byRow">,
  operation: RowOperation,
  values: { config: ValuesByKey; params: ValuesByKey },
  tools: OperationTools & Extra,
): Promise<unknown> {
  const config = toFieldNames(definition.configFields, values.config);
  return await findByRow(definition).run({ ...tools, config, params: values.params, operation });
}

/** Asks the row's outside system for its operations. Throws if the connector's rows bring none. */
export async function runDiscovery<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "byRow">,
  values: { config: ValuesByKey; document?: string },
  tools: CallTools & Pick<DiscoverContext, "leaveOut"> & Extra,
): Promise<DiscoveredOperation[]> {
  const { document } = values;
  const config = toFieldNames(definition.configFields, values.config);
  return await findByRow(definition).discover({
    ...tools,
    config,
    ...(document !== undefined && { document }),
  });
}

/** Asks for the servers that a row's document names. Throws if the connector's documents name none. */
export async function runFindServers<Extra extends object>(
  definition: Pick<ConnectorDefinition<Extra>, "key" | "configFields" | "byRow">,
  values: { config: ValuesByKey; document?: string },
  tools: CallTools & Extra,
): Promise<FoundServer[]> {
  const { findServers } = findByRow(definition);
  if (findServers === undefined) throw new Error(`Rows of "${definition.key}" name no servers.`);
  const { document } = values;
  const config = toFieldNames(definition.configFields, values.config);
  return await findServers({ ...tools, config, ...(document !== undefined && { document }) });
}

function findByRow<Extra extends object>({
  key,
  byRow,
}: Pick<ConnectorDefinition<Extra>, "key" | "byRow">) {
  if (byRow === undefined) throw new Error(`Rows of "${key}" bring no operations.`);
  return byRow;
}
