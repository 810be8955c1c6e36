import type { ClaimCondition } from "../../store/machines/trusted-issuers-table.ts";

/** Whether the claims meet all conditions. */
export function meetsConditions(
  claims: Readonly<Record<string, unknown>>,
  conditions: readonly ClaimCondition[],
): boolean {
  return conditions.every((condition) => {
    const text = readClaim(claims, condition.claim);
    if (text === null) return false;
    return "value" in condition ? text === condition.value : text.startsWith(condition.prefix);
  });
}

/**
 * A claim as text. `kubernetes.io/namespace` is the member `namespace` of the claim `kubernetes.io`, unless a claim has
 * this whole name. Lists and objects are no texts: a condition on them is never met.
 */
function readClaim(claims: Readonly<Record<string, unknown>>, name: string): string | null {
  if (Object.hasOwn(claims, name)) return toText(claims[name]);
  const slash = name.lastIndexOf("/");
  const outer = slash < 0 ? "" : name.slice(0, slash);
  if (!Object.hasOwn(claims, outer)) return null;
  const members: unknown = claims[outer];
  const key = name.slice(slash + 1);
  if (typeof members !== "object" || members === null || !Object.hasOwn(members, key)) return null;
  return toText(Object(members)[key]);
}

function toText(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}
