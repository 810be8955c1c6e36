import { suggest } from "@hub/connector";
import { nestingMax } from "../template-limits.ts";
import type { Scope } from "./scope.ts";
import type { Command, Operand, Pipeline, RootName } from "./template-nodes.ts";
import { nameToken, type TokenReader } from "./template-token-reader.ts";
import type { Token } from "./template-tokens.ts";
import { readFields, rootAlone, toFunction, toLiteral, toRoot, toWord } from "./token-operands.ts";

export type ParseContext = { reader: TokenReader; scope: Scope; depth: number };

/** What a pipeline belongs to, and the token that ends it. */
type PipelineKind = {
  context: "action" | "if" | "with" | "range" | "parentheses";
  closes: "close" | "rightParen";
};

/** Parses `declarations? command ('|' command)*` with the token that ends it. */
export function parsePipeline(ctx: ParseContext, kind: PipelineKind): Pipeline {
  const { reader } = ctx;
  reader.skipSpace();
  const start = reader.peek().offset;
  const variables = parseVariables(ctx, kind);
  const commands: Command[] = [];
  for (;;) {
    reader.skipSpace();
    const token = reader.peek();
    if (token.kind === kind.closes && commands.length === 0) throw noValue(ctx, kind);
    commands.push(parseCommand(ctx, { hasInput: commands.length > 0 }));
    const separator = reader.next();
    if (separator.kind === "pipe") continue;
    if (separator.kind === kind.closes) {
      return { commands, variables, start, end: separator.offset };
    }
    throw reader.fail(separator, `${nameToken(separator)} is not expected here.`);
  }
}

function noValue({ reader }: ParseContext, { context }: PipelineKind): Error {
  const reasons = {
    action: "The action is empty. Name a value, such as {{.Event.Payload}}.",
    parentheses: "The parentheses are empty. Put a value into them.",
    if: '"if" has no condition.',
    with: '"with" has no value.',
    range: '"range" has no list.',
  };
  return reader.fail(reader.peek(), reasons[context]);
}

/** `$x :=`, `$x =`, and in a range `$index, $item :=`. Null if there is none. */
function parseVariables(ctx: ParseContext, { context }: PipelineKind): number[] {
  const { reader, scope } = ctx;
  const names: Token[] = [];
  const ahead = (): Token => reader.peek(reader.peek(1).kind === "space" ? 2 : 1);
  while (reader.peek().kind === "variable" && ahead().kind === "comma") {
    const name = reader.next();
    if (context !== "range" || names.length > 0) {
      throw reader.fail(name, 'Only "range" sets two variables: {{range $index, $item := …}}.');
    }
    names.push(name);
    reader.skipSpace();
    reader.next();
    reader.skipSpace();
  }
  const isLast = ["assign", "declare"].includes(ahead().kind);
  if (reader.peek().kind !== "variable" || !isLast) {
    if (names.length === 0) return [];
    throw reader.fail(reader.peek(), "Write {{range $index, $item := …}}.");
  }
  names.push(reader.next());
  reader.skipSpace();
  const isDeclaration = reader.next().kind === "declare";
  return names.map((name) => {
    if (name.text === "$") throw reader.fail(name, '"$" is the data and cannot be set.');
    return isDeclaration ? scope.declare(name.text) : findVariable(ctx, name);
  });
}

function findVariable({ reader, scope }: ParseContext, { text, offset }: Token): number {
  const slot = scope.find(text);
  if (slot !== null) return slot;
  const hint = suggest(text, scope.names()) || ` Declare it before: {{${text} := …}}.`;
  throw reader.fail({ offset }, `The variable "${text}" is not declared here.${hint}`);
}

/** An operand, or a function with its arguments. Leaves the token after it. */
function parseCommand(ctx: ParseContext, { hasInput }: { hasInput: boolean }): Command {
  const { reader } = ctx;
  reader.skipSpace();
  const first = parseOperand(ctx);
  const operands: [Operand, ...Operand[]] = [first];
  while (reader.peek().kind === "space") {
    reader.skipSpace();
    if (["pipe", "close", "rightParen"].includes(reader.peek().kind)) break;
    operands.push(parseOperand(ctx));
  }
  const isFunction = first.kind === "function" && first.path.length === 0;
  if (hasInput && !isFunction) {
    throw reader.fail({ offset: first.start }, "A function must follow the |.");
  }
  const [, second] = operands;
  if (second !== undefined && !isFunction) {
    const name = reader.source.slice(first.start, second.start).trim();
    throw reader.fail(
      { offset: second.start },
      `"${name}" is not a function, so nothing can follow it. Write {{FUNCTION ${name} …}}, or join values with print.`,
    );
  }
  if (first.kind === "literal" && first.value === null && operands.length === 1) {
    throw reader.fail({ offset: first.start }, '"nil" cannot stand alone. Give it to a function.');
  }
  return { operands: checkNamedRoots(ctx, operands, hasInput), start: first.start };
}

/**
 * `.Node` and `.Secret` are read by name only, so that it is known before a run which nodes and
 * secrets a template needs. `index .Node "list"` becomes `.Node.list`.
 */
function checkNamedRoots(
  { reader }: ParseContext,
  operands: [Operand, ...Operand[]],
  hasInput: boolean,
): [Operand, ...Operand[]] {
  const [first, second, third, ...others] = operands;
  if (first.kind === "function" && first.name === "index" && third?.kind === "literal") {
    if (second !== undefined && isAlone(second, namedRoots) && typeof third.value === "string") {
      const named: Operand = { ...second, path: [third.value] };
      return others.length === 0 && !hasInput ? [named] : [first, named, ...others];
    }
  }
  const unnamed = operands.find((operand) => isAlone(operand, unreadableRoots));
  if (unnamed?.kind !== "root") return operands;
  const name = unnamed.root === "Node" ? "id" : "NAME";
  throw reader.fail(
    { offset: unnamed.start },
    `Name what ".${unnamed.root}" is read for: .${unnamed.root}.${name}, or (index .${unnamed.root} "${name}").`,
  );
}

/** The roots whose members have names of the workflow. */
const namedRoots: readonly RootName[] = ["Node", "Secret", "Env"];

const unreadableRoots: readonly RootName[] = ["Node", "Secret"];

function isAlone(
  operand: Operand,
  roots: readonly RootName[],
): operand is Operand & { kind: "root" } {
  return operand.kind === "root" && operand.path.length === 0 && roots.includes(operand.root);
}

/** A term and the fields behind it. */
function parseOperand(ctx: ParseContext): Operand {
  const { reader, scope } = ctx;
  const token = reader.next();
  const start = token.offset;
  switch (token.kind) {
    case "field": {
      const path = [token.text.slice(1), ...readFields(reader)];
      return scope.isDotRoot() ? toRoot(reader, token, path) : { kind: "dot", path, start };
    }
    case "dot":
      if (scope.isDotRoot()) throw rootAlone(reader, token);
      return { kind: "dot", path: [], start };
    case "variable":
      if (token.text === "$") return toRoot(reader, token, readFields(reader));
      return {
        kind: "variable",
        slot: findVariable(ctx, token),
        path: readFields(reader),
        start,
      };
    case "leftParen":
      return { kind: "group", pipeline: parseGroup(ctx, token), path: readFields(reader), start };
    case "word":
      return toWord(token) ?? toFunction(reader, token);
    case "number":
    case "char":
    case "string":
    case "rawString":
      return { kind: "literal", value: toLiteral(reader, token), start };
    default:
      throw reader.fail(token, `${nameToken(token)} is not expected here.`);
  }
}

function parseGroup(ctx: ParseContext, at: Token): Pipeline {
  if (ctx.depth >= nestingMax) {
    throw ctx.reader.fail(at, `Parentheses are nested more than ${nestingMax} deep.`);
  }
  ctx.depth += 1;
  const pipeline = parsePipeline(ctx, { context: "parentheses", closes: "rightParen" });
  ctx.depth -= 1;
  return pipeline;
}
