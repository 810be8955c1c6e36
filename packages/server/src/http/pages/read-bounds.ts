import type { TokenBounds } from "@hub/contract/token.ts";

/** The bounds that the form of a new token asks for. Left out if its fields are empty. */
export function readBounds(form: Pick<URLSearchParams, "get">): { bounds?: TokenBounds } {
  const only = toList(form.get("only"));
  const addresses = toList(form.get("addresses"));
  const operations = only.filter((one) => one.startsWith("conn:"));
  const rows = only.filter((one) => !one.startsWith("conn:"));
  const bounds: TokenBounds = {
    ...(rows.length > 0 && { rows }),
    ...(operations.length > 0 && { operations }),
    ...(addresses.length > 0 && { addresses }),
  };
  return Object.keys(bounds).length === 0 ? {} : { bounds };
}

function toList(text: string | null): string[] {
  return (text ?? "").split(/[\s,]+/).filter((part) => part !== "");
}
