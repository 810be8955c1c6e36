import { readBytes } from "../../../connectors/builtin/http/answer.ts";
import type { AnswerBudget } from "../../../connectors/connector-port.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { checkMessage } from "../check-message.ts";
import { hideDigits } from "../results/keep-digits.ts";
import { createMessageGate, type MessageGate, toMessageSteps } from "./message-gate.ts";
import type { OpenRequests } from "./open-requests.ts";
import { aloneCharsMin } from "./read-message-events.ts";

type ReadDeps = {
  timers: Pick<Timers, "now">;
  requests: OpenRequests;
  /** Reserves steps of the event loop. Null if they are free, otherwise a promise to await first. */
  takeSteps(steps: number): Promise<void> | null;
};

const utf8 = new TextDecoder();

/** Reads a JSON body: a message, or a list of them, as the client library may parse it. */
export async function readMessages(
  response: Response,
  memory: AnswerBudget | undefined,
  { timers, requests, takeSteps }: ReadDeps,
): Promise<string> {
  const text = utf8.decode(await readBytes(response, memory));
  const steps = toMessageSteps(text.length);
  const turn = takeSteps(steps);
  if (turn !== null) await turn;
  checkMessage(text);
  const hidden = hideDigits(text);
  // The library parses a long one in another turn.
  if (text.length > aloneCharsMin) await takeSteps(steps);
  const gate = createMessageGate<unknown>({ now: timers.now, requests });
  return isList(hidden) ? takeOwn(hidden, gate) : hidden;
}

const isList = (text: string) => text.trimStart().startsWith("[");

/** Of a list of messages, which an older protocol allows, those that pass. */
function takeOwn(text: string, gate: MessageGate<unknown>): string {
  const list: unknown = JSON.parse(text);
  const own = Array.isArray(list) ? list.flatMap((message) => gate.admit(message, message)) : [];
  return JSON.stringify(own);
}
