import { isJsonObject, type Json, toJsonText } from "@hub/connector";
import type { ConnectorCall } from "../../connectors/connector-port.ts";
import type { Elicited, ElicitedForm, NotAsked } from "../../connectors/elicitation.ts";
import { listFields, readElicitedAnswer } from "../../connectors/read-elicited-answer.ts";
import { HubError } from "../../errors.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import { sealMessage } from "../masking/seal-message.ts";
import type { CallContext, ClientRequest } from "../operations.ts";
import { showText } from "../pending/show-params.ts";
import type { Recording } from "../records/recording.ts";

/** A system that asks again and again is stopped. */
const questionsMax = 5;

type Asker = Pick<Recording, "mask"> & { rowLabel: string; isStateless: boolean };

/**
 * How a connector asks the person whose client makes a call; undefined if that client is asked nothing. The calls
 * of a script or a message with several calls ask nothing: their questions would not say which call they are about. What is
 * shown is masked as a result is, and names the row that gets the answer. The answer is passed on as it is: value tokens in
 * it stay unopened.
 */
export function createElicit(
  { client, askClient, relay, cause }: CallContext,
  { mask }: Pick<Recording, "mask">,
  rowLabel: string,
): ConnectorCall["elicit"] {
  if (client === undefined || cause !== undefined) return undefined;
  const { elicitation: shows } = client;
  if (!shows.form && !shows.url) return undefined;
  if (askClient === undefined && relay === undefined) return undefined;
  const asker = { mask, rowLabel, isStateless: client.mode === "stateless" };
  return {
    shows,
    ...(askClient && { ask: createAsk(asker, askClient) }),
    ...(relay && {
      relay: {
        answered: relay.answered,
        isOpen: () => relay.isOpen(),
        end: (questions, kept) => relay.end(toRequests(asker, questions), kept),
      },
    }),
  };
}

function createAsk(
  asker: Asker,
  askClient: NonNullable<CallContext["askClient"]>,
): NonNullable<ConnectorCall["elicit"]>["ask"] {
  let count = 0;
  return async (asked) => {
    count += 1;
    if (count > questionsMax) return { refused: `A call asks at most ${questionsMax} times.` };
    const request = toRequest(asker, asked);
    if ("refused" in request) return request;
    const fields = "url" in asked ? null : new Set(listFields(asked.requestedSchema));
    return readElicitedAnswer(await askClient(request), fields) ?? { action: "cancel" };
  };
}

function toRequests(
  asker: Asker,
  questions: ReadonlyMap<string, Elicited>,
): Record<string, ClientRequest> {
  const requests = Array.from(questions, ([key, asked]) => {
    const request = toRequest(asker, asked);
    if ("refused" in request) throw new HubError("upstream_error", request.refused);
    return [key, request] as const;
  });
  return Object.fromEntries(requests);
}

/** What the client shows. Texts are as in results, and what is not seen in them is written by its number. */
function toRequest(
  { mask, rowLabel, isStateless }: Asker,
  asked: Elicited,
): ClientRequest | NotAsked {
  const said = showText(sealMessage(mask, asked.message));
  const row = toJsonText(showText(rowLabel));
  if (!("url" in asked)) {
    const message = `${row} asks: ${said}\n\nThis answer goes to ${row}.`;
    const requestedSchema = showTexts(mask.sealJson(asked.requestedSchema));
    return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
  }
  const { url } = asked;
  // The client, and a log between, would have it.
  if (mask.sealText(url) !== url) {
    return {
      refused: "The row's server asks to open a page whose address has a secret of the row in it.",
    };
  }
  const message = `${row} asks to open a page of ${new URL(url).host}: ${said}`;
  const elicitationId = isStateless ? {} : { elicitationId: crypto.randomUUID() };
  return { method: "elicitation/create", params: { mode: "url", message, url, ...elicitationId } };
}

/** The members of a field, and of its choices, that a person reads. All others are names and values. */
const shownMembers: ReadonlySet<string> = new Set(["title", "description", "enumNames"]);
const partMembers: ReadonlySet<string> = new Set(["items", "oneOf", "anyOf"]);

/** The schema with its texts as `showText` writes them. */
function showTexts(schema: Json): ElicitedForm["requestedSchema"] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return {};
  const { properties, ...rest } = schema;
  const fields = Object.entries(properties).map(([name, field]) => [name, showField(field)]);
  return { ...rest, properties: Object.fromEntries(fields) };
}

function showField(field: Json): Json {
  if (Array.isArray(field)) return field.map(showField);
  if (!isJsonObject(field)) return field;
  const members = Object.entries(field).map(([key, value]) => {
    if (shownMembers.has(key)) return [key, mapJson(value, { mapText: showText })];
    return [key, partMembers.has(key) ? showField(value) : value];
  });
  return Object.fromEntries(members);
}
