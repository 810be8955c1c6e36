import { z } from "zod";
import type { People } from "../people.ts";
import { SlackError, toDetailedError } from "../slack-error.ts";
import type { SocketMode } from "../socket-mode.ts";
import type { JsonObject, Workspace } from "../workspace.ts";

export type MethodContext = {
  slack: Workspace;
  people: People;
  socketMode: SocketMode;
  origin: string;
};

export type Method = {
  /** Whether the method takes `application/json`. All take forms. */
  takesJson: boolean;
  tokenKind: "bot" | "app" | "any";
  scopes: readonly string[];
  run(context: MethodContext, args: JsonObject): JsonObject;
};

/** Arguments that the method does not have, and wrong types, are refused and recorded. */
export function defineMethod<Shape extends z.ZodRawShape>(method: {
  args: Shape;
  takesJson?: boolean;
  tokenKind?: "bot" | "app" | "any";
  scopes?: readonly string[];
  run(context: MethodContext, args: z.output<z.ZodObject<Shape, z.core.$strict>>): JsonObject;
}): Method {
  const schema = z.strictObject(method.args);
  return {
    takesJson: method.takesJson ?? true,
    tokenKind: method.tokenKind ?? "bot",
    scopes: method.scopes ?? [],
    run(context, args) {
      const parsed = schema.safeParse(args);
      if (parsed.success) return method.run(context, parsed.data);
      const messages = parsed.error.issues.map((issue) => toArgumentMessage(issue, args));
      const isUnknown = parsed.error.issues.some(({ code }) => code === "unrecognized_keys");
      const code = isUnknown ? "invalid_arg_name" : "invalid_arguments";
      throw toDetailedError(code, messages, { isFault: true });
    },
  };
}

function toArgumentMessage(issue: z.core.$ZodIssue, args: JsonObject): string {
  if (issue.code === "unrecognized_keys") return `[ERROR] unknown arguments: ${issue.keys}`;
  const name = issue.path.join("/");
  if (!(name in args)) return `[ERROR] missing required field: ${name}`;
  return `[ERROR] ${issue.message} [json-pointer:/${name}]`;
}

export const text = z.string();
export const flag = z.union([
  z.boolean(),
  z.enum(["true", "1"]).transform(() => true),
  z.enum(["false", "0"]).transform(() => false),
  z.literal([0, 1]).transform((value) => value === 1),
]);
export const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d+$/)
    .transform(Number),
]);
export const timestamp = z.string().regex(/^\d{10}\.\d{6}$/);
export const list = z.string().transform((value) => value.split(",").map((item) => item.trim()));

/** An array or object: as JSON text in a form, and as either in a JSON body. */
export const json = z.unknown().transform((value, context) => {
  if (typeof value !== "string") return value;
  try {
    const parsed: unknown = JSON.parse(value);
    return parsed;
  } catch {
    context.addIssue({ code: "custom", message: "no valid JSON" });
    return z.NEVER;
  }
});

export function readLimit(limit: number | undefined, max: number): number {
  if (limit === undefined || limit === 0) return 100;
  if (limit < 0 || limit > max) throw new SlackError("invalid_limit");
  return limit;
}

/** One page of a list, and `response_metadata.next_cursor`, which is empty at the end. */
export function toPage<T>(all: readonly T[], limit: number, cursor: string | undefined) {
  let start = 0;
  if (cursor) {
    const match = /^offset:(\d+)$/.exec(Buffer.from(cursor, "base64").toString());
    if (!match) throw new SlackError("invalid_cursor");
    start = Number(match[1]);
  }
  const end = start + limit;
  const next = end < all.length ? Buffer.from(`offset:${end}`).toString("base64") : "";
  return { items: all.slice(start, end), metadata: { next_cursor: next } };
}
