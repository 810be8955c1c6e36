import { isJsonObject, type Json } from "@hub/connector";

/** The host's message with a text for each of its `errors`. */
export function describeRefusal(body: Json): string {
  if (!isJsonObject(body)) return "";
  const message = typeof body.message === "string" ? body.message.trim() : "";
  const errors = Array.isArray(body.errors) ? body.errors : [body.errors];
  const details = errors.map(describeError).filter((text) => text !== "" && text !== message);
  if (details.length === 0) return message;
  return message === "" ? details.join(", ") : `${message} (${details.join(", ")})`;
}

const codes: Record<string, string> = {
  missing: "does not exist",
  missing_field: "is missing",
  invalid: "is not valid",
  already_exists: "exists already",
  unprocessable: "cannot be used",
};

function describeError(error: Json): string {
  if (typeof error === "string") return error;
  if (!isJsonObject(error)) return "";
  if (typeof error.message === "string" && error.message !== "") return error.message;
  const { resource, field, code } = error;
  const subject = [resource, field].filter((part) => typeof part === "string").join(" ");
  if (typeof code !== "string") return subject;
  return `${subject} ${codes[code] ?? code}`.trim();
}
