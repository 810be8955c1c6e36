import type { Json } from "@hub/connector";
import type {
  ActionNode,
  BranchNode,
  Node,
  Pipeline,
  RangeNode,
  Template,
} from "../parse/template-nodes.ts";
import { evaluateCommands, evaluatePipeline } from "./evaluate.ts";
import { isTrue } from "./is-true.ts";
import { listSortedKeys } from "./map-keys.ts";
import { secretTransformed, toText } from "./print-value.ts";
import {
  type Budget,
  chargeSteps,
  createBudget,
  fail,
  type RenderContext,
  type TemplateRoots,
  warn,
  write,
} from "./render-context.ts";
import {
  isMap,
  nameKind,
  readMember,
  SecretValue,
  toInteger,
  type Value,
} from "./template-values.ts";

/** What rendering needs besides the data. */
export type RenderOptions = {
  /** The time of `now`, in milliseconds since 1970. */
  now: number;
  /** What the fields of one value may use together. */
  budget?: Budget;
};

/**
 * Renders a template. A template that is one whole expression keeps the type of its value; another
 * one gives text. Throws TemplateError. The output is never read as a template again.
 */
export function renderTemplate(
  template: Template,
  roots: TemplateRoots,
  options: RenderOptions,
): { value: Json; warnings: string[] } {
  if (template.whole === null) {
    const { text, warnings } = renderText(template, roots, options);
    return { value: text, warnings };
  }
  const ctx = createContext(template, roots, options);
  const { pipeline } = template.whole;
  const value = evaluatePipeline(ctx, undefined, pipeline);
  ctx.offset = pipeline.start;
  if (value instanceof SecretValue) return { value: revealSecret(ctx, value), warnings: [] };
  if (value === undefined) warn(ctx, `${nameSource(ctx, pipeline)} is missing. The value is null.`);
  return { value: value ?? null, warnings: ctx.warnings };
}

/** Renders a template as text. Throws TemplateError. */
export function renderText(
  template: Template,
  roots: TemplateRoots,
  options: RenderOptions,
): { text: string; warnings: string[] } {
  const ctx = createContext(template, roots, options);
  walk(ctx, undefined, template.nodes);
  return { text: ctx.output.join(""), warnings: ctx.warnings };
}

function createContext(
  template: Template,
  roots: TemplateRoots,
  { now, budget = createBudget() }: RenderOptions,
): RenderContext {
  const slots = new Array<Value>(template.slots).fill(undefined);
  return {
    template,
    roots,
    now,
    budget,
    slots,
    warnings: [],
    warnedAt: new Set(),
    output: [],
    offset: 0,
  };
}

/** How a list of nodes ends: `break` and `continue` leave the innermost loop or its round. */
type Outcome = "done" | "break" | "continue";

function walk(ctx: RenderContext, dot: Value, nodes: readonly Node[]): Outcome {
  for (const node of nodes) {
    chargeSteps(ctx, 1);
    const outcome = walkNode(ctx, dot, node);
    if (outcome !== "done") return outcome;
  }
  return "done";
}

function walkNode(ctx: RenderContext, dot: Value, node: Node): Outcome {
  switch (node.kind) {
    case "text":
      write(ctx, node.text);
      return "done";
    case "action":
      printAction(ctx, dot, node);
      return "done";
    case "if":
    case "with":
      return walkBranches(ctx, dot, node);
    case "range":
      return walkRange(ctx, dot, node);
    case "break":
    case "continue":
      return node.kind;
  }
}

function printAction(ctx: RenderContext, dot: Value, { pipeline }: ActionNode): void {
  const value = evaluatePipeline(ctx, dot, pipeline);
  if (pipeline.variables.length > 0) return;
  ctx.offset = pipeline.start;
  if (value === undefined || value === null) {
    const state = value === null ? "null" : "missing";
    warn(ctx, `${nameSource(ctx, pipeline)} is ${state}. It prints "<no value>".`);
  }
  write(ctx, value instanceof SecretValue ? revealSecret(ctx, value) : toText(ctx, value));
}

function walkBranches(
  ctx: RenderContext,
  dot: Value,
  { kind, branches, otherwise }: BranchNode,
): Outcome {
  for (const { pipeline, body } of branches) {
    const value = evaluatePipeline(ctx, dot, pipeline);
    if (isTrue(ctx, value)) return walk(ctx, kind === "with" ? value : dot, body);
  }
  return walk(ctx, dot, otherwise);
}

function walkRange(ctx: RenderContext, dot: Value, node: RangeNode): Outcome {
  const { pipeline } = node;
  const value = evaluateCommands(ctx, dot, pipeline);
  ctx.offset = pipeline.start;
  let hasRounds = false;
  for (const [key, item] of listItems(ctx, value, pipeline)) {
    hasRounds = true;
    chargeSteps(ctx, 1);
    const { variables } = pipeline;
    const [first, second] = variables;
    if (first !== undefined) ctx.slots[first] = second === undefined ? item : key;
    if (second !== undefined) ctx.slots[second] = item;
    if (walk(ctx, item, node.body) === "break") break;
  }
  return hasRounds ? "done" : walk(ctx, dot, node.otherwise ?? []);
}

/** The keys and items of a list, an object (sorted by key) or a number (counting from 0). */
function* listItems(
  ctx: RenderContext,
  value: Value,
  { variables }: Pipeline,
): Generator<readonly [Value, Value]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    yield* value.entries();
    return;
  }
  if (isMap(value)) {
    for (const key of listSortedKeys(ctx, value)) yield [key, readMember(value, key)];
    return;
  }
  if (value instanceof SecretValue) throw secretTransformed(ctx, value);
  const count = toInteger(value);
  if (count === null) throw fail(ctx, `"range" needs a list, and this is ${nameKind(value)}.`);
  if (variables.length > 1) throw fail(ctx, '"range" over a number sets one variable only.');
  const rounds = Number(count);
  for (let round = 0; round < rounds; round += 1) yield [undefined, round];
}

/** The value token of a secret, for output. */
function revealSecret(ctx: RenderContext, secret: SecretValue): string {
  const token = secret.reveal();
  if (token !== null) return token;
  const hint = `Set it with: hub workflow secret set WORKFLOW ${secret.name}`;
  throw fail(ctx, `The secret "${secret.name}" is not set. ${hint}`, "secret_missing");
}

const sourceCharsMax = 80;

/** The source of a pipeline, for messages. */
function nameSource({ template }: RenderContext, { start, end }: Pipeline): string {
  const source = template.source.slice(start, end).trim();
  return source.length > sourceCharsMax ? `${source.slice(0, sourceCharsMax)}…` : source;
}
