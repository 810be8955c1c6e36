import { cutText, isJsonObject, type Json, parseJson, UpstreamError } from "@hub/connector";
import { listSecrets, type RowConfig } from "./config-fields.ts";

/** So much of the host's own words is shown. */
const saidCharsMax = 1000;

/** What the host refused, in its own words, and what to do about it. */
export function toHostError(config: RowConfig, response: Response, text: string): UpstreamError {
  const { status, headers } = response;
  const said = findSaid(parseBody(text));
  return toRefusal(config, { status, said, location: headers.get("location") });
}

export type Refusal = { status: number | undefined; said: string; location?: string | null };

export function toRefusal(
  config: RowConfig,
  { status, said, location = null }: Refusal,
): UpstreamError {
  const answered = status === undefined ? "refused the query" : `answered ${status}`;
  const words = cutText(said.trim(), saidCharsMax, listSecrets(config));
  const heading = words === "" ? answered : `${answered}: ${words}`;
  const sentence = /[.!?]$/.test(heading) ? heading : `${heading}.`;
  const advice = findAdvice(status, words, location);
  return new UpstreamError(`The dashboard host ${sentence}${advice === "" ? "" : ` ${advice}`}`, {
    ...(status !== undefined && { httpStatus: status }),
  });
}

/** The first words of an answer that say what is wrong: of a query, or of the host itself. */
function findSaid(body: Json): string {
  if (!isJsonObject(body)) return "";
  const { results, message, error } = body;
  const inside = isJsonObject(results) ? Object.values(results) : [];
  const errors = inside.map((result) => (isJsonObject(result) ? result.error : undefined));
  const said = [...errors, message, error].find((each) => typeof each === "string" && each !== "");
  return typeof said === "string" ? said : "";
}

function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // A proxy's page says nothing that helps beyond its status.
    return null;
  }
}

function findAdvice(status: number | undefined, said: string, location: string | null): string {
  if (/parse error|syntax error|unexpected/i.test(said)) return queryAdvice;
  if (/deadline exceeded|timed? ?out|too many|exceeds? the limit|would read/i.test(said)) {
    return smallerAdvice;
  }
  if (status === undefined) return "";
  if (status >= 300 && status < 400) return toRedirectAdvice(location);
  return adviceByStatus[status] ?? (status >= 500 ? smallerAdvice : "");
}

const queryAdvice =
  'A query begins with a stream selector such as {app="api"}; line filters such as |= "error" follow it.';
const smallerAdvice = "Try a shorter window, more labels in the selector, or again later.";

const adviceByStatus: Record<number, string> = {
  401: "The row's login is not valid, or has expired. Ask an admin to set it again.",
  403: "The row's login may not do this. An admin has to let it read and query this datasource, and check that org_id is its organisation.",
  404: "The datasource may be gone, or in another organisation. Ask an admin to pick org_id and datasource_uid again.",
  429: "Wait a little, then try again with a shorter window.",
};

/** Only the place's origin is told: the rest may hold what a login page was given. */
function toRedirectAdvice(location: string | null): string {
  const origin = location !== null && URL.canParse(location) ? new URL(location).origin : null;
  const where = origin === null ? "the address that it redirects to" : origin;
  return `It redirects, and the login is not sent on. An admin should set base_url to ${where}.`;
}
