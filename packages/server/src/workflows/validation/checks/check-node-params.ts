import { checkParams as checkFields, type FieldSpec } from "@hub/connector";
import { tokenPrefix } from "../../../secrets/value-tokens/value-tokens.ts";
import { suggestOne } from "../describe-issue.ts";
import { type Path, type ProblemList, quote } from "../problem-list.ts";
import type { FoundOperation, ValidationWorld } from "../validation-world.ts";

type ParamsCheck = { problems: ProblemList; world: Pick<ValidationWorld, "purpose"> };

/** More unknown names are counted and not listed. */
const unknownMax = 20;

/**
 * Checks the params of an operation node against the inputs of the operation. What contains a template or
 * an encrypted value is checked when it runs.
 */
export function checkNodeParams(
  { problems, world }: ParamsCheck,
  path: Path,
  params: Readonly<Record<string, unknown>>,
  {
    inputFields: fields,
    hasOtherParams = false,
  }: Pick<FoundOperation, "inputFields" | "hasOtherParams">,
): void {
  const warnOrFail = world.purpose === "publish" ? problems.error : problems.warn;
  const keys = fields.map(({ key }) => key);
  const known = new Set(keys);
  const unknown = hasOtherParams ? [] : Object.keys(params).filter((name) => !known.has(name));
  for (const name of unknown.slice(0, unknownMax)) {
    const hint = () => suggestOne(name, keys, "Params");
    warnOrFail([...path, name], `The operation has no param ${quote(name)}.`, hint);
  }
  if (unknown.length > unknownMax) {
    const message = `The operation lacks ${unknown.length - unknownMax} more of the params.`;
    warnOrFail(path, message, "Use the names of its input schema.");
  }
  const constants = Object.entries(params).filter(
    ([name, value]) => known.has(name) && isConstant(value),
  );
  const { issues } = checkFields(fields, Object.fromEntries(constants));
  for (const { path: member, message } of issues) {
    const key = /^[^.[]*/.exec(member)?.[0] ?? "";
    // It is there, and has a value when it runs. Or it is needed only with such a value.
    if (isGivenLater(params, key) || dependsOnLater(params, fields, key)) continue;
    const text = `The param ${quote(member)} ${message.replace(/[^.?!]$/, "$&.")}`;
    warnOrFail([...path, key], text, "The input schema of the operation has its params.");
  }
}

function isGivenLater(params: Readonly<Record<string, unknown>>, key: string): boolean {
  return Object.hasOwn(params, key) && !isConstant(params[key]);
}

function dependsOnLater(
  params: Readonly<Record<string, unknown>>,
  fields: readonly FieldSpec[],
  key: string,
): boolean {
  const condition = fields.find((field) => field.key === key)?.visibleWhen;
  return condition !== undefined && isGivenLater(params, condition.field);
}

/** Whether a value is known before it runs. The depth of a body is limited. */
function isConstant(value: unknown): boolean {
  if (typeof value === "string") return !(value.includes("{{") || value.includes(tokenPrefix));
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isConstant);
}
