import { errorTable, toHubError } from "../../errors.ts";
import { type ProblemDeps, recordFailure, toRetryAfter } from "../present-problem.ts";

export const scimContentType = "application/scim+json;charset=utf-8";

/** The answer for a failure, as RFC 7644, section 3.12, describes it: the status is a text. */
export function toScimFailure(thrown: unknown): Response {
  const failure = toHubError(thrown);
  const { scim_type: scimType } = failure.detail;
  const status = errorTable[failure.code].httpStatus;
  const headers = new Headers({ "content-type": scimContentType });
  if (status === 401) headers.set("www-authenticate", 'Bearer realm="scim"');
  // The rest of the body is not read.
  if (status === 413 || status === 408) headers.set("connection", "close");
  const retryAfterS = toRetryAfter(failure);
  if (retryAfterS !== null) headers.set("retry-after", String(retryAfterS));
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: String(status),
    ...(typeof scimType === "string" && { scimType }),
    detail: failure.message,
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/** What the hub does not offer: `/Me` and `/Bulk`. */
export function refuseAsUnsupported(): Response {
  const body = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
    status: "501",
    detail: "This hub does not offer this. See /ServiceProviderConfig.",
  };
  const headers = { "content-type": scimContentType };
  return new Response(JSON.stringify(body), { status: 501, headers });
}

export function recordScimFailure(deps: ProblemDeps, thrown: unknown): void {
  recordFailure(deps, toHubError(thrown), { path: "/scim/v2/…", requestId: "" });
}
