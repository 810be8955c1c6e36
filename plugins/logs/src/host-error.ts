import {
  cutText,
  isJsonObject,
  type Json,
  parseJson,
  readRequestedWait,
  UpstreamError,
} from "@hub/connector";
import { toHostUrl } from "./logs-base-url.ts";
import { listSecrets, type RowConfig } from "./logs-config-fields.ts";

/** The maximum length of the host's message in an error. */
const hostMessageCharsMax = 1000;

/** Converts a refusal to an error with the host's message and advice. */
export function toHostError(config: RowConfig, response: Response, text: string): UpstreamError {
  const { status, headers } = response;
  const hostMessage = findHostMessage(parseBody(text));
  const waitS = readRequestedWait(response, { now: Date.now() });
  return toRefusal(config, { status, hostMessage, location: headers.get("location"), waitS });
}

export type Refusal = {
  status: number | undefined;
  hostMessage: string;
  location?: string | null;
  /** The wait in seconds that the host asks for. */
  waitS?: number | null;
};

export function toRefusal(
  config: RowConfig,
  { status, hostMessage, location = null, waitS = null }: Refusal,
): UpstreamError {
  const answered = status === undefined ? "refused the query" : `answered ${status}`;
  const words = cutText(hostMessage.trim(), hostMessageCharsMax, listSecrets(config));
  const heading = words === "" ? answered : `${answered}: ${words}`;
  const sentence = /[.!?]$/.test(heading) ? heading : `${heading}.`;
  const advice = findAdvice(config, { status, hostMessage: words, location });
  return new UpstreamError(`The dashboard host ${sentence}${advice === "" ? "" : ` ${advice}`}`, {
    ...(status !== undefined && { httpStatus: status }),
    ...(waitS !== null && { retryAfterS: waitS }),
  });
}

/** The first error message in an answer, either of a query or of the host. */
function findHostMessage(body: Json): string {
  if (!isJsonObject(body)) return "";
  const { results, message, error } = body;
  const queryResults = isJsonObject(results) ? Object.values(results) : [];
  const errors = queryResults.map((result) => (isJsonObject(result) ? result.error : undefined));
  const hostMessage = [...errors, message, error].find(
    (each) => typeof each === "string" && each !== "",
  );
  return typeof hostMessage === "string" ? hostMessage : "";
}

function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // The page of a proxy is not shown; its status is enough.
    return null;
  }
}

function findAdvice(
  config: RowConfig,
  { status, hostMessage, location }: Required<Omit<Refusal, "waitS">>,
): string {
  // Checked first, because the rest of the message may look like that of an invalid query.
  if (isUnreachable(status, hostMessage)) return unreachableAdvice;
  if (/does not belong to the requested organi[sz]ation/i.test(hostMessage)) {
    return toOrganisationAdvice(config);
  }
  if (/max.entries.limit|larger than max/i.test(hostMessage)) return fewerAdvice;
  if (/parse error|syntax error|unexpected/i.test(hostMessage)) return queryAdvice;
  if (/deadline exceeded|timed? ?out|too many|exceeds? the limit|would read/i.test(hostMessage)) {
    return smallerAdvice;
  }
  if (status === undefined) return "";
  if (status >= 300 && status < 400) return toRedirectAdvice(config, location);
  return adviceByStatus[status] ?? (status >= 500 ? smallerAdvice : "");
}

/** Whether the dashboard host cannot reach the log store. Its message differs by address. */
function isUnreachable(status: number | undefined, hostMessage: string): boolean {
  const isHostMessage = /\bdial tcp\b|an error occurred within the plugin/i.test(hostMessage);
  return isHostMessage || status === 502 || status === 503;
}

const unreachableAdvice =
  "Loki cannot be reached. Try again in some minutes; an admin should check that Loki runs, and its address in the datasource.";

const queryAdvice =
  'A query begins with a stream selector such as {app="api"}; line filters such as |= "error" follow it.';

/** The advice for requests that take too long. */
export const smallerAdvice = "Try a shorter window, more labels in the selector, or again later.";

const fewerAdvice = "Try a smaller limit, such as 10, or a shorter window.";

function toOrganisationAdvice({ OrgID }: RowConfig): string {
  const set = OrgID === undefined ? "org_id" : `org_id ${OrgID}`;
  return `${set} is not the organisation of the row's login. Ask an admin to set org_id to the one that the token was made in.`;
}

const adviceByStatus: Record<number, string> = {
  401: "The row's login is not valid, or has expired. Ask an admin to set it again.",
  403: "The row's login may not do this. An admin has to let it read and query this datasource, and check that org_id is its organisation.",
  404: "The datasource may be gone, or in another organisation. Ask an admin to pick org_id and datasource_uid again.",
  429: "Wait a little, then try again with a shorter window.",
};

/** Shows only an origin, because the rest may contain input of a login page, and never that of another host. */
function toRedirectAdvice(config: RowConfig, location: string | null): string {
  const base = new URL(toHostUrl(config.BaseURL));
  const target =
    location !== null && URL.canParse(location, base.href) ? new URL(location, base) : null;
  // Attack: a server in the host's place could redirect to its own address to get the login. So the
  // advice does not name another host.
  if (target === null || target.hostname !== base.hostname) {
    return "It redirects to another host, and the login is not sent there. That is often a sign-in page in front of the dashboard host. An admin should check base_url, and let the hub past that page.";
  }
  if (target.origin === base.origin) {
    return "It redirects to another of its pages, often the sign-in page. An admin should check the row's login.";
  }
  return `It redirects, and the login is not sent on. An admin should set base_url to ${target.origin}.`;
}
