import { toTimeText } from "@hub/contract/time.ts";
import type { ScimUserRecord } from "../../store/scim/scim-users-table.ts";
import type { ShownGroup } from "./groups/find-groups.ts";
import { toScimUser } from "./users/kept-attributes.ts";

export const userSchemaUrn = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupSchemaUrn = "urn:ietf:params:scim:schemas:core:2.0:Group";

/** A resource as it is answered. Members without a value are absent. */
export type Resource = { id: string } & Record<string, unknown>;

/** `base` is the address of the server for SCIM, without a slash at the end. */
export function presentUser(record: ScimUserRecord, base: string): Resource {
  const { userName, externalId, active, displayName, name, emails } = toScimUser(record);
  return {
    schemas: [userSchemaUrn],
    id: record.id,
    ...(externalId !== null && { externalId }),
    userName,
    ...(displayName !== null && { displayName }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(emails.length > 0 && { emails }),
    active,
    meta: toMeta("User", record, `${base}/Users/${record.id}`),
  };
}

export function presentGroup(group: ShownGroup, base: string): Resource {
  const { id, externalId, displayName, memberIds } = group;
  return {
    schemas: [groupSchemaUrn],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    ...(memberIds !== null && {
      members: memberIds.map((value) => ({ value, $ref: `${base}/Users/${value}` })),
    }),
    meta: toMeta("Group", group, `${base}/Groups/${id}`),
  };
}

function toMeta(
  resourceType: "User" | "Group",
  { createdAt, updatedAt }: { createdAt: number; updatedAt: number },
  location: string,
) {
  const [created, lastModified] = [toTimeText(createdAt), toTimeText(updatedAt)];
  return { resourceType, created, lastModified, location };
}

/** RFC 7644, section 3.4.2. */
export function presentList(
  items: readonly Resource[],
  { total, offset }: { total: number; offset: number },
): Record<string, unknown> {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
    totalResults: total,
    startIndex: offset + 1,
    itemsPerPage: items.length,
    Resources: items,
  };
}

export type Projection = { attributes: string[] | null; excluded: string[] };

const namesMax = 50;

/** The attributes that a request asks for, in lower case. */
export function readProjection(query: URLSearchParams): Projection {
  const names = (text: string | null) =>
    (text ?? "")
      .split(",", namesMax)
      .map((name) => name.trim().toLowerCase())
      .map((name) => name.slice(name.lastIndexOf(":") + 1))
      .filter((name) => name !== "");
  const attributes = names(query.get("attributes"));
  return {
    attributes: attributes.length === 0 ? null : attributes,
    excluded: names(query.get("excludedAttributes")),
  };
}

/** `id` and `schemas` are always answered. */
export function project(resource: Resource, { attributes, excluded }: Projection): Resource {
  if (attributes === null && excluded.length === 0) return resource;
  const { id, schemas } = resource;
  const shown: Resource = { schemas, id };
  for (const [name, value] of Object.entries(resource)) {
    const lower = name.toLowerCase();
    if (name === "id" || name === "schemas" || excluded.includes(lower)) continue;
    if (attributes !== null && !attributes.some((one) => isOf(one, lower))) continue;
    const part = pick(lower, value, { attributes, excluded });
    if (part !== undefined) shown[name] = part;
  }
  return shown;
}

const isOf = (asked: string, name: string) => asked === name || asked.startsWith(`${name}.`);

/** The asked parts of a complex attribute, such as `name.givenName`. */
function pick(name: string, value: unknown, { attributes, excluded }: Projection): unknown {
  if (Array.isArray(value)) return value.map((one) => pick(name, one, { attributes, excluded }));
  if (typeof value !== "object" || value === null) return value;
  const isWhole = attributes === null || attributes.includes(name);
  const parts = Object.entries(value).filter(([part]) => {
    const path = `${name}.${part.toLowerCase()}`;
    return !excluded.includes(path) && (isWhole || attributes.includes(path));
  });
  return Object.fromEntries(parts);
}
