import type { Json } from "@hub/connector";
import type { HubError } from "../errors.ts";

/** Runs scripts that may ask the hub. A script is never run a second time. */
export type ScriptSandbox = {
  /**
   * Rejects with the reason of the signal, whose abort ends the process, and with `rate_limited` if the user's
   * script had to wait too long. Every `answer` has ended then.
   */
  run(script: SandboxScript, signal: AbortSignal): Promise<ScriptEnd>;
};

export type SandboxScript = {
  /** The user: one script at a time; waits at most 10 s, then HubError rate_limited. */
  ownerId: string;
  source: string;
  input: Json;
  /** Of everything, waiting for calls included. Computing has 5 s of its own. */
  timeoutMs: number;
  /**
   * At most five at once; further ones wait in the process. Never rejects. It must heed the signal, which cancels what
   * is open when the process ends or the time is over. A script that ends by itself does not cancel what it has
   * begun: the run then waits for it, up to the time of the script.
   */
  answer(question: ScriptQuestion, signal: AbortSignal): Promise<ScriptReply>;
};

export type ScriptQuestion =
  | { kind: "call"; toolId: string; params: unknown; fields?: readonly string[] }
  | { kind: "search"; query: string };

/** JSON texts. An error is thrown in the script as an Error with these members (message, code, pending_id, …). */
export type ScriptReply = { kind: "value"; text: string } | { kind: "error"; text: string };

export type ScriptEnd =
  | { kind: "value"; value: Json; logs: readonly string[] }
  /** The script failed or met a limit: `error` says why, with the line. */
  | { kind: "failed"; error: HubError; logs: readonly string[] }
  /** Its process ended; what it had begun is known to the one who answered. */
  | { kind: "broken" };
