import type { FunctionName } from "../function-names.ts";
import { secretTransformed } from "../render/print-value.ts";
import { chargeChars, fail, type RenderContext } from "../render/render-context.ts";
import { SecretValue, type Value } from "../render/template-values.ts";
import { basicAuth } from "./basic-auth.ts";
import { compareFunctions } from "./compare.ts";
import type { TemplateFunction } from "./define-function.ts";
import { escapeFunctions } from "./escape.ts";
import { jsonFunctions } from "./json-functions.ts";
import { listFunctions } from "./lists.ts";
import { logicFunctions } from "./logic.ts";
import { printFunctions } from "./print-functions.ts";
import { textFunctions } from "./text.ts";
import { timeFunctions } from "./times.ts";

const functions: Readonly<Record<FunctionName, TemplateFunction>> = {
  ...compareFunctions,
  ...logicFunctions,
  ...listFunctions,
  ...printFunctions,
  ...textFunctions,
  ...jsonFunctions,
  ...escapeFunctions,
  ...timeFunctions,
  basicAuth,
};

/** Calls a function. Throws for a wrong number of arguments, and for a secret. */
export function callFunction(ctx: RenderContext, name: string, args: readonly Value[]): Value {
  // The parser accepts names of this table only.
  const called = functions[name as FunctionName];
  const [min, max] = called.args;
  if (args.length < min || args.length > max) throw wrongCount(ctx, name, args.length);
  if (called.takesSecrets !== true) {
    const secret = args.find((arg) => arg instanceof SecretValue);
    if (secret instanceof SecretValue) throw secretTransformed(ctx, secret);
  }
  const result = called.call(ctx, args);
  if (typeof result === "string") chargeChars(ctx, result.length);
  return result;
}

function wrongCount(ctx: RenderContext, name: string, count: number): Error {
  const [min, max] = functions[name as FunctionName].args;
  const wanted =
    min === max
      ? String(min)
      : max === Number.POSITIVE_INFINITY
        ? `at least ${min}`
        : `${min} to ${max}`;
  const noun = wanted === "1" || wanted === "at least 1" ? "value" : "values";
  return fail(ctx, `"${name}" needs ${wanted} ${noun} and has ${count}.`);
}
