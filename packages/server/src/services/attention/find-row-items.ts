import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Caller } from "../../caller.ts";
import type { ServiceDeps } from "../service-deps.ts";

export async function findRowItems(_deps: ServiceDeps, _caller: Caller): Promise<AttentionItem[]> {
  return [];
}
