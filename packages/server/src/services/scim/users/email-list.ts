import type { AttributePath, Comparison } from "../syntax/read-terms.ts";
import type { PatchOperation } from "../syntax/read-values.ts";
import { readBoolean, readList, readRecord, readText } from "../syntax/read-values.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import type { ScimEmail } from "./scim-user.ts";

const emailsMax = 20;

type Change = Pick<PatchOperation, "op" | "value"> & Pick<AttributePath, "elements" | "sub">;

/** The e-mails after a change of all, of the elements in brackets, or of one attribute of these. */
export function changeEmails(emails: readonly ScimEmail[], change: Change): ScimEmail[] {
  const changed = change.elements === null ? changeAll(emails, change) : changeSome(emails, change);
  if (changed.length > emailsMax) {
    throw toScimError("tooMany", `A user has at most ${emailsMax} e-mails.`);
  }
  return changed;
}

function changeAll(emails: readonly ScimEmail[], { op, value }: Change): ScimEmail[] {
  const given = readList("emails", value, emailsMax).map(readEmail);
  if (op === "replace") return withOnePrimary([], given);
  if (op === "add") return withOnePrimary(emails, given);
  // Without a value, or with null: all.
  if (value === null || value === undefined) return [];
  return emails.filter((email) => !given.some((gone) => isSameValue(email, gone)));
}

function changeSome(
  emails: readonly ScimEmail[],
  { op, value, elements, sub }: Change,
): ScimEmail[] {
  const conditions = elements ?? [];
  const isMeant = (email: ScimEmail) => conditions.every((one) => hasValue(email, one));
  const others = emails.filter((email) => !isMeant(email));
  const meant = emails.filter(isMeant);
  if (op === "remove") {
    if (sub === null || sub === "value") return others;
    return [...others, ...meant.map((email) => toEmail({ ...toParts(email), [sub]: undefined }))];
  }
  const given = sub === null ? toGiven(value) : { [sub]: value };
  // Providers set the address of an element that does not exist yet.
  const named = Object.fromEntries(conditions.map((one) => [one.attribute, one.value]));
  const bases = meant.length > 0 ? meant.map(toParts) : [named];
  return withOnePrimary(
    others,
    bases.map((base) => toEmail({ ...base, ...given })),
  );
}

/** The members that a value of an element names, with names in lower case. */
function toGiven(value: unknown): Record<string, unknown> {
  const [only] = readList("emails", value, 1);
  return Object.fromEntries(readRecord("An e-mail", only));
}

const toParts = ({ value, type, primary }: ScimEmail): Record<string, unknown> => ({
  value,
  type,
  primary,
});

function readEmail(value: unknown): ScimEmail {
  if (typeof value === "string") return toEmail({ value });
  return toEmail(Object.fromEntries(readRecord("An e-mail", value)));
}

function toEmail(parts: Record<string, unknown>): ScimEmail {
  const value = readText("emails.value", parts.value);
  if (value === null) throw toScimError("invalidValue", "An e-mail needs a value.");
  const type = readText("emails.type", parts.type);
  const { primary } = parts;
  return {
    value,
    ...(type !== null && { type }),
    ...(primary !== undefined && primary !== null && { primary: readBoolean("primary", primary) }),
  };
}

/** Adds e-mails, or replaces those that are the same. A new primary one ends the earlier. */
function withOnePrimary(emails: readonly ScimEmail[], added: readonly ScimEmail[]): ScimEmail[] {
  const list = [...emails];
  for (const one of added) {
    if (one.primary === true) {
      for (const [at, { primary: _, ...other }] of list.entries()) {
        if (list[at]?.primary === true) list[at] = { ...other, primary: false };
      }
    }
    const same = list.findIndex((email) => isSameValue(email, one) && email.type === one.type);
    if (same === -1) list.push(one);
    else list[same] = one;
  }
  return list;
}

function isSameValue(one: Pick<ScimEmail, "value">, other: Pick<ScimEmail, "value">): boolean {
  return one.value.toLowerCase() === other.value.toLowerCase();
}

function hasValue(email: ScimEmail, { attribute, value }: Comparison): boolean {
  if (attribute === "type") return email.type?.toLowerCase() === String(value).toLowerCase();
  if (attribute === "value") return email.value.toLowerCase() === String(value).toLowerCase();
  if (attribute === "primary") return (email.primary ?? false) === value;
  throw toScimError("invalidPath", "E-mails are chosen by type, value or primary.");
}
