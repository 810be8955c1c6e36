import type { ConnectorDefinition } from "./connector-definition.ts";
import { checkParams } from "./fields/check-params.ts";
import { readConfig } from "./fields/config-values.ts";
import type { OperationTools } from "./operation-context.ts";
import { runOperation } from "./run-operation.ts";

export type TestCall = {
  /** By wire key, as text, as a hub stores it; defaults are applied. */
  config?: Record<string, string>;
  /** By wire key, as a model sends them. */
  params?: Record<string, unknown>;
  /** Named elements of the widget that calls it, by name. */
  input?: Record<string, string>;
  /** What the operation finds in its context, in place of the ordinary tools. */
  tools?: Partial<OperationTools>;
};

/**
 * Runs one operation as a hub would, for an author's tests: params are checked first, and an Error
 * names what is wrong with them. The context's `fetch` is the global one unless `tools` has another.
 *
 * @example
 * await testOperation(tracker, "get_issue", { config: { base_url: url }, params: { id: 7 } });
 */
export async function testOperation(
  definition: ConnectorDefinition,
  operationKey: string,
  { config = {}, params = {}, input = {}, tools = {} }: TestCall = {},
): Promise<unknown> {
  const operation = definition.operations.get(operationKey);
  const checked = checkParams(operation?.inputFields ?? [], operation === undefined ? {} : params);
  const [issue] = checked.issues;
  if (issue !== undefined) throw new Error(`${issue.path} ${issue.message}`);
  const values = {
    config: readConfig(definition.configFields, config),
    params: checked.values,
    input,
  };
  const silent = () => {};
  return await runOperation(definition, operationKey, values, {
    signal: new AbortController().signal,
    mask: silent,
    maskIgnoreCase: silent,
    fetch: (input, init) => fetch(input, init),
    log: { debug: silent, info: silent, warn: silent, error: silent },
    progress: silent,
    ...tools,
  });
}
