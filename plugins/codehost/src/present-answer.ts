import { isJsonObject, type Json, UpstreamError } from "@hub/connector";
import { type HostContext, listSecrets } from "./codehost-config-fields.ts";
import { describePage, type PageParams } from "./paging.ts";
import type { HostAnswer } from "./request-codehost.ts";
import { cutProse, type ProseLimits } from "./trim/cut-prose.ts";
import { trim } from "./trim/trim.ts";

/** Returns one object, either trimmed or as the host sent it. */
export function presentOne(
  { mask }: Pick<HostContext, "mask">,
  answer: HostAnswer,
  full?: boolean,
): Json {
  const { json } = answer;
  if (!isJsonObject(json)) throw toShapeError("a JSON object");
  if (full !== true) return trim(json);
  maskCloneTokens({ mask }, json);
  return json;
}

export type ListShape = {
  /** The member with the items. By default, the answer is the list. */
  member?: string;
  /** Other members to return, such as `total_count`. */
  beside?: string[];
  prose: ProseLimits;
};

type ListParams = PageParams & { full?: boolean | undefined };

/** Returns one page of a list, and whether there are more. */
export function presentPage(
  { mask, params, config }: Pick<HostContext, "mask" | "config"> & { params: ListParams },
  { json, headers }: HostAnswer,
  { member, beside = [], prose }: ListShape,
): Json {
  const items = member === undefined ? json : isJsonObject(json) ? json[member] : undefined;
  if (!Array.isArray(items)) throw toShapeError("a list");
  const facts = isJsonObject(json) ? json : {};
  if (params.full === true) for (const item of items) maskCloneTokens({ mask }, item);
  const secrets = listSecrets({ config });
  return {
    ...Object.fromEntries(beside.map((name) => [name, facts[name]])),
    items: params.full === true ? items : items.map((item) => cutProse(trim(item), prose, secrets)),
    ...describePage(params, headers),
  };
}

/** The error for an answer with an unexpected shape, which is not from a code host. */
export function toShapeError(wanted: string): UpstreamError {
  return new UpstreamError(
    `The code host's answer is not ${wanted}. An admin should check base_url; for an enterprise host it must end in /api/v3.`,
  );
}

/** Masks a credential in a repository's JSON of some hosts, with which a private repository can be cloned. */
function maskCloneTokens({ mask }: Pick<HostContext, "mask">, value: Json): void {
  if (Array.isArray(value)) {
    for (const item of value) maskCloneTokens({ mask }, item);
  } else if (isJsonObject(value)) {
    const { temp_clone_token: token } = value;
    if (typeof token === "string" && token !== "") mask(token);
    for (const member of Object.values(value)) maskCloneTokens({ mask }, member);
  }
}
