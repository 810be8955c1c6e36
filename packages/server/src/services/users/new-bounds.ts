import { tokenBoundsSchema } from "../../lib/call-bounds.ts";
import { findProxyFault } from "../../lib/network/trusted-proxies.ts";

/** Bounds as they are given: row ids, whole tool ids, addresses and networks. At least one list, and none is empty. */
export const newBoundsSchema = tokenBoundsSchema
  .strict()
  .refine(({ rows, operations, addresses }) => (rows ?? operations ?? addresses) !== undefined, {
    error: "must name rows, operations or addresses.",
  })
  .refine(
    (bounds) => Object.values(bounds).every((list) => list === undefined || list.length > 0),
    {
      error: "must have no empty list: leave it out.",
    },
  )
  .refine(({ addresses = [] }) => findProxyFault(addresses) === null, {
    error: "addresses must be IP addresses or networks, such as 10.0.0.7 or 10.0.0.0/8.",
  });
