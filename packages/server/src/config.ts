import { join, resolve } from "node:path";
import { suggest } from "@hub/connector";
import type { z } from "zod";
import { HubError } from "./errors.ts";
import { findProjectFolder, findUserDataFolder } from "./lib/files/data-folder.ts";
import { readTraceSettings, type TraceSettings } from "./lib/tracing/trace-settings.ts";
import {
  type SettingName,
  settingSpecs,
  type Values,
  valuesSchema,
} from "./settings/all-settings.ts";

/** A setting of the process. */
export type SettingReport = {
  /** Name of the environment variable. */
  name: string;
  description: string;
  /** Null if it has no value. Never the value of a secret. */
  value: string | null;
  origin: "default" | "environment" | "flag";
};

type Secrets = "databaseUrl" | "encKey" | "oidcClientSecret" | "embeddingsKey";

export type Config = Omit<Values, Secrets | "dataDir"> & {
  /** Absolute. */
  dataDir: string;
  /**
   * HUB_DATABASE_URL, which may contain a password; a function, so that printing the configuration
   * cannot show it.
   */
  readDatabaseUrl: () => string | null;
  /** The text of HUB_ENC_KEY; a function for the same reason. */
  readEncKey: () => string | null;
  /** The text of HUB_OIDC_CLIENT_SECRET; a function for the same reason. */
  readOidcClientSecret: () => string | null;
  /** The text of HUB_EMBEDDINGS_KEY; a function for the same reason. */
  readEmbeddingsKey: () => string | null;
  /** The variables whose names begin with `HUB_SECRET_`, for references of rows; a function for the same reason. */
  readSecretVariable: (name: string) => string | undefined;
  /**
   * The variables by which clouds give the credentials of this machine, for secret managers that sign in with these; a function
   * for the same reason.
   */
  readCloudVariable: (name: string) => string | undefined;
  /** The standard variables of OpenTelemetry; null if no traces are recorded. */
  traces: TraceSettings | null;
  settings: readonly SettingReport[];
};

type Source = {
  env: Readonly<Record<string, string | undefined>>;
  /** Flags override the environment; `true` is a flag without a value. */
  flags?: Partial<Record<SettingName, string | true>>;
  cwd: string;
  /** Uses the user's data folder, although `cwd` is in a checkout or project. */
  ignoresProject?: boolean;
};

/** Reads every setting. Throws `bad_configuration` with one sentence for each invalid value. */
export function loadConfig(source: Source): { config: Config; warnings: string[] } {
  const given = collectSettingTexts(source);
  // Compiling the parser costs more than the one parse of a process.
  const parsed = valuesSchema.safeParse(toTexts(given), { jitless: true });
  if (!parsed.success) throw toConfigError(parsed.error, given);

  const { databaseUrl, encKey, oidcClientSecret, embeddingsKey, dataDir, ...rest } = parsed.data;
  checkTogether(rest, "Single sign-on needs", "oidcIssuer", "oidcClientId");
  checkGroups(rest);
  checkTogether(rest, "Embeddings need", "embeddingsUrl", "embeddingsModel");
  if (databaseUrl !== null) checkPostgres(parsed.data);
  const values = {
    ...rest,
    dataDir: resolve(source.cwd, dataDir ?? findDataDir(source)),
    secretsDir: rest.secretsDir === null ? null : resolve(source.cwd, rest.secretsDir),
  };
  const config: Config = {
    ...values,
    readDatabaseUrl: () => databaseUrl,
    readEncKey: () => encKey,
    readOidcClientSecret: () => oidcClientSecret,
    readEmbeddingsKey: () => embeddingsKey,
    readSecretVariable: (name) => (isSecretVariable(name) ? source.env[name] : undefined),
    readCloudVariable: (name) => (cloudVariables.has(name) ? source.env[name] : undefined),
    traces: readTraceSettings(source.env),
    settings: settingNames.map((name) => ({
      name: toVariable(name),
      description: settingSpecs[name].description,
      value: toShownText(toShown(name, { ...parsed.data, ...values })),
      origin: given.get(name)?.origin ?? "default",
    })),
  };
  return {
    config,
    warnings: [
      ...findUnknownVariables(source.env),
      ...findProxy(source.env),
      ...findWrongZone(source.env),
    ],
  };
}

const cloudVariables = new Set([
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "AWS_WEB_IDENTITY_TOKEN_FILE",
  "AWS_ROLE_ARN",
  "AWS_ROLE_SESSION_NAME",
  "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
  "AWS_CONTAINER_CREDENTIALS_FULL_URI",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN",
  "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
  "AZURE_TENANT_ID",
  "AZURE_CLIENT_ID",
  "AZURE_FEDERATED_TOKEN_FILE",
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
]);

/** Parses the value of a setting. Throws `bad_request` with a sentence for an invalid one. */
export function parseSetting<Name extends SettingName>(name: Name, text: string): Values[Name] {
  const parsed = valuesSchema.shape[name].safeParse(text);
  if (!parsed.success) {
    throw new HubError("bad_request", describeFault(toVariable(name), name, text));
  }
  // The schema with this name has parsed it.
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

type SettingTexts = ReadonlyMap<SettingName, { text: string; origin: "environment" | "flag" }>;

function collectSettingTexts({ env, flags = {} }: Source): SettingTexts {
  const given: Map<SettingName, { text: string; origin: "environment" | "flag" }> = new Map();
  for (const name of settingNames) {
    const flag = flags[name];
    const variable = env[toVariable(name)]?.trim();
    if (flag !== undefined) given.set(name, { text: flag === true ? "1" : flag, origin: "flag" });
    else if (variable) given.set(name, { text: variable, origin: "environment" });
  }
  return given;
}

function toTexts(given: SettingTexts): Record<string, string> {
  return Object.fromEntries([...given].map(([name, { text }]) => [name, text]));
}

/** What processes that share a PostgreSQL database must have in common is not in a data folder. */
function checkPostgres({ encKey, mcpSessions }: Values): void {
  if (encKey === null) {
    throw new HubError(
      "bad_configuration",
      "With HUB_DATABASE_URL, set HUB_ENC_KEY too: every process that uses the database needs the same keys. For a new hub, create a key with: openssl rand -hex 32. For a copy of a data folder, print its keys with: hub keys env --show",
    );
  }
  if (mcpSessions === "strict") {
    throw new HubError(
      "bad_configuration",
      "With HUB_DATABASE_URL, HUB_MCP_SESSIONS must be adopt: a request may reach another process than the one that began its session.",
    );
  }
}

/** Throws if only one of two settings is set. */
function checkTogether<Name extends SettingName>(
  values: Record<Name, unknown>,
  need: string,
  first: Name,
  second: Name,
): void {
  if ((values[first] === null) === (values[second] === null)) return;
  throw new HubError(
    "bad_configuration",
    `${need} both ${toVariable(first)} and ${toVariable(second)}. Set both or neither.`,
  );
}

/** Without the claim, the hub would refuse all users, or none. */
function checkGroups(values: Pick<Values, "ssoRequiredGroup" | "ssoGroupsClaim">): void {
  if (values.ssoRequiredGroup === null || values.ssoGroupsClaim !== null) return;
  throw new HubError(
    "bad_configuration",
    `${toVariable("ssoRequiredGroup")} needs ${toVariable("ssoGroupsClaim")}: the claim with the groups of users.`,
  );
}

function toConfigError(error: z.ZodError, given: SettingTexts): HubError {
  const sentences = settingNames
    .filter((name) => error.issues.some((issue) => issue.path[0] === name))
    .map((name) => {
      const { text, origin } = given.get(name) ?? { text: "", origin: "environment" };
      return describeFault(origin === "flag" ? toFlag(name) : toVariable(name), name, text);
    });
  return new HubError("bad_configuration", sentences.join(" "));
}

function describeFault(place: string, name: SettingName, text: string): string {
  const { expects, secret } = settingSpecs[name];
  return `${place} must be ${expects}${secret ? "" : `, not ${JSON.stringify(hideCredentials(text))}`}.`;
}

/** Removes what can be a credential in an address: the message ends up in logs. */
function hideCredentials(text: string): string {
  return text.replace(/(:\/\/)[^/\s]*@/g, "$1…@").replace(/([?&][\w.-]+=)[^&#\s]*/g, "$1…");
}

/** `.hub` in the current checkout or project, or else the user's data folder on this platform. */
function findDataDir({ env, cwd, ignoresProject = false }: Source): string {
  const project = ignoresProject ? null : findProjectFolder(cwd);
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

/** Where the guides and the entries of clients keep a user's token: it is no setting, and no mistake. */
const clientTokenVariable = "HUB_TOKEN";

function findUnknownVariables(env: Source["env"]): string[] {
  const known = settingNames.map(toVariable);
  return Object.keys(env)
    .filter((name) => name.startsWith("HUB_") && env[name])
    .filter(
      (name) => !known.includes(name) && !isSecretVariable(name) && name !== clientTokenVariable,
    )
    .map((name) => `${name} is not a setting of the hub.${suggest(name, known)}`);
}

function isSecretVariable(name: string): boolean {
  return /^HUB_SECRET_\w+$/.test(name);
}

/** The runtime takes a zone that it does not know for UTC, without a word. */
function findWrongZone({ TZ: zone }: Source["env"]): string[] {
  if (!zone) return [];
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return [];
  } catch {
    const hint = suggest(zone.replace(/^:/, ""), Intl.supportedValuesOf("timeZone"));
    return [
      `TZ is ${JSON.stringify(zone.slice(0, 60))}, which is no time zone that the hub knows, so schedules of workflows run in UTC. Set it to a name such as Europe/Berlin.${hint}`,
    ];
  }
}

/** Proxies resolve names themselves, which bypasses the outbound guard: docs/decisions/006. */
function findProxy(env: Source["env"]): string[] {
  const name = Object.keys(env).find((key) => /^(?:https?|all)_proxy$/i.test(key) && env[key]);
  if (name === undefined) return [];
  return [
    `${name} is set, but calls of connectors do not use a proxy. The hub's machine must be able to reach their hosts directly.`,
  ];
}
