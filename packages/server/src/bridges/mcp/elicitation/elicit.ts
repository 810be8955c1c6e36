import type { ConnectorCall } from "../../../connectors/connector-port.ts";
import type { ElicitedAnswer, NotAsked } from "../../../connectors/elicitation.ts";
import { checkElicited } from "./check-elicited.ts";

/** `isOwn`: no other call can have asked it. */
export type RefusedQuestion = { reason: string; isOwn: boolean };

/** A call within which a server may ask. */
export type Asking = Pick<ConnectorCall, "elicit"> & {
  /** Takes why a question of the server was not passed on. */
  noteRefused?(question: RefusedQuestion): void;
};

/**
 * Asks the person of the call within which a server asks. The protocol does not say which call that is, so there must be one
 * alone. The reason if it is not shown, which the call is told too.
 */
export async function elicit(
  calls: ReadonlySet<Asking>,
  params: unknown,
  pageHosts: ReadonlySet<string>,
): Promise<ElicitedAnswer | NotAsked> {
  const [call, ...others] = calls;
  if (call?.elicit === undefined || others.length > 0) {
    return refuseFor(calls, "The hub cannot say whose call it is about, so it is not shown.");
  }
  const asked = checkElicited(params, { shows: call.elicit.shows, pageHosts });
  if ("refused" in asked) return refuseFor(calls, asked.refused);
  const { ask } = call.elicit;
  if (ask === undefined) return refuseFor(calls, needsTasks);
  const answer = await ask(asked);
  return "refused" in answer ? refuseFor(calls, answer.refused) : answer;
}

/** The server waits for the answer within its call, which an answer to the client would end. */
const needsTasks =
  "It asks within the call, and the client of the call can be asked so only as a task: it has to declare the extension io.modelcontextprotocol/tasks, or a version of the protocol before 2026-07-28.";

function refuseFor(calls: ReadonlySet<Asking>, refused: string): NotAsked {
  const isOwn = calls.size === 1;
  for (const { noteRefused } of calls) noteRefused?.({ reason: refused, isOwn });
  return { refused };
}
