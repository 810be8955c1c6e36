import { join, resolve } from "node:path";
import { findAllowFault, suggest } from "@hub/connector";
import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { HubError } from "./errors.ts";
import { isLoopbackHost } from "./lib/bind-host.ts";
import { findProjectFolder, findUserDataFolder } from "./lib/data-folder.ts";
import { findProxyFault } from "./lib/trusted-proxies.ts";

/** From the text of a setting to its value. A setting that is not given keeps its default. */
const valuesSchema = z.object({
  host: z
    .string()
    .regex(/^[\w.:%-]+$/)
    .default("127.0.0.1"),
  port: wholeNumber(0, 65_535).default(7420),
  baseUrl: z.string().transform(readBaseUrl).nullable().default(null),
  trustedProxies: z
    .string()
    .transform(readList)
    .refine((entries) => findProxyFault(entries) === null)
    .default([]),
  oidcIssuer: z.string().refine(isIssuer).nullable().default(null),
  oidcClientId: z.string().nullable().default(null),
  oidcClientSecret: z.string().nullable().default(null),
  oidcName: z.string().max(60).default("single sign-on"),
  oidcAllowedDomains: z
    .string()
    .transform((text) => readList(text.toLowerCase()))
    .refine((domains) => domains.every((domain) => /^[^\s@]+$/.test(domain)))
    .default([]),
  oidcNewUsers: z.enum(["pending", "active"]).default("pending"),
  oidcTrustEmail: yesOrNo().default(false),
  dataDir: z.string().optional(),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
  encKey: z.string().nullable().default(null),
  encDisable: yesOrNo().default(false),
  mcpSessions: z.enum(["adopt", "strict"]).default("adopt"),
  resultBytesMax: wholeNumber(1024, 1024 ** 3).default(1024 ** 2),
  auditRetentionDays: wholeNumber(1, 36_500).default(7),
  userCallsPerMinute: wholeNumber(0, 1_000_000).default(0),
  userCallsAtOnce: wholeNumber(0, 1_000_000).default(0),
  rowCallsPerMinute: wholeNumber(0, 1_000_000).default(0),
  rowCallsAtOnce: wholeNumber(0, 1_000_000).default(0),
  outboundAllow: z
    .string()
    .transform(readList)
    .refine((entries) => findAllowFault(entries) === null)
    .default([]),
  pluginPubkey: z
    .string()
    .transform(readList)
    .refine((keys) => keys.every((key) => findPublicKey(key) !== null))
    .default([]),
  pluginRequireSignature: yesOrNo().nullable().default(null),
  pluginAllowBinarySignatures: yesOrNo().default(false),
  pluginCosignPubkey: z.string().nullable().default(null),
  pluginCatalog: z.string().nullable().default(null),
  pluginProcsMax: wholeNumber(1, 1000).default(8),
});

type Values = z.output<typeof valuesSchema>;
export type SettingName = keyof Values;

type SettingSpec = {
  description: string;
  /** Completes "HUB_X must be …". */
  expects: string;
  /** What applies when nothing is given. */
  fallback: string;
  /** Never shown, and no flag: everyone on the machine can list arguments. */
  secret?: true;
};

/** Every setting in words, in the order in which help and `hub doctor` show them. */
export const settingSpecs: Record<SettingName, SettingSpec> = {
  host: {
    description: "address to listen on",
    expects: "an IP address or a host name",
    fallback: "127.0.0.1",
  },
  port: {
    description: "port to listen on; 0 takes a free one",
    expects: "a whole number from 0 to 65535",
    fallback: "7420",
  },
  baseUrl: {
    description: "address under which clients reach the hub",
    expects: "an http or https address without a path, such as https://hub.example.com",
    fallback: "http://localhost and the port",
  },
  trustedProxies: {
    description: "reverse proxies whose X-Forwarded headers count, comma-separated",
    expects: "a comma-separated list of addresses (10.0.0.7) and networks (10.0.0.0/8)",
    fallback: "none",
  },
  oidcIssuer: {
    description: "OpenID provider at which people can sign in",
    expects: "the issuer's https address, such as https://id.example.com/realms/staff",
    fallback: "none",
  },
  oidcClientId: {
    description: "client id of the hub at the OpenID provider",
    expects: "text",
    fallback: "none",
  },
  oidcClientSecret: {
    description: "client secret of the hub at the OpenID provider",
    expects: "text",
    fallback: "none, for a public client",
    secret: true,
  },
  oidcName: {
    description: "what the sign-in page calls the OpenID provider",
    expects: "at most 60 characters",
    fallback: "single sign-on",
  },
  oidcAllowedDomains: {
    description: "domains of the e-mails that may sign in at the OpenID provider, comma-separated",
    expects: "a comma-separated list of domains, such as example.com",
    fallback: "all",
  },
  oidcNewUsers: {
    description: "what somebody is who signs in at the OpenID provider for the first time",
    expects: "pending or active",
    fallback: "pending",
  },
  oidcTrustEmail: {
    description: "count e-mails of the OpenID provider as verified where it does not say",
    expects: "1 or 0",
    fallback: "0",
  },
  dataDir: {
    description: "folder of the database and the key file",
    expects: "a folder",
    fallback: ".hub in the project you are in, else in your data folder",
  },
  logLevel: {
    description: "least severe entry that is logged",
    expects: "one of trace, debug, info, warn, error, fatal, silent",
    fallback: "info",
  },
  encKey: {
    description: "master keys, 32 bytes each, hex or base64, comma-separated; the first seals",
    expects: "text",
    fallback: "the key file in the data folder",
    secret: true,
  },
  encDisable: {
    description: "let secrets reach clients and the audit unmasked",
    expects: "1 or 0",
    fallback: "0",
  },
  mcpSessions: {
    description: "unknown MCP session ids: adopt serves them, strict answers 404",
    expects: "adopt or strict",
    fallback: "adopt",
  },
  resultBytesMax: {
    description: "longest result of an operation, in bytes; longer ones are cut",
    expects: "a whole number from 1024 to 1073741824",
    fallback: "1048576",
  },
  auditRetentionDays: {
    description: "days for which recorded runs are kept",
    expects: "a whole number from 1 to 36500",
    fallback: "7",
  },
  userCallsPerMinute: callLimit("calls of one user a minute"),
  userCallsAtOnce: callLimit("calls of one user at the same time"),
  rowCallsPerMinute: callLimit("calls to one row a minute"),
  rowCallsAtOnce: callLimit("calls to one row at the same time"),
  outboundAllow: {
    description: "private hosts and networks that connectors may call, comma-separated",
    expects:
      "a comma-separated list of hosts (nas.lan, nas.lan:8443), addresses and networks (10.0.0.0/8)",
    fallback: "none",
  },
  pluginPubkey: {
    description: "Ed25519 public keys whose plugins are trusted, base64, comma-separated",
    expects: "a comma-separated list of base64 texts of 32 bytes, as `wick plugin keygen` prints",
    fallback: "none",
  },
  pluginRequireSignature: {
    description: "1 refuses plugins without a trusted signature, 0 lets unsigned ones in",
    expects: "1 or 0",
    fallback: "1 with a key in HUB_PLUGIN_PUBKEY, else 0",
  },
  pluginAllowBinarySignatures: {
    description: "accept signatures over the program alone, of version-1 plugins",
    expects: "1 or 0",
    fallback: "0",
  },
  pluginCosignPubkey: {
    description: "cosign public key, PEM or a file, that must have signed each plugin's program",
    expects: "a PEM text or a file",
    fallback: "none",
  },
  pluginCatalog: {
    description: "address or file of the catalog of plugins",
    expects: "an https address or a file",
    fallback: "the catalog of this build; in a checkout what `npm run plugins` makes",
  },
  pluginProcsMax: {
    description: "most plugin processes that run at the same time",
    expects: "a whole number from 1 to 1000",
    fallback: "8",
  },
};

function callLimit(what: string): SettingSpec {
  return {
    description: `most ${what}, in each process; 0 is no limit`,
    expects: "a whole number from 0 to 1000000",
    fallback: "0",
  };
}

/** A setting as it was given at the start. */
export type SettingReport = {
  /** Name of the environment variable. */
  name: string;
  description: string;
  /** Null where nothing applies yet; never a secret's value. */
  value: string | null;
  origin: "default" | "environment" | "flag";
};

export type Config = Omit<Values, "encKey" | "oidcClientSecret" | "dataDir"> & {
  /** Absolute. */
  dataDir: string;
  /** The text of HUB_ENC_KEY; a function, so that printing the configuration cannot show it. */
  readEncKey: () => string | null;
  /** The text of HUB_OIDC_CLIENT_SECRET, likewise. */
  readOidcClientSecret: () => string | null;
  settings: readonly SettingReport[];
};

type Source = {
  env: Readonly<Record<string, string | undefined>>;
  /** Flags win over the environment; `true` is a flag without a value. */
  flags?: Partial<Record<SettingName, string | true>>;
  cwd: string;
};

/** Reads every setting. Throws `bad_configuration` with one sentence for each bad value. */
export function loadConfig(source: Source): { config: Config; warnings: string[] } {
  checkDatabaseUrl(source.env);
  const given = collectGiven(source);
  const parsed = valuesSchema.safeParse(toTexts(given));
  if (!parsed.success) throw toConfigError(parsed.error, given);

  const { encKey, oidcClientSecret, dataDir, ...rest } = parsed.data;
  checkSingleSignOn(rest);
  const values = { ...rest, dataDir: resolve(source.cwd, dataDir ?? findDataDir(source)) };
  const config: Config = {
    ...values,
    readEncKey: () => encKey,
    readOidcClientSecret: () => oidcClientSecret,
    settings: settingNames.map((name) => ({
      name: toVariable(name),
      description: settingSpecs[name].description,
      value: toShownText(toShown(name, { ...parsed.data, ...values })),
      origin: given.get(name)?.origin ?? "default",
    })),
  };
  return { config, warnings: [...findUnknownVariables(source.env), ...findProxy(source.env)] };
}

/** The value that a text gives a setting. Throws `bad_request` with a sentence for one that does not fit. */
export function parseSetting<Name extends SettingName>(name: Name, text: string): Values[Name] {
  const parsed = valuesSchema.shape[name].safeParse(text);
  if (!parsed.success) {
    throw new HubError("bad_request", describeFault(toVariable(name), name, text));
  }
  // Parsed by the schema of this very name.
  return parsed.data as Values[Name];
}

/** `resultBytesMax` → `HUB_RESULT_BYTES_MAX`. */
export function toVariable(name: SettingName): string {
  return `HUB_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

/** `resultBytesMax` → `--result-bytes-max`. */
export function toFlag(name: SettingName): string {
  return `--${name.replace(/[A-Z]/g, "-$&").toLowerCase()}`;
}

const settingNames = valuesSchema.keyof().options;

type Given = ReadonlyMap<SettingName, { text: string; origin: "environment" | "flag" }>;

function collectGiven({ env, flags = {} }: Source): Given {
  const given: Map<SettingName, { text: string; origin: "environment" | "flag" }> = new Map();
  for (const name of settingNames) {
    const flag = flags[name];
    const variable = env[toVariable(name)]?.trim();
    if (flag !== undefined) given.set(name, { text: flag === true ? "1" : flag, origin: "flag" });
    else if (variable) given.set(name, { text: variable, origin: "environment" });
  }
  return given;
}

function toTexts(given: Given): Record<string, string> {
  return Object.fromEntries([...given].map(([name, { text }]) => [name, text]));
}

function checkDatabaseUrl(env: Source["env"]): void {
  if (!env.HUB_DATABASE_URL?.trim()) return;
  throw new HubError(
    "bad_configuration",
    "HUB_DATABASE_URL: this version cannot use PostgreSQL yet. Unset it, and the hub keeps a SQLite database in its data folder.",
  );
}

function checkSingleSignOn(values: Pick<Values, "oidcIssuer" | "oidcClientId">): void {
  const [issuer, clientId] = [toVariable("oidcIssuer"), toVariable("oidcClientId")];
  if ((values.oidcIssuer === null) === (values.oidcClientId === null)) return;
  throw new HubError(
    "bad_configuration",
    `Single sign-on needs both ${issuer} and ${clientId}. Set the one that is missing, or neither.`,
  );
}

function toConfigError(error: z.ZodError, given: Given): HubError {
  const sentences = settingNames
    .filter((name) => error.issues.some((issue) => issue.path[0] === name))
    .map((name) => {
      const { text, origin } = given.get(name) ?? { text: "", origin: "environment" };
      return describeFault(origin === "flag" ? toFlag(name) : toVariable(name), name, text);
    });
  return new HubError("bad_configuration", sentences.join(" "));
}

function describeFault(place: string, name: SettingName, text: string): string {
  return `${place} must be ${settingSpecs[name].expects}, not ${JSON.stringify(text)}.`;
}

/** `.hub` of the checkout or project one stands in; else the folder this platform gives a person. */
function findDataDir({ env, cwd }: Source): string {
  const project = findProjectFolder(cwd);
  return project === null ? findUserDataFolder(env, "hub") : join(project, ".hub");
}

function toShown(name: SettingName, values: Values): Exclude<Values[SettingName], undefined> {
  const value = values[name] ?? null;
  return settingSpecs[name].secret && value !== null ? "[secret]" : value;
}

function toShownText(value: string | number | boolean | readonly string[] | null): string | null {
  if (typeof value === "object") return value === null ? null : value.join(", ");
  return String(value);
}

function findUnknownVariables(env: Source["env"]): string[] {
  const known = [...settingNames.map(toVariable), "HUB_DATABASE_URL"];
  return Object.keys(env)
    .filter((name) => name.startsWith("HUB_") && env[name])
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is not a setting of the hub.${suggest(name, known)}`);
}

/** Proxies look names up themselves, past the outbound guard: docs/decisions/006. */
function findProxy(env: Source["env"]): string[] {
  const name = Object.keys(env).find((key) => /^(?:https?|all)_proxy$/i.test(key) && env[key]);
  if (name === undefined) return [];
  return [
    `${name} is set, but the calls of connectors go straight to their hosts and to no proxy. The hub's machine has to reach those hosts itself.`,
  ];
}

function yesOrNo() {
  return z.enum(["1", "true", "0", "false"]).transform((text) => text === "1" || text === "true");
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= min && value <= max);
}

function readBaseUrl(text: string, ctx: z.RefinementCtx): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === "/" &&
    `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (!isPlain) {
    ctx.addIssue({ code: "custom", message: "not a base address" });
    return z.NEVER;
  }
  return url.origin;
}

/** Without TLS anybody on the way could be the provider: only this machine is trusted so. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || `${url.search}${url.hash}${url.username}${url.password}` !== "") return false;
  // The document's own address would leave unchecked whose document it is.
  if (url.pathname.includes("/.well-known/")) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

function readList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
