import { isJsonObject, UpstreamError } from "@hub/connector";
import type { Elicited } from "../../../connectors/elicitation.ts";
import { HubError } from "../../../errors.ts";
import type { McpContext } from "../mcp-context.ts";
import { checkElicited, readPageHosts } from "./check-elicited.ts";
import type { ServerQuestions } from "./relayed-input.ts";

/** How often a server may ask before it answers. */
export const roundsMax = 5;
const questionsMax = 5;
const keyCharsMax = 200;
/** A client sends it back with each repeat. */
const stateCharsMax = 16 * 1024;

/**
 * Checks what a server asks before it answers. Throws an UpstreamError with the reason if a part of it is not shown: the server needs
 * all of it. Throws `input_required` if the call has no client that can be asked: nothing has run, and another client may repeat it.
 */
export function checkQuestions(
  { elicit, config }: Pick<McpContext, "elicit" | "config">,
  requests: Readonly<Record<string, unknown>>,
  state: string | null,
): ServerQuestions {
  const entries = Object.entries(requests);
  if (entries.length > questionsMax) {
    throw refuseQuestion(`It asks for more than ${questionsMax} things at once.`);
  }
  if (state !== null && state.length > stateCharsMax) {
    throw refuseQuestion("Its state is larger than 16 KiB.");
  }
  const pageHosts = readPageHosts(config.PageHosts);
  const questions = new Map<string, Elicited>();
  for (const [key, request] of entries) {
    if (!isJsonObject(request) || request.method !== "elicitation/create") {
      throw refuseQuestion("It asks for something that the client of the call has not declared.");
    }
    if (elicit === undefined) throw refuseUnasked();
    if (key.length > keyCharsMax) throw refuseQuestion("A key of its questions is too long.");
    const asked = checkElicited(request.params, { shows: elicit.shows, pageHosts });
    if ("refused" in asked) throw refuseQuestion(asked.refused);
    questions.set(key, asked);
  }
  return { questions, state };
}

/** Of a call that the hub makes itself, or whose client declares no elicitation. */
export function refuseUnasked(cause?: unknown): HubError {
  return new HubError(
    "input_required",
    "The MCP server asks its user something before it answers, and this call has no client that shows questions, so it was not passed on. Make the call from a client with elicitation, or send what the server needs in the params.",
    { cause },
  );
}

export function refuseQuestion(reason: string): UpstreamError {
  return new UpstreamError(
    `The MCP server asks the user a question before it answers, which was not passed on. ${reason}`,
  );
}
