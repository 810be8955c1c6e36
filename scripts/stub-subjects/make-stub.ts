import { type Node, parseSync } from "oxc-parser";

/** A part of a text that is replaced. */
type Edit = { start: number; end: number; text: string };

/**
 * Returns a module with the same exports, in which functions return undefined, or a promise of it, and classes are empty.
 * Constants stay as they are. The text is the same if it exports no function and no class.
 */
export function makeStub(file: string, text: string): string {
  const { body } = parseSync(file, text).program;
  const exported = new Set(body.flatMap(listExported));
  const edits: Edit[] = [];
  for (const statement of body) {
    const isExport = /^Export(?:Named|Default)Declaration$/.test(statement.type);
    const declared =
      isExport && "declaration" in statement && statement.declaration !== null
        ? statement.declaration
        : statement;
    // The cast is safe: a declaration of a module is a node.
    for (const { name, value } of listDeclared(declared as Node)) {
      if (!isExport && !exported.has(name)) continue;
      const edit = toEdit(value);
      if (edit !== null) edits.push(edit);
    }
  }
  let stub = text;
  for (const { start, end, text: replacement } of edits.sort(
    (one, other) => other.start - one.start,
  )) {
    stub = stub.slice(0, start) + replacement + stub.slice(end);
  }
  return stub;
}

/** The local names of `export { name }`. */
function listExported(statement: Node): string[] {
  if (statement.type !== "ExportNamedDeclaration" || statement.source !== null) return [];
  return statement.specifiers.flatMap(({ local }) =>
    local.type === "Identifier" ? local.name : [],
  );
}

function listDeclared(declared: Node): Array<{ name: string; value: Node }> {
  switch (declared.type) {
    case "VariableDeclaration":
      return declared.declarations.flatMap(({ id, init }) =>
        id.type === "Identifier" && init !== null ? { name: id.name, value: init } : [],
      );
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return [{ name: declared.id?.name ?? "default", value: declared }];
    default:
      return [];
  }
}

function toEdit(value: Node): Edit | null {
  switch (value.type) {
    case "ClassDeclaration":
    case "ClassExpression": {
      // Without its base class, which may need arguments.
      const start =
        value.superClass === null ? value.body.start : (value.id?.end ?? value.start + 5);
      return { start, end: value.body.end, text: " {}" };
    }
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "ParenthesizedExpression":
      return toEdit(value.expression);
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression": {
      const { body } = value;
      if (body === null) return null;
      const result = givesPromise(value) ? "Promise.resolve(undefined)" : "undefined";
      // The caller of a generator gets no items.
      const text = value.generator ? "{}" : `{ return ${result}; }`;
      return { start: body.start, end: body.end, text };
    }
    default:
      return null;
  }
}

/** Whether a function that is not async returns a promise. */
function givesPromise({ returnType }: Node & { returnType?: unknown }): boolean {
  // The cast is safe: only the members that are checked are read.
  const type = (returnType as { typeAnnotation?: { typeName?: { name?: string } } } | null)
    ?.typeAnnotation;
  return type?.typeName?.name === "Promise";
}
