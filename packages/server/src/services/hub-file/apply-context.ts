import type { HubFileChange, HubFileRow } from "@hub/contract/hub-file.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { ServiceDeps } from "../service-deps.ts";
import type { ReadHubFile } from "./read-hub-file.ts";

/** What applies one kind of the file's items. */
export type ApplyContext = {
  /** The services, with the plan in the place of the database. */
  deps: ServiceDeps;
  author: { caller: Caller; actor: Actor };
  /** The keys by which present secrets are compared with those of the file. */
  keys: KeyRing;
  refuse: ReadHubFile["refuse"];
  /** The secrets of the file by their references. */
  secrets: ReadonlyMap<string, string>;
  /** Whether what the file does not name is taken away. */
  isPruning: boolean;
  changes: HubFileChange[];
  /** What a person must still do. */
  notes: string[];
};

type Field = HubFileChange["fields"][number];

/** The fields of which the file has another value. Members that are left out are no difference. */
export function compareFields(
  given: Readonly<Record<string, unknown>>,
  present: Readonly<Record<string, unknown>>,
): Field[] {
  return Object.entries(given).flatMap(([field, to]) => {
    const from = present[field];
    if (to === undefined || Bun.deepEquals(from, to)) return [];
    return [{ field, from, to, secret: false }];
  });
}

export function hasField(fields: readonly Field[], name: string): boolean {
  return fields.some(({ field }) => field === name);
}

/** Runs what changes an item. A refusal names the item's line and what to write there. */
export async function at<T>(
  { refuse }: Pick<ApplyContext, "refuse">,
  place: ValuePath,
  change: () => Promise<T>,
): Promise<T> {
  try {
    return await change();
  } catch (thrown) {
    if (!(thrown instanceof HubError) || thrown.detail.faults !== undefined) throw thrown;
    throw refuse(findIssuePath(place, thrown), thrown.message);
  }
}

/** The part of the item that an issue is about, if it is one of the file's. */
function findIssuePath(place: ValuePath, { detail }: HubError): ValuePath {
  const [issue] = Array.isArray(detail.issues) ? detail.issues : [];
  const path: unknown = Object(issue).path;
  return typeof path === "string" && path !== "" ? [...place, ...path.split(".")] : place;
}

/** The row as the list of changes names it. */
export function toRowTarget(
  { connector, label }: Pick<HubFileRow, "connector" | "label">,
  id: string | null,
): Pick<HubFileChange, "kind" | "name" | "id"> {
  return { kind: "row", name: `${connector} "${label}"`, id };
}
