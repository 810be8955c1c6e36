import { cutText, isJsonObject, type Json, parseJson, UpstreamError } from "@hub/connector";
import { findMissingPermission } from "./errors/permission.ts";
import { findRateLimit } from "./errors/rate-limit.ts";
import { describeRefusal } from "./errors/refusal.ts";

/** So much of the host's own words is shown. */
const messageCharsMax = 1000;

/** What the host refused, in its own words, and what to do about it. */
export function toHostError(
  response: Response,
  text: string,
  secrets: readonly string[],
): UpstreamError {
  const body = parseBody(text);
  const said = cutText(describeRefusal(body), messageCharsMax, secrets).trimEnd();
  const heading = `The code host answered ${response.status}${said === "" ? "" : `: ${endSentence(said)}`}`;
  const advice = findAdvice(response, said);
  return new UpstreamError([endSentence(heading), advice].filter(Boolean).join(" "), {
    httpStatus: response.status,
    ...(isJsonObject(body) && { body: toShortBody(body) }),
  });
}

function parseBody(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // A proxy's page says nothing that helps beyond its status.
    return null;
  }
}

/** `documentation_url` and the status would only repeat what is said. */
function toShortBody({ message, errors }: Record<string, Json>): Json {
  return { ...(message !== undefined && { message }), ...(errors !== undefined && { errors }) };
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function findAdvice(response: Response, said: string): string {
  const { status, headers } = response;
  const limit = findRateLimit(response, said);
  if (limit !== null) return limit;
  const missing = status === 403 || status === 404 ? findMissingPermission(headers) : null;
  if (status === 404) return [notFound, missing].filter(Boolean).join(" ");
  return missing ?? adviceByStatus[status] ?? (status >= 500 ? "Try again later." : "");
}

const notFound =
  "There is no such thing, or the token has no access to it: a private repository that it may not see looks the same. Check owner, repo and the rest; get_me tells whose token it is.";

const moved =
  "It has moved, and a change is not sent to another place than the one named. get_repo tells the repository's name of today (full_name); call again with that.";

const adviceByStatus: Record<number, string> = {
  301: moved,
  302: moved,
  307: moved,
  308: moved,
  401: "The row's token is not valid, or has expired. Ask an admin to set a new one.",
  403: "The token may not do this. Its owner may lack the right in this repository, or the repository may be archived.",
  405: "It cannot be done in this state: get_pr tells mergeable_state, and which checks or reviews are open stands on the pull request's page.",
  409: "What is there has changed since it was read, or is in conflict. Read it again, then decide.",
  410: "It was deleted, or is switched off in this repository.",
  422: "Correct what the host names, then call again.",
};
