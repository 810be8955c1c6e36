import { parseJson } from "@hub/connector";
import { HubError } from "../errors.ts";
import { findJsonExcess } from "../lib/json/scan-json.ts";
import { decodeUtf8 } from "../lib/text/decode-utf8.ts";
import type { Frame } from "./answer-frames.ts";
import type { HubFrame, QuestionHeader } from "./question-frames.ts";
import {
  paramsBytesMax,
  paramsDepthMax,
  paramsValuesMax,
  queryCharsMax,
  questionsAtOnceMax,
  questionsMax,
  replyBytesMax,
} from "./script-limits.ts";
import type { SandboxScript, ScriptQuestion, ScriptReply } from "./script-sandbox.ts";

type QuestionDeps = {
  answer: SandboxScript["answer"];
  /** Resolves when the process has taken the whole frame, or has ended. Never rejects. */
  send(header: HubFrame, body: Uint8Array): Promise<void>;
  /** The id of the first question. The others follow it. */
  firstId: number;
};

/** How many questions were begun, and how many of them were answered. */
export type QuestionCounts = { begun: number; ended: number };

/**
 * The questions of one script, as the hub sees them. The process may have been taken over: `take` throws for what no
 * script can send, and its process then ends.
 */
export class ScriptQuestions {
  readonly #deps: QuestionDeps;
  readonly #stopping = new AbortController();
  readonly #open = new Map<number, Promise<void>>();
  /** Answers that the process has not taken yet. */
  #untaken = 0;
  #nextId: number;
  #begun = 0;
  #ended = 0;
  #isSending = true;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
    this.#nextId = deps.firstId;
  }

  get nextId(): number {
    return this.#nextId;
  }

  take({ header, body }: Frame<QuestionHeader>): void {
    const { id } = header;
    if (id !== this.nextId) throw new Error("A question has an id that is not the next one.");
    if (this.#begun >= questionsMax) throw new Error("A script asked too often.");
    if (this.#open.size >= questionsAtOnceMax) throw new Error("A script asked too much at once.");
    // A script asks further only for answers that it has read. Of one of them, the hub may not know yet.
    if (this.#open.size + this.#untaken > questionsAtOnceMax) {
      throw new Error("A script asked on without reading its answers.");
    }
    const question = readQuestion(header, body);
    this.#nextId += 1;
    // It was under way when the script was stopped. A call now would begin after its limit.
    if (this.#stopping.signal.aborted) return;
    this.#begun += 1;
    this.#open.set(id, this.#reply(id, question));
  }

  count(): QuestionCounts {
    return { begun: this.#begun, ended: this.#ended };
  }

  /** Nothing is sent any more: the script has ended. */
  close(): void {
    this.#isSending = false;
  }

  /** Cancels what is open. */
  stop(reason: Error): void {
    this.close();
    this.#stopping.abort(reason);
  }

  /** Resolves when each question has an answer. */
  async complete(): Promise<void> {
    await Promise.all(this.#open.values());
  }

  async #reply(id: number, question: ScriptQuestion | ScriptReply): Promise<void> {
    const reply = "text" in question ? question : await this.#answer(question);
    this.#ended += this.#stopping.signal.aborted ? 0 : 1;
    this.#open.delete(id);
    if (!this.#isSending) return;
    const { kind, text } = toFitting(reply);
    const header = { kind: "reply", id, isError: kind === "error" } as const;
    this.#untaken += 1;
    void this.#deps.send(header, new TextEncoder().encode(text)).then(() => {
      this.#untaken -= 1;
    });
  }

  async #answer(question: ScriptQuestion): Promise<ScriptReply> {
    try {
      return await this.#deps.answer(question, this.#stopping.signal);
    } catch {
      return toErrorReply("internal", "The hub failed to answer. The reason is in its log.");
    }
  }
}

/** The question of a frame, or the error that the script gets at once. Throws for what no script can send. */
function readQuestion(header: QuestionHeader, body: Uint8Array): ScriptQuestion | ScriptReply {
  if (body.length > paramsBytesMax) throw new Error("A question is too long.");
  const text = decodeUtf8(body);
  if (text === null) throw new Error("A question is no text.");
  const limits = { depthMax: paramsDepthMax, valuesMax: paramsValuesMax };
  const excess = findJsonExcess(text, limits);
  if (excess !== null) return refuseParams(excess);
  const value = parseJson(text);
  if (header.kind === "call") {
    const { toolId, fields } = header;
    return { kind: "call", toolId, params: value, ...(fields && { fields }) };
  }
  if (typeof value !== "string" || value.length > queryCharsMax) {
    throw new Error("A query is no text, or is too long.");
  }
  return { kind: "search", query: value };
}

function refuseParams(excess: "depth" | "values"): ScriptReply {
  const limit =
    excess === "depth"
      ? `are nested deeper than ${paramsDepthMax} levels`
      : `have more than ${paramsValuesMax.toLocaleString("en")} values`;
  return toErrorReply("invalid_params", `The params ${limit}. Send less in one call.`);
}

function toFitting(reply: ScriptReply): ScriptReply {
  const bytes = Buffer.byteLength(reply.text);
  if (bytes <= replyBytesMax) return reply;
  return toErrorReply(
    "result_too_large",
    `The call ended, but its result has ${bytes.toLocaleString("en")} bytes, and a script gets at most ${replyBytesMax.toLocaleString("en")} of one call. Name the parts that you need in fields, or ask for fewer items.`,
    { bytes, bytes_max: replyBytesMax },
  );
}

function toErrorReply(code: string, message: string, more: object = {}): ScriptReply {
  return { kind: "error", text: JSON.stringify({ code, message, ...more }) };
}

/** Why open calls of a script are cancelled. */
export function toStopped(): HubError {
  return new HubError("cancelled", "The script that made this call has ended.");
}
