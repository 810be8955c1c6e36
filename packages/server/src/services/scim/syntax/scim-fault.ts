import { HubError } from "../../../errors.ts";

/** The kinds of faults of RFC 7644, section 3.12, that this server names. */
export type ScimFault =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "tooMany"
  | "uniqueness";

/** The error for a request that was not understood or cannot be done: 400, and 409 for `uniqueness`. */
export function toScimError(fault: ScimFault, message: string): HubError {
  const code = fault === "uniqueness" ? "conflict" : "bad_request";
  return new HubError(code, message, { detail: { scim_type: fault } });
}

/** A text of the request as a message repeats it. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
