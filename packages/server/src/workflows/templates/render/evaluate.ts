import { callFunction } from "../functions/call-function.ts";
import type { Command, Operand, Pipeline } from "../parse/template-nodes.ts";
import { isTrue } from "./is-true.ts";
import { chargeSteps, fail, type RenderContext } from "./render-context.ts";
import { isMap, nameKind, readMember, SecretValue, type Value } from "./template-values.ts";

/** Evaluates a pipeline and sets its variables. `range` sets its own, for each round. */
export function evaluatePipeline(ctx: RenderContext, dot: Value, pipeline: Pipeline): Value {
  const value = evaluateCommands(ctx, dot, pipeline);
  for (const slot of pipeline.variables) ctx.slots[slot] = value;
  return value;
}

/** Evaluates a pipeline without its variables. */
export function evaluateCommands(ctx: RenderContext, dot: Value, { commands }: Pipeline): Value {
  let input: readonly Value[] = [];
  for (const command of commands) input = [evaluateCommand(ctx, dot, command, input)];
  return input[0];
}

function evaluateCommand(
  ctx: RenderContext,
  dot: Value,
  { operands }: Command,
  input: readonly Value[],
): Value {
  const [first, ...others] = operands;
  if (first.kind !== "function" || first.path.length > 0) return evaluateOperand(ctx, dot, first);
  if (first.name === "and" || first.name === "or") {
    return evaluateLogic(ctx, dot, { name: first.name, start: first.start, others, input });
  }
  const args = others.map((operand) => evaluateOperand(ctx, dot, operand));
  args.push(...input);
  chargeSteps(ctx, 1);
  ctx.offset = first.start;
  return callFunction(ctx, first.name, args);
}

/**
 * `and` returns the first argument that is not true, `or` the first that is, else the last one.
 * Arguments behind it are not evaluated, as in Go.
 */
function evaluateLogic(
  ctx: RenderContext,
  dot: Value,
  {
    name,
    start,
    others,
    input,
  }: { name: "and" | "or"; start: number; others: readonly Operand[]; input: readonly Value[] },
): Value {
  chargeSteps(ctx, 1);
  let value: Value;
  for (const operand of others) {
    value = evaluateOperand(ctx, dot, operand);
    if (isTrue(ctx, value) === (name === "or")) return value;
  }
  if (input.length > 0) return input[0];
  if (others.length > 0) return value;
  ctx.offset = start;
  throw fail(ctx, `"${name}" needs at least one value.`);
}

function evaluateOperand(ctx: RenderContext, dot: Value, operand: Operand): Value {
  chargeSteps(ctx, 1);
  ctx.offset = operand.start;
  switch (operand.kind) {
    case "literal":
      return operand.value;
    case "dot":
      return readPath(ctx, dot, operand);
    case "root":
      return readRoot(ctx, operand);
    case "variable":
      return readPath(ctx, ctx.slots[operand.slot], operand);
    case "function":
      return readPath(ctx, callFunction(ctx, operand.name, []), operand);
    case "group":
      return readPath(ctx, evaluatePipeline(ctx, dot, operand.pipeline), operand);
  }
}

function readRoot(ctx: RenderContext, operand: Operand & { kind: "root" }): Value {
  if (operand.root !== "Secret") return readPath(ctx, ctx.roots[operand.root], operand);
  const name = operand.path[0] ?? "";
  return new SecretValue(name, ctx.roots.secret(name));
}

/** Reads fields. A missing value and null have no fields: what is read of them is missing, too. */
function readPath(
  ctx: RenderContext,
  from: Value,
  { path, start }: Pick<Operand, "start"> & { path: readonly string[] },
): Value {
  let value = from;
  for (const name of path) {
    chargeSteps(ctx, 1);
    if (value === undefined || value === null) return undefined;
    if (!isMap(value)) {
      ctx.offset = start;
      throw noField(ctx, value, name);
    }
    value = readMember(value, name);
  }
  return value;
}

function noField(ctx: RenderContext, value: Value, name: string): Error {
  if (value instanceof SecretValue)
    return fail(ctx, "A secret has no fields.", "secret_transformed");
  const hints = Array.isArray(value)
    ? ` Read one item, such as (index LIST 0).${name}, or use range.`
    : typeof value === "string"
      ? " If it is JSON, read it with fromJSON."
      : "";
  return fail(ctx, `".${name}" is read of ${nameKind(value)}, which has no fields.${hints}`);
}
