import {
  type CallBounds,
  isOperationWithin,
  namesTargets,
  type TokenBounds,
  tokenBoundsSchema,
} from "./call-bounds.ts";
import { intersectNetworks } from "./network/trusted-proxies.ts";

/**
 * What two bounds both allow; null for no bounds at all. If they have nothing in common, the lists are empty, which allows
 * nothing. `too_many` if it names more than bounds may.
 */
export function intersectBounds(
  first: TokenBounds | null,
  second: TokenBounds | null,
): TokenBounds | null | "too_many" {
  if (first === null || second === null) return first ?? second;
  const both = { ...intersectTargets(first, second), ...intersectAddresses(first, second) };
  return tokenBoundsSchema.safeParse(both).success ? both : "too_many";
}

function intersectTargets(first: CallBounds, second: CallBounds): CallBounds {
  if (!namesTargets(first) || !namesTargets(second)) {
    const { rows, operations } = namesTargets(first) ? first : second;
    return { ...(rows && { rows }), ...(operations && { operations }) };
  }
  const others = new Set(second.rows);
  const rows = [...new Set(first.rows)].filter((id) => others.has(id));
  const operations = [
    ...(first.operations ?? []).filter((id) => isOperationWithin(second, id)),
    ...(second.operations ?? []).filter((id) => isOperationWithin(first, id)),
  ].filter((id) => !isOperationWithin({ rows }, id));
  return { rows, operations: [...new Set(operations)] };
}

function intersectAddresses(
  { addresses: first }: TokenBounds,
  { addresses: second }: TokenBounds,
): Pick<TokenBounds, "addresses"> {
  if (first !== undefined && second !== undefined) {
    return { addresses: intersectNetworks(first, second) };
  }
  const addresses = first ?? second;
  return addresses === undefined ? {} : { addresses };
}
