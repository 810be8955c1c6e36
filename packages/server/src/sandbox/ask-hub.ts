import { readFrame, sendFrame } from "./process-frames.ts";
import type { HubFrame, QuestionHeader } from "./question-frames.ts";
import {
  fieldCharsMax,
  fieldsMax,
  paramsBytesMax,
  queryCharsMax,
  questionsAtOnceMax,
  questionsMax,
  toolIdCharsMax,
  waitingParamsCharsMax,
} from "./script-limits.ts";

/** What a script may do in the hub, inside of the process that runs it. */
export type Hub = {
  /** Asks, or lets the question wait while five are open. Returns its id, or why it cannot be asked. */
  ask(question: AskedQuestion): number | { code: string; message: string };
  /** Whether an answer will come. */
  hasOpen(): boolean;
  /** Waits for the next answer. `stop`: the time of the script is over. */
  waitForReply(): HubReply | "stop";
};

/** `target` is the id of a tool, `text` its params or the query as JSON, `fields` JSON or empty. */
export type AskedQuestion = { kind: string; target: string; text: string; fields: string };

export type HubReply = { id: number; isError: boolean; text: string };

type Waiting = { header: QuestionHeader; text: string };

/** Questions have the ids from `firstId` on, in the order in which they are sent. */
export function openHub(firstId: number): Hub {
  let nextId = firstId;
  const open = new Set<number>();
  const waiting: Waiting[] = [];
  let waitingChars = 0;

  function sendWaiting(): void {
    while (open.size < questionsAtOnceMax) {
      const next = waiting.shift();
      if (next === undefined) return;
      waitingChars -= next.text.length;
      open.add(next.header.id);
      sendFrame(next.header, new TextEncoder().encode(next.text));
    }
  }

  return {
    ask(question) {
      if (nextId - firstId >= questionsMax) {
        return refuse(
          "rate_limited",
          `A script may make at most ${questionsMax} calls and searches. Return what it has, and go on in another one.`,
        );
      }
      const header = toHeader(question, nextId);
      if ("message" in header) return header;
      if (waitingChars + question.text.length > waitingParamsCharsMax) {
        return refuse(
          "invalid_params",
          "The params of the calls that wait have more than 4 MiB. Await some of them first.",
        );
      }
      waiting.push({ header, text: question.text });
      waitingChars += question.text.length;
      nextId += 1;
      sendWaiting();
      return header.id;
    },
    hasOpen: () => open.size > 0,
    waitForReply() {
      for (;;) {
        const frame = readFrame();
        // The hub has ended.
        if (frame === null) process.exit();
        const header = frame.header as HubFrame;
        if (header.kind === "stop") return "stop";
        // Answers of a script before this one may be left.
        if (!open.delete(header.id)) continue;
        sendWaiting();
        const text = new TextDecoder().decode(frame.body);
        return { id: header.id, isError: header.isError, text };
      }
    },
  };
}

/** The hub ends a process that sends more, so the script gets an error before. */
function toHeader(
  { kind, target, text, fields }: AskedQuestion,
  id: number,
): QuestionHeader | { code: string; message: string } {
  if (Buffer.byteLength(text) > paramsBytesMax) {
    return refuse(
      "invalid_params",
      `The params of a call may have at most ${paramsBytesMax / 1024} KiB of JSON.`,
    );
  }
  if (kind === "search") {
    if (text.length <= queryCharsMax) return { kind, id };
    return refuse(
      "invalid_params",
      `A query may have at most ${queryCharsMax.toLocaleString("en")} characters.`,
    );
  }
  if (target.length > toolIdCharsMax) {
    return refuse("invalid_params", "The id of the tool is too long.");
  }
  if (fields === "") return { kind: "call", id, toolId: target };
  const list: unknown = JSON.parse(fields);
  const isList =
    Array.isArray(list) &&
    list.length <= fieldsMax &&
    list.every((field) => typeof field === "string" && field.length <= fieldCharsMax);
  if (isList) return { kind: "call", id, toolId: target, fields: list };
  return refuse(
    "invalid_params",
    `fields must be a list of at most ${fieldsMax} texts of at most ${fieldCharsMax} characters.`,
  );
}

function refuse(code: string, message: string): { code: string; message: string } {
  return { code, message };
}
