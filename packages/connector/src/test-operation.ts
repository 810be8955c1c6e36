import type { ConnectorDefinition } from "./connector-definition.ts";
import { checkParams } from "./fields/check-field-params.ts";
import { readConfig, toStoredText } from "./fields/config-values.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import type { OperationTools } from "./operation-context.ts";
import { runOperation } from "./run-operation.ts";
import { suggest } from "./suggest.ts";

export type TestCall = {
  /**
   * Values by wire key, as an admin sets them: texts or typed values, such as `[{ id: "7", name: "Seven" }]` for a picker.
   * They are checked by their fields. Defaults are applied.
   */
  config?: Record<string, unknown>;
  /** Params by wire key, as a model sends them. */
  params?: Record<string, unknown>;
  /** Values of the named elements of the widget that calls it, by name. */
  input?: Record<string, string>;
  /** Tools for the operation's context, instead of the default ones. */
  tools?: Partial<OperationTools>;
};

/**
 * Runs one operation as a hub does, for tests of its author. The configuration and the params are checked first; an Error
 * names the issue. The context's `fetch` is the global one unless `tools` has another.
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
    config: readConfig(definition.configFields, toStoredTexts(definition.configFields, config)),
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

/** The texts that a hub would store. Throws an Error that names a wrong value. */
function toStoredTexts(
  fields: readonly FieldSpec[],
  config: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const texts = Object.entries(config).map(([key, value]): [string, string] => {
    const field = fields.find((candidate) => candidate.key === key);
    if (field === undefined) {
      const keys = fields.map((candidate) => candidate.key);
      const help = suggest(key, keys) || ` There are: ${keys.join(", ") || "none"}.`;
      throw new Error(`config.${key} is not a field of the connector.${help}`);
    }
    const stored = toStoredText(field, value);
    if ("issue" in stored) throw new Error(`config.${stored.issue.path} ${stored.issue.message}`);
    return [key, stored.text];
  });
  return Object.fromEntries(texts);
}
