import { TemplateError } from "../template-error.ts";
import { nestingMax, sourceBytesMax } from "../template-limits.ts";
import { lexTemplate } from "./lexer.ts";
import { type ParseContext, parsePipeline } from "./parse-pipeline.ts";
import { createScope } from "./scope.ts";
import type { ActionNode, Node, Template } from "./template-nodes.ts";
import { createTokenReader, nameToken } from "./template-token-reader.ts";
import type { Token } from "./template-tokens.ts";

/**
 * Parses a template. The result can be shared and kept. Throws TemplateError for a source that is
 * no template, names an unknown function, variable or root, or has more than 64 KiB.
 */
export function parseTemplate(source: string): Template {
  if (Buffer.byteLength(source) > sourceBytesMax) {
    throw new TemplateError(
      { source, offset: 0 },
      "template_invalid",
      "The template is longer than 64 KiB. Shorten it, or split it over several fields.",
    );
  }
  // Most fields are plain text.
  if (!source.includes("{{")) {
    const nodes: Node[] = source === "" ? [] : [{ kind: "text", text: source }];
    return { source, nodes, whole: null, slots: 0 };
  }
  const ctx: ParseContext = {
    reader: createTokenReader(source, lexTemplate(source)),
    scope: createScope(),
    depth: 0,
  };
  const { nodes, closing } = parseNodes(ctx);
  if (closing !== null) {
    const where = `"${closing.word.text}" has no if, range or with before it.`;
    throw ctx.reader.fail(closing.word, where);
  }
  return { source, nodes, whole: findWhole(nodes), slots: ctx.scope.slots() };
}

/** The `end` or `else` that ends a list of nodes. Its word is read, the rest is not. */
type Closing = { word: Token; open: Token };

type Parsed = { nodes: Node[]; closing: Closing | null };

function parseNodes(ctx: ParseContext): Parsed {
  const { reader } = ctx;
  const nodes: Node[] = [];
  for (;;) {
    const token = reader.next();
    if (token.kind === "end") return { nodes, closing: null };
    if (token.kind === "text") {
      nodes.push({ kind: "text", text: token.text });
      continue;
    }
    reader.skipSpace();
    const word = reader.peek();
    if (word.kind === "word" && (word.text === "end" || word.text === "else")) {
      reader.next();
      return { nodes, closing: { word, open: token } };
    }
    nodes.push(parseAction(ctx, token));
  }
}

function parseAction(ctx: ParseContext, open: Token): Node {
  const { reader, scope } = ctx;
  const word = reader.peek();
  if (word.kind === "word") {
    switch (word.text) {
      case "if":
      case "with":
        reader.next();
        return nest(ctx, word, () => scope.within(() => parseBranches(ctx, word.text, open)));
      case "range":
        reader.next();
        return nest(ctx, word, () => scope.within(() => parseRange(ctx, open)));
      case "break":
      case "continue":
        reader.next();
        if (!scope.isInLoop()) throw reader.fail(word, `"${word.text}" stands outside a range.`);
        reader.expect("close", `"${word.text}" stands alone: {{${word.text}}}.`);
        return { kind: word.text };
      case "define":
      case "template":
      case "block":
        throw reader.fail(word, `"${word.text}" is not available here.`);
    }
  }
  return { kind: "action", pipeline: parsePipeline(ctx, { context: "action", closes: "close" }) };
}

/** `if` and `with` with their branches. The first word is read. */
function parseBranches(ctx: ParseContext, keyword: string, open: Token): Node {
  const { scope } = ctx;
  const kind = keyword === "with" ? "with" : "if";
  const branches: { pipeline: ReturnType<typeof parsePipeline>; body: Node[] }[] = [];
  for (;;) {
    const pipeline = parsePipeline(ctx, { context: kind, closes: "close" });
    const parseBody = () => scope.within(() => parseNodes(ctx));
    const { nodes, closing } =
      kind === "with" ? scope.rebind(parseBody, { isLoop: false }) : parseBody();
    branches.push({ pipeline, body: nodes });
    const continues = readClosing(ctx, closing, { kind, open });
    if (continues === "end") return { kind, branches, otherwise: [] };
    if (continues === "else") {
      return { kind, branches, otherwise: parseLastBody(ctx, { kind, open }) };
    }
  }
}

function parseRange(ctx: ParseContext, open: Token): Node {
  const { scope } = ctx;
  const kind = "range";
  const pipeline = parsePipeline(ctx, { context: kind, closes: "close" });
  const parseBody = () => scope.within(() => parseNodes(ctx));
  const { nodes: body, closing } = scope.rebind(parseBody, { isLoop: true });
  const hasElse = readClosing(ctx, closing, { kind, open }) === "else";
  const otherwise = hasElse ? parseLastBody(ctx, { kind, open }) : null;
  return { kind, pipeline, body, otherwise };
}

type Control = { kind: "if" | "with" | "range"; open: Token };

/** The body after `else`, up to its `end`. */
function parseLastBody(ctx: ParseContext, control: Control): Node[] {
  const { nodes, closing } = ctx.scope.within(() => parseNodes(ctx));
  if (closing !== null && closing.word.text === "else") {
    throw ctx.reader.fail(closing.word, `"${control.kind}" has more than one else. Remove one.`);
  }
  readClosing(ctx, closing, control);
  return nodes;
}

/** Reads the rest of `{{end}}`, `{{else}}` or the beginning of `{{else if …}}`. */
function readClosing(
  { reader }: ParseContext,
  closing: Closing | null,
  { kind, open }: Control,
): "end" | "else" | "else-branch" {
  if (closing === null) throw reader.fail(open, `"${kind}" has no {{end}}. Add it.`);
  if (closing.word.text === "end") {
    reader.expect("close", '"end" stands alone: {{end}}.');
    return "end";
  }
  reader.skipSpace();
  const word = reader.peek();
  if (word.kind === "close") {
    reader.next();
    return "else";
  }
  if (word.kind === "word" && word.text === kind && kind !== "range") {
    reader.next();
    return "else-branch";
  }
  const branch = kind === "range" ? "" : ` or {{else ${kind} …}}`;
  throw reader.fail(word, `${nameToken(word)} cannot follow "else". Write {{else}}${branch}.`);
}

/** Limits how deep control structures and parentheses are nested, because parsing is recursive. */
function nest<Result>(ctx: ParseContext, at: Token, part: () => Result): Result {
  if (ctx.depth >= nestingMax) {
    throw ctx.reader.fail(at, `Actions are nested more than ${nestingMax} deep.`);
  }
  ctx.depth += 1;
  const result = part();
  ctx.depth -= 1;
  return result;
}

function findWhole(nodes: readonly Node[]): ActionNode | null {
  const [only] = nodes;
  if (only === undefined || nodes.length > 1 || only.kind !== "action") return null;
  return only.pipeline.variables.length === 0 ? only : null;
}
