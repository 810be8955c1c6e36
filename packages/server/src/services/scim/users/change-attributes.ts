import {
  type AttributePath,
  enterpriseUrn,
  parsePath,
  toAttributeName,
} from "../syntax/read-terms.ts";
import {
  isRecord,
  type PatchOperation,
  readBoolean,
  readOperations,
  readRecord,
  readText,
} from "../syntax/read-values.ts";
import { quote, toScimError } from "../syntax/scim-fault.ts";
import { changeEmails } from "./email-list.ts";
import { createEmptyUser, type ScimUser } from "./scim-user.ts";

/** A user after a request, and the attributes of the request that the hub does not keep. */
export type ReadUser = { user: ScimUser; ignored: string[] };

/** The user of a POST or PUT. Attributes that are not kept are no fault: providers send what they have. */
export function readUserBody(body: unknown): ReadUser {
  const user = createEmptyUser();
  const ignored: string[] = [];
  for (const [key, value] of readRecord("The body", body)) {
    const attribute = toAttributeName(key);
    const target = { attribute, elements: null, sub: null };
    if (changeAttribute(user, target, { op: "add", value }) !== "changed") ignored.push(attribute);
  }
  return { user, ignored };
}

/**
 * The user after a PATCH. An operation that names nothing that the hub knows is refused with the whole request: a provider that
 * gets 200 for it never asks again.
 */
export function patchUser(before: ScimUser, body: unknown): ReadUser {
  const user: ScimUser = { ...before, name: { ...before.name }, emails: [...before.emails] };
  const ignored: string[] = [];
  for (const operation of readOperations(body)) {
    if (operation.path === null) changeByValue(user, operation, ignored);
    else changeByPath(user, operation, operation.path, ignored);
  }
  return { user, ignored };
}

function changeByPath(
  user: ScimUser,
  operation: PatchOperation,
  text: string,
  ignored: string[],
): void {
  const path = parsePath(text);
  switch (changeAttribute(user, path, operation)) {
    case "changed":
      return;
    case "not kept":
      ignored.push(path.attribute);
      return;
    case "read-only":
      throw toScimError("mutability", `${quote(text)} is set by the hub alone.`);
    case "unknown":
      throw toScimError("invalidPath", `There is no attribute ${quote(text)}.`);
  }
}

/** An operation without a path has an object, whose keys are attributes, paths or URNs. */
function changeByValue(user: ScimUser, { op, value }: PatchOperation, ignored: string[]): void {
  if (op === "remove") throw toScimError("noTarget", "A remove needs a path.");
  if (!isRecord(value)) {
    throw toScimError("invalidValue", "An operation without a path needs an object as its value.");
  }
  let isUnderstood = false;
  for (const [key, one] of Object.entries(value)) {
    const path = findPath(key);
    const outcome = path === null ? "unknown" : changeAttribute(user, path, { op, value: one });
    if (outcome !== "unknown") isUnderstood = true;
    if (outcome !== "changed") ignored.push(key);
  }
  if (!isUnderstood) {
    throw toScimError(
      "invalidPath",
      "The value of the operation names no attribute that is known.",
    );
  }
}

function findPath(key: string): AttributePath | null {
  try {
    return parsePath(key);
  } catch {
    return null;
  }
}

type Outcome = "changed" | "not kept" | "read-only" | "unknown";
type Change = Pick<PatchOperation, "op" | "value">;

/** Attributes with one value, and how they are set. Removed, the value is undefined. */
const setters: Readonly<Record<string, (user: ScimUser, value: unknown) => void>> = {
  username(user, value) {
    user.userName = readText("userName", value);
  },
  externalid(user, value) {
    user.externalId = readText("externalId", value);
  },
  displayname(user, value) {
    user.displayName = readText("displayName", value);
  },
  active(user, value) {
    user.active = readBoolean("active", value);
  },
  "name.formatted": (user, value) => setName(user, "formatted", value),
  "name.givenname": (user, value) => setName(user, "givenName", value),
  "name.familyname": (user, value) => setName(user, "familyName", value),
};

function changeAttribute(user: ScimUser, path: AttributePath, { op, value }: Change): Outcome {
  const { attribute, elements, sub } = path;
  if (attribute === "emails") {
    user.emails = changeEmails(user.emails, { op, value, elements, sub });
    return "changed";
  }
  if (isNotKept(attribute)) return "not kept";
  if (elements !== null) return "unknown";
  if (attribute === "name") {
    changeName(user, { op, value });
    return "changed";
  }
  if (readOnly.has(attribute)) return "read-only";
  const set = Object.hasOwn(setters, attribute) ? setters[attribute] : undefined;
  if (set === undefined) return "unknown";
  set(user, op === "remove" ? undefined : value);
  return "changed";
}

function setName(user: ScimUser, part: keyof ScimUser["name"], value: unknown): void {
  const text = readText(`name.${part}`, value);
  const { [part]: _, ...others } = user.name;
  user.name = text === null ? others : { ...others, [part]: text };
}

function changeName(user: ScimUser, { op, value }: Change): void {
  if (op === "remove" || value === null || value === undefined) {
    user.name = {};
    return;
  }
  const given = readRecord("name", value);
  if (op === "replace") user.name = {};
  if (given.has("formatted")) setName(user, "formatted", given.get("formatted"));
  if (given.has("givenname")) setName(user, "givenName", given.get("givenname"));
  if (given.has("familyname")) setName(user, "familyName", given.get("familyname"));
}

const readOnly: ReadonlySet<string> = new Set(["id", "meta", "schemas", "groups"]);

/** Attributes of the standard's schemas that the hub reads and does not keep; of a password, not even the log knows. */
const notKept: ReadonlySet<string> = new Set([
  ...["nickname", "profileurl", "title", "usertype", "preferredlanguage", "locale", "timezone"],
  ...["password", "phonenumbers", "ims", "photos", "addresses", "entitlements", "roles"],
  "x509certificates",
]);
const notKeptNames: ReadonlySet<string> = new Set([
  ...["name.middlename", "name.honorificprefix", "name.honorificsuffix"],
]);

function isNotKept(attribute: string): boolean {
  if (attribute.startsWith(enterpriseUrn) || notKeptNames.has(attribute)) return true;
  const end = attribute.indexOf(".");
  return notKept.has(end === -1 ? attribute : attribute.slice(0, end));
}
