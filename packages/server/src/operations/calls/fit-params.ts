import type { Issue } from "@hub/connector";
import { countValues, createJsonInTextReader } from "../../lib/json/json-in-text.ts";
import type { Target } from "../catalogue/find-operation.ts";

type Params = Record<string, unknown>;
type FittedParams = { params: Params; issues: readonly Issue[] };

/** The levels of a message around the params of a call: the message, its params and the tool's arguments. */
export const paramsDepth = 3;

/**
 * The params with what a model wrote in another type: see `fitToSchema`. It comes before tokens are opened, so that an
 * opened value stays one value. The fields of other operations take texts themselves.
 */
export function fitParams(
  { operation: { fromRow } }: Target,
  params: Params,
): FittedParams | Promise<FittedParams> {
  if (fromRow === undefined) return { params, issues: [] };
  const reader = createJsonInTextReader(() => countValues(params));
  return fromRow.fit(reader, params, paramsDepth);
}
