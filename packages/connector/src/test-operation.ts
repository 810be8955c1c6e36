import type { ConnectorDefinition } from "./connector-definition.ts";
import { checkParams } from "./fields/check-params.ts";
import { readConfig } from "./fields/config-values.ts";
import type { OperationTools } from "./operation-context.ts";
import { runOperation } from "./run-operation.ts";

export type TestCall = {
  /** Stored texts by wire key. Defaults are applied. */
  config?: Record<string, string>;
  /** Params by wire key, as a model sends them. */
  params?: Record<string, unknown>;
  /** Values of the named elements of the widget that calls it, by name. */
  input?: Record<string, string>;
  /** Tools for the operation's context, instead of the default ones. */
  tools?: Partial<OperationTools>;
};

/**
 * Runs one operation as a hub does, for tests of its author. The params are checked first; an Error
 * names the issues. The context's `fetch` is the global one unless `tools` has another.
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
