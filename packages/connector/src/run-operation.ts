import type { ConnectorDefinition, Health, LookupItem } from "./connector-definition.ts";
import type { ValuesByKey } from "./fields/field-spec.ts";
import type { CallTools, OperationTools } from "./operation-context.ts";

export async function runOperation<Extra extends object>(
  _definition: ConnectorDefinition<Extra>,
  _operationKey: string,
  _values: { config: ValuesByKey; params: ValuesByKey },
  _tools: OperationTools & Extra,
): Promise<unknown> {
  throw new Error("Not written yet.");
}

export async function runHealth<Extra extends object>(
  _definition: ConnectorDefinition<Extra>,
  _values: { config: ValuesByKey },
  _tools: CallTools & Extra,
): Promise<Health> {
  throw new Error("Not written yet.");
}

export async function runLookup<Extra extends object>(
  _definition: ConnectorDefinition<Extra>,
  _values: { config: ValuesByKey; source: string; query: string },
  _tools: CallTools & Extra,
): Promise<LookupItem[]> {
  throw new Error("Not written yet.");
}

export async function runGenerator(
  _definition: ConnectorDefinition,
  _fieldKey: string,
): Promise<string> {
  throw new Error("Not written yet.");
}
