import { parsePath, toAttributeName } from "../syntax/read-terms.ts";
import {
  isRecord,
  type PatchOperation,
  readList,
  readOperations,
  readRecord,
  readText,
} from "../syntax/read-values.ts";
import { quote, toScimError } from "../syntax/scim-fault.ts";

/** A change of the members of a group. `null` is all of them. */
export type MemberChange =
  | { kind: "add" | "set"; ids: readonly string[] }
  | { kind: "remove"; ids: readonly string[] | null };

/** The changes of a group, in the order of the request. What is undefined stays. */
export type GroupChange = {
  displayName?: string;
  externalId?: string | null;
  members: MemberChange[];
  /** Attributes of the request that the hub does not keep. */
  ignored: string[];
};

/** Of one request. A larger group is sent in several, as providers do. */
const membersMax = 20_000;

/** The group of a POST or PUT: members that are not named are none. */
export function readGroupBody(body: unknown): GroupChange {
  const change: GroupChange = { externalId: null, members: [], ignored: [] };
  for (const [key, value] of readRecord("The body", body)) {
    const attribute = toAttributeName(key);
    const outcome = changeAttribute(change, attribute, { op: "replace", value });
    if (outcome !== "changed") change.ignored.push(attribute);
  }
  if (change.members.length === 0) change.members.push({ kind: "set", ids: [] });
  return change;
}

/** The changes of a PATCH. An operation that names nothing that the hub knows is refused with the whole request. */
export function readGroupPatch(body: unknown): GroupChange {
  const change: GroupChange = { members: [], ignored: [] };
  for (const operation of readOperations(body)) {
    if (operation.path === null) changeByValue(change, operation);
    else changeByPath(change, operation, operation.path);
  }
  const count = change.members.reduce((sum, { ids }) => sum + (ids?.length ?? 0), 0);
  if (count > membersMax) throw refuseCount();
  return change;
}

function changeByPath(change: GroupChange, operation: PatchOperation, text: string): void {
  const { attribute, elements, sub } = parsePath(text);
  if (attribute === "members" && elements !== null) {
    change.members.push(toElementChange(operation, elements, sub, text));
    return;
  }
  const outcome = elements === null ? changeAttribute(change, attribute, operation) : "unknown";
  if (outcome === "read-only")
    throw toScimError("mutability", `${quote(text)} is set by the hub alone.`);
  if (outcome === "unknown")
    throw toScimError("invalidPath", `There is no attribute ${quote(text)}.`);
}

function changeByValue(change: GroupChange, { op, value }: PatchOperation): void {
  if (op === "remove") throw toScimError("noTarget", "A remove needs a path.");
  if (!isRecord(value)) {
    throw toScimError("invalidValue", "An operation without a path needs an object as its value.");
  }
  let isUnderstood = false;
  for (const [key, one] of Object.entries(value)) {
    const outcome = changeAttribute(change, toAttributeName(key), { op, value: one });
    if (outcome !== "unknown") isUnderstood = true;
    if (outcome !== "changed") change.ignored.push(key);
  }
  if (!isUnderstood) {
    throw toScimError(
      "invalidPath",
      "The value of the operation names no attribute that is known.",
    );
  }
}

/** `members[value eq "id"]`, which providers remove one by one. */
function toElementChange(
  { op }: Pick<PatchOperation, "op">,
  elements: ReadonlyArray<{ attribute: string; value: unknown }>,
  sub: string | null,
  text: string,
): MemberChange {
  const [only, ...more] = elements;
  if (only?.attribute !== "value" || more.length > 0 || sub !== null) {
    throw toScimError(
      "invalidPath",
      `Members are chosen by their value alone: ${quote(text)} was not understood.`,
    );
  }
  if (op !== "remove") {
    throw toScimError(
      "invalidPath",
      "A member in brackets can only be removed. Add members at the path members.",
    );
  }
  return { kind: "remove", ids: [toMemberId(only.value)] };
}

type Outcome = "changed" | "read-only" | "unknown";

function changeAttribute(
  change: GroupChange,
  attribute: string,
  { op, value }: Pick<PatchOperation, "op" | "value">,
): Outcome {
  switch (attribute) {
    case "displayname": {
      const name = op === "remove" ? null : readText("displayName", value);
      if (name === null) throw toScimError("invalidValue", "A group needs a displayName.");
      change.displayName = name;
      return "changed";
    }
    case "externalid":
      change.externalId = op === "remove" ? null : readText("externalId", value);
      return "changed";
    case "members":
      change.members.push(toMemberChange(op, value));
      return "changed";
    case "id":
    case "meta":
    case "schemas":
      return "read-only";
    default:
      return "unknown";
  }
}

function toMemberChange(op: PatchOperation["op"], value: unknown): MemberChange {
  if (op === "remove" && (value === null || value === undefined))
    return { kind: "remove", ids: null };
  const ids = readList("members", value, membersMax).map(readMember);
  const kinds = { add: "add", replace: "set", remove: "remove" } as const;
  return { kind: kinds[op], ids };
}

function readMember(value: unknown): string {
  if (typeof value === "string") return toMemberId(value);
  const member = readRecord("A member", value);
  if (String(member.get("type") ?? "").toLowerCase() === "group") {
    throw toScimError(
      "invalidValue",
      "Groups in groups are not supported. Send the users of the inner group.",
    );
  }
  return toMemberId(member.get("value"));
}

function toMemberId(value: unknown): string {
  const id = readText("The value of a member", value);
  if (id === null) throw toScimError("invalidValue", "A member needs a value, the id of a user.");
  return id.toLowerCase();
}

function refuseCount() {
  return toScimError(
    "tooMany",
    `A request changes at most ${membersMax} members. Send several requests.`,
  );
}
