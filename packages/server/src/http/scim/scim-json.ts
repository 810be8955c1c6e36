import { HubError } from "../../errors.ts";
import { findJsonExcess } from "../../lib/json/scan-json.ts";
import { toScimError } from "../../services/scim/syntax/scim-fault.ts";

/** 20,000 members with their addresses and names. */
const limits = { depthMax: 16, valuesMax: 150_000 };

const types: ReadonlySet<string> = new Set(["application/scim+json", "application/json"]);

/** Forms are refused, which pages of other sites can send, and compressed bodies, which expand after the size was checked. */
export function checkScimType(headers: Headers): void {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = headers.get("content-encoding") ?? "identity";
  if (types.has(type) && encoding.toLowerCase() === "identity") return;
  throw new HubError(
    "unsupported_media_type",
    "Send the body as Content-Type: application/scim+json, uncompressed.",
  );
}

/** Parses a body. Undefined for an empty one. */
export function readScimJson(text: string | null): unknown {
  if (text === null) throw toScimError("invalidSyntax", "The body is not valid UTF-8.");
  if (text.trim() === "") return undefined;
  if (findJsonExcess(text, limits) !== null) {
    throw toScimError(
      "tooMany",
      `The body is nested more than ${limits.depthMax} levels deep or has more than ${limits.valuesMax} values.`,
    );
  }
  try {
    return JSON.parse(text);
  } catch {
    throw toScimError("invalidSyntax", "The body is not valid JSON.");
  }
}
