import { parseJson } from "@hub/connector";
import type { RegisteredConnector } from "../connector-port.ts";

/** Fields of any connector whose values may decide where a row's credentials are sent. */
const addressKey =
  /(^|_)(url|urls|host|hosts|address|domain|endpoint|server|servers|site|tenant|issuer)(_|$)/;

/**
 * Where a row with these stored texts sends the credentials of its calls, as its users are shown: the origins of
 * addresses, and other values that choose a host. Sorted. An account is used only while these stay as its user saw
 * them. Attack: an admin points a row to a host of his own, and reads the tokens of its users there.
 */
export function listBoundAddresses(
  { key, configFields }: Pick<RegisteredConnector, "key" | "configFields">,
  texts: ReadonlyMap<string, string>,
): string[] {
  const found = configFields.flatMap((field) => {
    const isAddress = field.widget === "url" || addressKey.test(field.key);
    if (!isAddress || field.secret || field.personal) return [];
    const text = texts.get(field.key) || (field.default ?? "");
    if (field.widget === "url") return text === "" ? [] : [toOrigin(text)];
    return listValues(text).map((value) =>
      URL.canParse(value) ? toOrigin(value) : `${field.key}: ${value}`,
    );
  });
  // Without an address, the connector has one of its own.
  return found.length === 0 ? [`the host of "${key}"`] : [...new Set(found)].sort();
}

function toOrigin(text: string): string {
  if (!URL.canParse(text)) return text;
  const { protocol, host } = new URL(text);
  return `${protocol}//${host}`;
}

/** The values of a table are JSON. */
function listValues(text: string): string[] {
  if (text === "") return [];
  try {
    const rows = parseJson(text);
    if (!Array.isArray(rows)) return [text];
    return rows.map((row) =>
      typeof row === "object" && row !== null ? Object.values(row).join("=") : String(row),
    );
  } catch {
    return [text];
  }
}

/** Who published a connector: the hub, or the author of a plugin, by the key that signed it. */
export function findPublisher({
  tier,
  key,
  publisher,
}: Pick<RegisteredConnector, "tier" | "key" | "publisher">): string {
  return tier === "plugin" ? `plugin ${key} ${publisher ?? "unsigned"}` : `built-in ${key}`;
}
