import { isJsonObject, type Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { CallContext, ClientRequest, ClientTold } from "../../operations/operations.ts";
import type { UnfinishedAnswer } from "../capability.ts";
import type { Params } from "../frames/frame.ts";
import { toMembers } from "../frames/write-frame.ts";
import { type ClientInput, type NeededInput, noInput } from "./needed-input.ts";
import type { RequestStates } from "./request-states.ts";

/** Reads the answers of a request. Throws `malformed_params` for a state that is not the hub's, or is not of this request. */
export function readClientInput(
  states: RequestStates,
  ctx: CallContext,
  params: Params,
): ClientInput | Promise<ClientInput> {
  const { inputResponses = {}, requestState } = params;
  if (ctx.client?.mode !== "stateless") return noInput;
  if (!isJsonObject(inputResponses)) {
    throw new HubError("malformed_params", '"inputResponses" must be an object.');
  }
  if (requestState === undefined) return { responses: inputResponses, kept: null };
  return openState(states, ctx, params, { inputResponses, requestState });
}

async function openState(
  states: RequestStates,
  ctx: CallContext,
  params: Params,
  { inputResponses, requestState }: { inputResponses: Params; requestState: Json },
): Promise<ClientInput> {
  const opened =
    typeof requestState === "string" ? await states.open(ctx, params, requestState) : null;
  if (opened === null) {
    throw new HubError(
      "malformed_params",
      '"requestState" is not of this request, was changed, or is too old. Send the request again without it.',
    );
  }
  return { responses: inputResponses, kept: opened.kept };
}

/** The answer that asks. Throws `capability_missing` for what the client did not declare. */
export async function presentNeeded(
  states: RequestStates,
  ctx: CallContext,
  params: Params,
  { requests, kept }: NeededInput,
): Promise<UnfinishedAnswer> {
  checkDeclared(ctx.client, Object.values(requests));
  const requestState = await states.seal(ctx, params, kept);
  return {
    resultType: "input_required",
    members: toMembers({
      // A client that is asked nothing repeats its request at once.
      ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
      requestState,
    }),
  };
}

function checkDeclared(client: ClientTold | undefined, requests: readonly ClientRequest[]): void {
  if (client?.mode !== "stateless") {
    throw new Error("Only clients of the stateless mode are asked by an answer.");
  }
  const missing = requests.filter((request) => !isDeclared(client, request));
  if (missing.length === 0) return;
  throw new HubError(
    "capability_missing",
    "The call needs something of its client that the client did not declare.",
    { detail: { requiredCapabilities: Object.assign({}, ...missing.map(toCapability)) } },
  );
}

function isDeclared(client: ClientTold, request: ClientRequest): boolean {
  switch (request.method) {
    case "elicitation/create":
      return request.params.mode === "url" ? client.elicitation.url : client.elicitation.form;
    case "sampling/createMessage":
      return client.sampling;
    case "roots/list":
      return client.roots;
    default:
      return false;
  }
}

function toCapability({ method, params }: ClientRequest): Record<string, object> {
  if (method === "elicitation/create") {
    return { elicitation: params.mode === "url" ? { url: {} } : { form: {} } };
  }
  return method === "roots/list" ? { roots: {} } : { sampling: {} };
}
