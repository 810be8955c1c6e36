import { HubError } from "../../errors.ts";

/**
 * Refuses forms and plain text, which pages of other sites may send without a CORS preflight; and
 * compressed bodies, which expand after the size check.
 */
export function checkContentType(headers: Headers): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const encoding = headers.get("content-encoding") ?? "identity";
  if (type === "application/json" && encoding.toLowerCase() === "identity") return;
  throw new HubError(
    "unsupported_media_type",
    "Send the body as Content-Type: application/json, uncompressed.",
  );
}
