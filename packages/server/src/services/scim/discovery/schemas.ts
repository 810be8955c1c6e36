import { groupSchemaUrn, type Resource, userSchemaUrn } from "../present.ts";
import { pageSizeMax } from "../syntax/read-query.ts";

/** What the hub keeps, and no more: clients send every attribute that stands here, and expect it back. */

type Attribute = {
  name: string;
  type: "string" | "boolean" | "complex" | "reference";
  description: string;
  required?: boolean;
  multiValued?: boolean;
  uniqueness?: "server";
  caseExact?: boolean;
  referenceTypes?: string[];
  subAttributes?: Attribute[];
};

function define(attribute: Attribute): Record<string, unknown> {
  const { subAttributes, type, ...given } = attribute;
  return {
    multiValued: false,
    required: false,
    mutability: "readWrite",
    returned: "default",
    ...(type !== "complex" && type !== "boolean" && { caseExact: false, uniqueness: "none" }),
    type,
    ...given,
    ...(subAttributes !== undefined && { subAttributes: subAttributes.map(define) }),
  };
}

const userAttributes: Attribute[] = [
  {
    name: "userName",
    type: "string",
    description: "The name by which the provider knows the user. Unique without regard to case.",
    required: true,
    uniqueness: "server",
  },
  {
    name: "name",
    type: "complex",
    description: "The parts of the user's name.",
    subAttributes: [
      { name: "formatted", type: "string", description: "The whole name." },
      { name: "givenName", type: "string", description: "The given name." },
      { name: "familyName", type: "string", description: "The family name." },
    ],
  },
  { name: "displayName", type: "string", description: "The name that the hub shows." },
  {
    name: "active",
    type: "boolean",
    description: "Whether the user may use the hub. It has always a value.",
    required: true,
  },
  {
    name: "emails",
    type: "complex",
    description: "The primary address, or that of work, or the first, is the user's on the hub.",
    multiValued: true,
    required: true,
    subAttributes: [
      { name: "value", type: "string", description: "The address, in ASCII.", required: true },
      { name: "type", type: "string", description: "A word such as work." },
      { name: "primary", type: "boolean", description: "Whether it is the address to use." },
    ],
  },
];

const groupAttributes: Attribute[] = [
  {
    name: "displayName",
    type: "string",
    description: "The name, by which the hub finds the tags and the role of the members. Unique.",
    required: true,
    uniqueness: "server",
  },
  {
    name: "members",
    type: "complex",
    description: "The users of the group.",
    multiValued: true,
    subAttributes: [
      { name: "value", type: "string", description: "The id of a user." },
      {
        name: "$ref",
        type: "reference",
        description: "The address of the user.",
        referenceTypes: ["User"],
        caseExact: true,
      },
    ],
  },
];

const schemaUrn = "urn:ietf:params:scim:schemas:core:2.0:Schema";

export function listSchemas(base: string): Resource[] {
  const toSchema = (id: string, name: string, description: string, attributes: Attribute[]) => ({
    schemas: [schemaUrn],
    id,
    name,
    description,
    attributes: attributes.map(define),
    meta: { resourceType: "Schema", location: `${base}/Schemas/${id}` },
  });
  return [
    toSchema(userSchemaUrn, "User", "A person who signs in at the hub.", userAttributes),
    toSchema(groupSchemaUrn, "Group", "A group of users.", groupAttributes),
  ];
}

export function listResourceTypes(base: string): Resource[] {
  const toType = (id: string, endpoint: string, schema: string, description: string) => ({
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id,
    name: id,
    endpoint,
    description,
    schema,
    schemaExtensions: [],
    meta: { resourceType: "ResourceType", location: `${base}/ResourceTypes/${id}` },
  });
  return [
    toType("User", "/Users", userSchemaUrn, "A person who signs in at the hub."),
    toType("Group", "/Groups", groupSchemaUrn, "A group of users."),
  ];
}

export function describeProvider(base: string): Record<string, unknown> {
  const no = { supported: false };
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: pageSizeMax },
    changePassword: no,
    sort: no,
    etag: no,
    authenticationSchemes: [
      {
        type: "oauthbearertoken",
        name: "Bearer token",
        description: "A token that an admin of the hub makes for this purpose.",
        primary: true,
      },
    ],
    meta: { resourceType: "ServiceProviderConfig", location: `${base}/ServiceProviderConfig` },
  };
}
