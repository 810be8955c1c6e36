import type { OperationDefinition, OperationExample } from "./connector-definition.ts";
import type { OperationSource } from "./connector-source.ts";
import type { FieldRecord } from "./field-tags.ts";
import { checkParams } from "./fields/check-field-params.ts";
import type { FieldSpec } from "./fields/field-spec.ts";
import { parseFields } from "./fields/parse-fields.ts";
import { selectOp } from "./fields/widget-params.ts";
import { isWireKey } from "./fields/wire-key.ts";

/** An operation source without its types. */
export type AnyOperationSource<Extra> = OperationSource<FieldRecord, FieldRecord, Extra>;

/** The longest delay of a timer, in milliseconds. */
const timeoutMsMax = 2 ** 31 - 1;

/** Checks one operation and parses its inputs. */
export function readOperation<Extra extends object>(
  connectorName: string,
  key: string,
  source: AnyOperationSource<Extra>,
): OperationDefinition<Extra> {
  const errorPrefix = `${connectorName}, operation ${key}`;
  checkKey(errorPrefix, key);
  if (source.description.trim() === "") throw new Error(`${errorPrefix}: has no description`);
  checkTimeout(errorPrefix, source.timeoutMs);
  if (source.reads === true && source.destructive === true) {
    throw new Error(`${errorPrefix}: it cannot be both destructive and reads`);
  }
  const inputFields = parseFields(errorPrefix, source.input ?? {});
  const examples = source.examples ?? [];
  checkExamples(errorPrefix, inputFields, examples);
  return {
    key,
    name: source.name ?? key,
    description: source.description,
    inputFields,
    ...(source.output !== undefined && { outputSchema: source.output }),
    destructive: source.destructive ?? false,
    ...(source.reads === true && { reads: true }),
    ...(source.idempotent === true && { idempotent: true }),
    configOnly: source.configOnly ?? false,
    adminOnly: source.adminOnly ?? false,
    ...(source.timeoutMs !== undefined && { timeoutMs: source.timeoutMs }),
    examples,
    run: (ctx) => source.run(ctx),
  };
}

function checkKey(errorPrefix: string, key: string): void {
  if (!isWireKey(key))
    throw new Error(`${errorPrefix}: its key must be a-z, 0-9 and _, at most 64`);
  // A click on `data-op="__select"` stores a value, so it would never reach the operation.
  if (key === selectOp) throw new Error(`${errorPrefix}: its key is reserved for html widgets`);
}

function checkTimeout(errorPrefix: string, timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > timeoutMsMax) {
    throw new Error(
      `${errorPrefix}: timeoutMs must be whole milliseconds from 1 to ${timeoutMsMax}`,
    );
  }
}

/** A model copies examples, so a wrong example causes wrong calls. */
function checkExamples(
  errorPrefix: string,
  fields: readonly FieldSpec[],
  examples: readonly OperationExample[],
): void {
  for (const [index, example] of examples.entries()) {
    const [issue] = checkParams(fields, example.params).issues;
    if (issue === undefined) continue;
    throw new Error(`${errorPrefix}, example ${index + 1}: ${issue.path} ${issue.message}`);
  }
}
