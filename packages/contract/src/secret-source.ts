import { z } from "zod";
import { sourceCredentials } from "./secret-source-kinds.ts";
import { timeSchema } from "./time.ts";

const textCharsMax = 500;
const shortText = (description: string) =>
  z
    .string()
    .trim()
    .max(textCharsMax)
    .regex(/^\P{Cc}*$/u)
    .meta({ description });
const name = (description: string) => shortText(description).min(1);
const webAddress = (description: string) =>
  z
    .string()
    .trim()
    .max(textCharsMax)
    .regex(/^https?:\/\/[^\s/?#@\\]+(?:\/[\w./-]*)?$/, {
      error:
        "must be an address without user, query and fragment, such as https://vault.example.com.",
    })
    .meta({ description });
/** Parts of host names and paths of clouds. */
const word = (description: string) =>
  z
    .string()
    .trim()
    .max(100)
    .regex(/^[A-Za-z0-9][\w.:-]*$/, { error: "must be letters, digits, dots and hyphens." })
    .meta({ description });
/** Parts of host names. */
const label = (description: string) =>
  z
    .string()
    .trim()
    .max(100)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/, {
      error: "must be letters, digits and hyphens.",
    })
    .meta({ description });

const vaultSchema = z.strictObject({
  kind: z.literal("vault"),
  address: webAddress("Of Vault or OpenBao."),
  namespace: shortText("Empty: the root namespace.").default(""),
  auth: z.enum(["token", "approle", "kubernetes", "jwt"]),
  auth_mount: shortText("Where the authentication method is mounted. Empty: at its name.").default(
    "",
  ),
  role: shortText("Id of the AppRole, or name of the role.").default(""),
  kv_mount: name("Where the secrets engine KV is mounted.").default("secret"),
  kv_version: z.union([z.literal(1), z.literal(2)]).default(2),
});

const awsSchema = z.strictObject({
  kind: z.literal("aws"),
  region: label("Such as eu-central-1."),
  auth: z.enum(["keys", "chain"]).meta({
    description:
      "`chain`: variables of the hub's process, a web identity, the container's or the machine's role.",
  }),
  endpoint: z
    .union([z.literal(""), webAddress("Of a private endpoint. Empty: that of the region.")])
    .default(""),
});

const googleSchema = z.strictObject({
  kind: z.literal("google"),
  project: word("Id or number of the project."),
  location: z.union([z.literal(""), label("Of regional secrets.")]).default(""),
  auth: z.enum(["key", "chain"]).meta({
    description: "`key`: of a service account. `chain`: the account of the hub's machine.",
  }),
});

const azureSchema = z.strictObject({
  kind: z.literal("azure"),
  vault: label("Name of the key vault."),
  cloud: z.enum(["public", "china", "government"]).default("public"),
  auth: z.enum(["client_secret", "workload", "chain"]).meta({
    description:
      "`workload`: the token file of the pod. `chain`: the managed identity of the hub's machine.",
  }),
  tenant: z.union([z.literal(""), word("Id of the tenant.")]).default(""),
  client_id: z.union([z.literal(""), word("Of the application or of the identity.")]).default(""),
});

const onePasswordConnectSchema = z.strictObject({
  kind: z.literal("onepassword_connect"),
  address: webAddress("Of the Connect server."),
});

const onePasswordAccountSchema = z.strictObject({ kind: z.literal("onepassword") });

const infisicalSchema = z.strictObject({
  kind: z.literal("infisical"),
  address: webAddress("Of Infisical.").default("https://app.infisical.com"),
  project: word("Id of the project."),
  environment: word("Slug of the environment."),
});

/** How the hub reaches a secret manager. Credentials are apart. */
export const sourceSettingsSchema = z
  .discriminatedUnion("kind", [
    vaultSchema,
    awsSchema,
    googleSchema,
    azureSchema,
    onePasswordConnectSchema,
    onePasswordAccountSchema,
    infisicalSchema,
  ])
  .meta({ id: "SecretSourceSettings" });
export type SourceSettings = z.output<typeof sourceSettingsSchema>;

/** The names of the credentials that these settings need. */
export function listCredentialNames(settings: SourceSettings): readonly string[] {
  const key = "auth" in settings ? `${settings.kind}.${settings.auth}` : settings.kind;
  return sourceCredentials[key] ?? [];
}

/** The most prefixes of a source, and rows, hosts or tags of a reference. */
const itemsMax = 50;
const pathCharsMax = 500;
/** A row may have a table of hosts, and a field without a limit of its own. */
const addressesMax = 1_000;
const addressCharsMax = 100_000;

export const sourceInputSchema = z.strictObject({
  name: z.string().max(100).meta({ description: "Unique among the sources." }),
  settings: sourceSettingsSchema,
  credentials: z.record(z.string().max(50), z.string().max(16_384)).optional().meta({
    description: "Never shown again. Left out: they stay as they are.",
  }),
  prefixes: z.array(z.string().max(pathCharsMax)).min(1).max(itemsMax).meta({
    description:
      "Nothing outside is read. `apps/hub` is this secret and those below it, `prod-*` all that begin so, `*` all.",
  }),
  revision: z.int().min(1).optional().meta({
    description: "Of the source that was read. If it has changed since: 409 `conflict`.",
  }),
});
export type SourceInput = z.input<typeof sourceInputSchema>;

/** The last outcome of reading. */
export const secretReadSchema = z
  .object({
    at: timeSchema,
    outcome: z.enum(["read", "away", "refused", "absent", "bad"]),
    version: z.string().nullable().meta({ description: "As the manager names it." }),
    reason: z.string().nullable().meta({ description: "Why it could not be read." }),
  })
  .meta({ id: "SecretRead" });
export type SecretRead = z.infer<typeof secretReadSchema>;

export const secretSourceSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    settings: sourceSettingsSchema,
    credentials: z.array(z.string()).meta({ description: "The names of those that are set." }),
    prefixes: z.array(z.string()),
    references: z.int().meta({ description: "How many references it has." }),
    last_read: secretReadSchema.nullable(),
    revision: z.int(),
    created_at: timeSchema,
  })
  .meta({ id: "SecretSource" });
export type SecretSource = z.infer<typeof secretSourceSchema>;

export const referenceInputSchema = z.strictObject({
  name: z.string().max(100).meta({ description: "Unique among the references." }),
  source: z.string().max(100).meta({ description: "Id or name of the source." }),
  path: z.string().max(pathCharsMax).meta({ description: "Of the secret in its manager." }),
  field: z.string().max(200).default("").meta({
    description: "Member of a secret that has several. Empty: the whole secret.",
  }),
  version: z.string().max(200).nullable().default(null).meta({
    description: "Null: the current one.",
  }),
  tags: z.array(z.string().max(100)).max(itemsMax).default([]).meta({
    description: "Users with one of these may name it in secrets of their workflows.",
  }),
  rows: z.array(z.uuid()).max(itemsMax).default([]).meta({
    description: "Ids of the rows that it may be sent to, at the addresses that are confirmed.",
  }),
  confirm_rows: z
    .array(
      z.strictObject({
        id: z.uuid(),
        addresses: z.array(z.string().max(addressCharsMax)).max(addressesMax),
      }),
    )
    .max(itemsMax)
    .default([])
    .meta({
      description:
        "Those of `rows` whose addresses are confirmed, with the addresses that were seen: if a row has others now: 409 `conflict`. Rows that the reference had already keep the addresses of before if they are left out.",
    }),
  hosts: z.array(z.string().max(255)).max(itemsMax).default([]).meta({
    description:
      "Hosts that it may be sent to by any row, over https, such as api.example.com or nas.lan:8443. One without encryption is named so: http://nas.lan:8080.",
  }),
  revision: z.int().min(1).optional().meta({
    description: "Of the reference that was read. If it has changed since: 409 `conflict`.",
  }),
});
export type ReferenceInput = z.input<typeof referenceInputSchema>;

/** Where a row would send a secret. */
export const secretDestinationSchema = z
  .object({
    id: z.uuid().meta({ description: "Of the row." }),
    label: z.string(),
    addresses: z.array(z.string()).meta({
      description:
        "Whose code sends it, then the origins of its addresses and other values that choose a host.",
    }),
  })
  .meta({ id: "SecretDestination" });
export type SecretDestination = z.infer<typeof secretDestinationSchema>;

export const secretReferenceSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    source: z.object({ id: z.uuid(), name: z.string() }),
    path: z.string(),
    field: z.string(),
    version: z.string().nullable(),
    tags: z.array(z.string()),
    rows: z.array(
      z.object({
        id: z.uuid(),
        label: z.string().nullable().meta({ description: "Null: the row is gone." }),
        addresses: z.array(z.string()).meta({ description: "Where it sends credentials." }),
        is_current: z.boolean().meta({
          description: "False: the row's addresses have changed, so it does not get the secret.",
        }),
      }),
    ),
    hosts: z.array(z.string()),
    used_by: z
      .array(
        z.object({
          kind: z.enum(["row", "workflow"]),
          id: z.string(),
          name: z.string(),
          field: z.string(),
        }),
      )
      .meta({ description: "Fields of rows and secrets of workflows that name it." }),
    last_read: secretReadSchema.nullable(),
    revision: z.int(),
    created_at: timeSchema,
  })
  .meta({ id: "SecretReference" });
export type SecretReference = z.infer<typeof secretReferenceSchema>;
