import type { Json } from "@hub/connector";
import type { Template } from "../parse/template-nodes.ts";
import { TemplateError, type TemplateErrorCode, toLineColumn } from "../template-error.ts";
import { charsPerStep, outputBytesMax, stepsMax, warningsMax } from "../template-limits.ts";
import type { Value } from "./template-values.ts";

/** The data of a template. */
export type TemplateRoots = {
  Event: Json;
  /** The outputs of nodes by their ids. */
  Node: Readonly<Record<string, Json>>;
  Env: Readonly<Record<string, string>>;
  Run: Json;
  Workflow: Json;
  /** The item of a node with `for_each`, and its index. */
  Item?: Json;
  Index?: number;
  /** The owner's value token of a secret; null if the secret is not set. */
  secret(name: string): string | null;
  /**
   * The owner's value token of `toBasicCredentials(user, secret)`; null if the secret is not set.
   */
  basicCredentials(user: string, secretName: string): string | null;
};

/** What one rendering may still use. The fields of one value share it. */
export type Budget = {
  stepsLeft: number;
  bytesLeft: number;
  /** The keys of the objects that were read, since listing them takes time each time. */
  keys: Map<object, { own: readonly string[]; sorted: readonly string[] | null }>;
};

export function createBudget(): Budget {
  return { stepsLeft: stepsMax, bytesLeft: outputBytesMax, keys: new Map() };
}

/** The state of one rendering of one template. */
export type RenderContext = {
  readonly template: Template;
  readonly roots: TemplateRoots;
  /** The time of `now`, in milliseconds since 1970. */
  readonly now: number;
  readonly budget: Budget;
  readonly slots: Value[];
  readonly warnings: string[];
  /** The places of the warnings. */
  readonly warnedAt: Set<number>;
  readonly output: string[];
  /** The place in the source that is evaluated, for errors. */
  offset: number;
};

export function fail(
  ctx: RenderContext,
  reason: string,
  code: TemplateErrorCode = "template_failed",
): TemplateError {
  return new TemplateError({ source: ctx.template.source, offset: ctx.offset }, code, reason);
}

/** Counts work. Throws `template_limit` if the rendering takes too much. */
export function chargeSteps(ctx: RenderContext, steps: number): void {
  ctx.budget.stepsLeft -= steps;
  if (ctx.budget.stepsLeft < 0) {
    throw fail(
      ctx,
      "Rendering takes too long: a loop has too many rounds, or the values are too large. Read a smaller part of the data.",
      "template_limit",
    );
  }
}

/** Counts work on characters. */
export function chargeChars(ctx: RenderContext, chars: number): void {
  chargeSteps(ctx, 1 + Math.ceil(chars / charsPerStep));
}

/** Refuses a text of a function that would have more than 1 MiB, before it is made. */
export function checkTextLength(ctx: RenderContext, chars: number): void {
  if (chars > outputBytesMax) throw textTooLong(ctx);
}

export function textTooLong(ctx: RenderContext): TemplateError {
  return fail(ctx, "The text is longer than 1 MiB. Use a smaller part of it.", "template_limit");
}

export function write(ctx: RenderContext, text: string): void {
  chargeChars(ctx, text.length);
  ctx.budget.bytesLeft -= Buffer.byteLength(text);
  if (ctx.budget.bytesLeft < 0) throw textTooLong(ctx);
  ctx.output.push(text);
}

/** Keeps the first warning about the present place. */
export function warn(ctx: RenderContext, message: string): void {
  // First, because finding the line reads the source, and a loop warns in each round.
  if (ctx.warnings.length >= warningsMax || ctx.warnedAt.has(ctx.offset)) return;
  ctx.warnedAt.add(ctx.offset);
  const { line, column } = toLineColumn(ctx.template.source, ctx.offset);
  ctx.warnings.push(`Line ${line}, column ${column}: ${message}`);
}
