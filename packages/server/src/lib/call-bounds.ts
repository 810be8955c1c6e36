import { z } from "zod";

/** Each entry is compared with every row of a list. */
export const boundsMax = 100;

const rowIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const toolIdForm = /^conn:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[a-z0-9_]{1,64}$/;

/**
 * What the calls of a bound token may use: all operations of `rows`, and the single `operations` of other rows. Without
 * both members, everything that the user of the token may use.
 */
export const callBoundsSchema = z.object({
  /** Ids of rows. */
  rows: z.array(z.string().regex(rowIdForm)).max(boundsMax).readonly().optional(),
  /** Tool ids. */
  operations: z.array(z.string().regex(toolIdForm)).max(boundsMax).readonly().optional(),
});

/** Each request of a bound token compares its address with all of them. */
const addressesMax = 20;

/** The bounds of a token, with the addresses of its clients, which are compared where a request arrives. */
export const tokenBoundsSchema = callBoundsSchema.extend({
  /** Addresses and networks, such as `10.0.0.7` and `fd00::/8`. */
  addresses: z.array(z.string()).max(addressesMax).readonly().optional(),
});

export type TokenBounds = z.output<typeof tokenBoundsSchema>;

/** What `JSON.stringify` made of bounds. Throws if it is anything else, so that a token never loses its bounds. */
export function parseTokenBounds(text: string): TokenBounds {
  return tokenBoundsSchema.parse(JSON.parse(text));
}

/** What travels with a call. */
export function toCallBounds({ rows, operations }: TokenBounds): CallBounds {
  return { ...(rows && { rows }), ...(operations && { operations }) };
}

/** They travel with the call, to every run, script and pending call that it starts. */
export type CallBounds = z.output<typeof callBoundsSchema>;

/** Whether they name rows or operations. */
export function namesTargets({ rows, operations }: CallBounds): boolean {
  return rows !== undefined || operations !== undefined;
}

/** Whether a row, or one of its operations, is within the bounds. A row is if one of its operations is. */
export function isWithinBounds(
  bounds: CallBounds,
  { rowId, operationKey }: { rowId: string; operationKey?: string | undefined },
): boolean {
  if (!namesTargets(bounds)) return true;
  const { rows = [], operations = [] } = bounds;
  if (rows.some((id) => id === rowId)) return true;
  const beginning = `conn:${rowId}/`;
  return operationKey === undefined
    ? operations.some((id) => id.startsWith(beginning))
    : operations.some((id) => id === `${beginning}${operationKey}`);
}

/** Whether all that the inner bounds allow is within the outer ones. Calls without bounds are never within. */
export function areBoundsWithin(inner: CallBounds | undefined, outer: CallBounds): boolean {
  if (inner === undefined) return false;
  if (!namesTargets(outer)) return true;
  if (!namesTargets(inner)) return false;
  const { rows = [], operations = [] } = inner;
  return (
    rows.every((id) => outer.rows?.some((outerId) => outerId === id)) &&
    operations.every((id) => isOperationWithin(outer, id))
  );
}

/** Whether the operation of a tool id is within the bounds. */
export function isOperationWithin(bounds: CallBounds, toolId: string): boolean {
  const [rowId = "", operationKey = ""] = toolId.slice("conn:".length).split("/");
  return isWithinBounds(bounds, { rowId, operationKey });
}
