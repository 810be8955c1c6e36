import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { ScriptFailure } from "./question-frames.ts";

/** What a script threw. It can write all of it. */
export type Thrown = {
  name: string;
  message: string;
  stack: string;
  /** Those that an error of a call has. */
  members: NonNullable<ScriptFailure["members"]>;
};

const unknownThrown: Thrown = { name: "", message: "", stack: "", members: {} };

const memberCharsMax = 200;

/** An error that QuickJS itself has made. */
export function readThrown(ctx: QuickJSContext, handle: QuickJSHandle): Thrown {
  try {
    const dumped: unknown = ctx.dump(handle);
    if (dumped === null) return { ...unknownThrown, message: "null" };
    return readMembers(dumped);
  } catch {
    return unknownThrown;
  }
}

/** An error that the setup has described. */
export function toThrown(text: string): Thrown {
  try {
    return readMembers(JSON.parse(text));
  } catch {
    return unknownThrown;
  }
}

function readMembers(value: unknown): Thrown {
  const { name, message, stack, code, pending_id } = { ...unknownThrown, ...Object(value) };
  const members: Thrown["members"] = {};
  if (isMember(code)) members.code = code;
  if (isMember(pending_id)) members.pending_id = pending_id;
  return { name: String(name), message: String(message), stack: String(stack), members };
}

function isMember(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= memberCharsMax;
}

/** The innermost place in the source of the user. */
export function findLine(stack: string): number | null {
  const line = Number(/source\.js:(\d+)/.exec(stack)?.[1] ?? 0);
  return line >= 1 && line <= 1_000_000 ? line : null;
}
