import { type BudgetSpec, budgetTable } from "./lib/budgets/budget-table.ts";
import type { SettingName } from "./setting-values.ts";

type SettingSpec = {
  description: string;
  /** Completes "HUB_X must be …". */
  expects: string;
  /** The default in words. */
  fallback: string;
  /** Never shown, and without a flag: all users of the machine can list arguments. */
  secret?: true;
};

/** The descriptions of all settings, in the order of help and `hub doctor`. */
export const settingSpecs: Record<SettingName, SettingSpec> = {
  host: {
    description: "address to listen on",
    expects: "an IP address or a host name",
    fallback: "127.0.0.1",
  },
  port: {
    description: "port to listen on; 0 selects a free port",
    expects: "a whole number from 0 to 65535",
    fallback: "7420",
  },
  baseUrl: {
    description: "address under which clients reach the hub",
    expects: "an http or https address without a path, such as https://hub.example.com",
    fallback: "http://localhost and the port",
  },
  trustedProxies: {
    description: "reverse proxies whose X-Forwarded headers are used, comma-separated",
    expects: "a comma-separated list of addresses (10.0.0.7) and networks (10.0.0.0/8)",
    fallback: "none",
  },
  drainSeconds: {
    description: "seconds from the signal to stop until the server stops listening",
    expects: "a whole number from 0 to 300",
    fallback: "0",
  },
  oidcIssuer: {
    description: "OpenID provider for single sign-on",
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
    description: "name of the OpenID provider on the sign-in page",
    expects: "at most 60 characters",
    fallback: "single sign-on",
  },
  oidcAllowedDomains: {
    description: "e-mail domains that may sign in with the OpenID provider, comma-separated",
    expects: "a comma-separated list of domains, such as example.com",
    fallback: "all",
  },
  oidcNewUsers: {
    description: "status of users after their first sign-in with the OpenID provider",
    expects: "pending or active",
    fallback: "pending",
  },
  oidcTrustEmail: {
    description: "treat e-mails as verified if the OpenID provider does not say whether they are",
    expects: "1 or 0",
    fallback: "0",
  },
  dataDir: {
    description: "folder of the database and the key file",
    expects: "a folder",
    fallback: ".hub in the current project, else the user's data folder",
  },
  secretsDir: {
    description: "folder of files whose content is a secret each, for references of a hub file",
    expects: "a folder",
    fallback: "none",
  },
  logLevel: {
    description: "lowest level that is logged",
    expects: "one of trace, debug, info, warn, error, fatal, silent",
    fallback: "info",
  },
  databaseUrl: {
    description: "PostgreSQL database, which replaces the SQLite database of the data folder",
    expects: "an address such as postgres://user:password@host:5432/database",
    fallback: "SQLite in the data folder",
    secret: true,
  },
  migrate: {
    description:
      "auto applies missing migrations of the database at start, off refuses to start without them",
    expects: "auto or off",
    fallback: "auto",
  },
  upgradeBackup: {
    description:
      "whether a SQLite database is copied before it is upgraded: on does if there is room, required refuses to upgrade without, off never does",
    expects: "on, required or off",
    fallback: "on",
  },
  encKey: {
    description: "master keys, 32 bytes each, hex or base64, comma-separated; the first encrypts",
    expects: "text",
    fallback: "the key file in the data folder",
    secret: true,
  },
  encDisable: {
    description: "disable the masking of secrets in results and recorded runs",
    expects: "1 or 0",
    fallback: "0",
  },
  rowTokens: {
    description:
      "tokens of a row's secrets open only in calls of that row (bound) or in all calls of the user (user)",
    expects: "bound or user",
    fallback: "bound",
  },
  oauthClientDocuments: {
    description:
      "accept OAuth clients with metadata documents; auto pauses if documents cannot be loaded",
    expects: "auto, on or off",
    fallback: "auto",
  },
  mcpSessions: {
    description: "unknown MCP session ids: adopt serves them, strict answers 404",
    expects: "adopt or strict",
    fallback: "adopt",
  },
  bridgeStdio: {
    description:
      "rows of the mcp connector may start programs on this machine, which no signature covers",
    expects: "1 or 0",
    fallback: "1, but 0 on PostgreSQL and if plugins need signatures",
  },
  bridgeStartSeconds: {
    description:
      "seconds that a row's program may take until it answers, with what it downloads at its first start",
    expects: "a whole number from 1 to 3600",
    fallback: "120",
  },
  bridgeTrust: {
    description:
      "operations that a row's outside system adds or changes: wait for an admin (review), or are approved at once (row)",
    expects: "review or row",
    fallback: "review",
  },
  workflowAuthors: {
    description: "who may write workflows: every user (users) or only admins (admins)",
    expects: "users or admins",
    fallback: "users",
  },
  workflowMcp: {
    description:
      "what models may do with their users' workflows: write and try drafts (draft), or also publish and enable (publish)",
    expects: "draft or publish",
    fallback: "draft",
  },
  workflowHttp: {
    description:
      "whose workflows may have http nodes: every user's (users) or only admins' (admins)",
    expects: "users or admins",
    fallback: "admins",
  },
  workflowOutboundAllow: {
    description: "private hosts and networks that http nodes may call, comma-separated",
    expects:
      "a comma-separated list of hosts (nas.lan, nas.lan:8443), addresses and networks (10.0.0.0/8)",
    fallback: "none",
  },
  workflowCallsAtOnce: {
    description: "maximum concurrent calls of one user's workflows; further calls wait",
    expects: "a whole number from 1 to 1000000",
    fallback: "32",
  },
  resultBytesMax: {
    description: "maximum size of an operation's result in bytes; larger results are cut",
    expects: "a whole number from 1024 to 1073741824",
    fallback: "1048576",
  },
  auditRetentionDays: {
    description: "days for which recorded runs are kept",
    expects: "a whole number from 1 to 36500",
    fallback: "7",
  },
  diskFreeBytesMin: {
    description:
      "free space on the disk of the data folder, in bytes, below which new work is refused; 0 is no limit",
    expects: "a whole number from 0 to 1000000000000",
    fallback: "67108864",
  },
  auditBytesMax: {
    description: "maximum disk space of recorded runs in bytes; 0 is no limit",
    expects: "a whole number from 0 to 1000000000000",
    fallback: "0",
  },
  changesPerDay: {
    description:
      "maximum forms and API requests other than GET of one user in a day; 0 is no limit",
    expects: "a whole number from 0 to 1000000000",
    fallback: "100000",
  },
  auditUserBytesPerDay: {
    description:
      "maximum bytes of requests and results that the records of a user's calls store in a day; 0 is no limit",
    expects: "0, or a whole number from 1048576 to 1000000000000",
    fallback: "1073741824",
  },
  workflowRetentionDays: {
    description: "days for which ended runs of workflows are kept",
    expects: "a whole number from 1 to 36500",
    fallback: "30",
  },
  workflowRequestsPerMinute: {
    description: "webhook requests of one workflow per minute; 0 means no limit",
    expects: "a whole number from 0 to 1000000",
    fallback: "600",
  },
  workflowBytesPerDay: {
    description: "maximum bytes that the runs of one workflow store in a day; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "4294967296",
  },
  userCallsPerMinute: callLimit("calls of one user per minute", 600),
  userCallsAtOnce: callLimit("concurrent calls of one user", 32),
  rowCallsPerMinute: callLimit("calls to one row per minute", 0),
  rowCallsAtOnce: callLimit("concurrent calls to one row", 0),
  budgetSecretChars: describeBudget(
    "maximum characters of secret values that one user's running requests hold",
    budgetTable.secretChars,
  ),
  budgetMemoryBytes: describeBudget(
    "maximum memory that the running large calls of one user hold, in bytes",
    budgetTable.memoryBytes,
  ),
  budgetBodyBytes: describeBudget(
    "maximum bytes of one sender's bodies that arrive or are being answered",
    budgetTable.bodyBytes,
  ),
  budgetGuesses: describeBudget(
    "maximum words that one user may send to a row whose secret can be guessed, per hour",
    budgetTable.guesses,
  ),
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
    description: "1 refuses plugins without a trusted signature, 0 also accepts unsigned plugins",
    expects: "1 or 0",
    fallback: "1 with a key in HUB_PLUGIN_PUBKEY, else 0",
  },
  pluginAllowBinarySignatures: {
    description: "accept signatures over only the program's hash, for version-1 plugins",
    expects: "1 or 0",
    fallback: "0",
  },
  pluginCosignPubkey: {
    description: "cosign public key, PEM or a file; each plugin's program must have its signature",
    expects: "a PEM text or a file",
    fallback: "none",
  },
  pluginCatalog: {
    description: "URL or file of the plugin catalog",
    expects: "an https address or a file",
    fallback: "the catalog of this build; in a checkout the one from `npm run plugins`",
  },
  pluginProcsMax: {
    description: "maximum number of plugin processes",
    expects: "a whole number from 1 to 1000",
    fallback: "8",
  },
  pluginMemoryBytes: {
    description: "memory of one program of a plugin or row, where it has a cgroup; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "half of the machine's memory, at most 4294967296",
  },
  pluginDataBytes: {
    description:
      "memory that each process of such a program can reserve, where it has no cgroup; 0 is no limit",
    expects: "0, or a whole number from 67108864",
    fallback: "8589934592",
  },
  pluginTasksMax: {
    description:
      "maximum number of processes and threads of one program, or of all programs of HUB_PLUGIN_USER where they have no cgroups; 0 is no limit",
    expects: "0, or a whole number from 16 to 4194304",
    fallback: "4096",
  },
  pluginUser: {
    description:
      "user who runs the programs of plugins and rows; the hub must run as root on Linux for it",
    expects: "a user's name or number, or two numbers such as 990:990",
    fallback: "the hub's own user",
  },
  pluginFence: {
    description:
      "whether programs of plugins and rows are kept away from the hub's files and processes: auto does where the system can, required starts none elsewhere, off never does",
    expects: "auto, required or off",
    fallback: "auto",
  },
  embeddingsUrl: {
    description: "OpenAI-compatible endpoint for embeddings, with which searches compare meanings",
    expects:
      "an https address, or an http address of this machine, without a query or a user name, such as http://127.0.0.1:11434/v1",
    fallback: "none",
  },
  embeddingsModel: {
    description: "name of the embeddings model at the endpoint",
    expects: "at most 200 characters",
    fallback: "none",
  },
  embeddingsKey: {
    description: "key for the embeddings endpoint",
    expects: "printable ASCII characters without spaces",
    fallback: "none",
    secret: true,
  },
};

function callLimit(what: string, fallback: number): SettingSpec {
  return {
    description: `maximum ${what}; 0 is no limit`,
    expects: "a whole number from 0 to 1000000",
    fallback: String(fallback),
  };
}

function describeBudget(description: string, spec: BudgetSpec): SettingSpec {
  return {
    description,
    expects: `a whole number from ${spec.min} to ${spec.max}`,
    fallback: String(spec.default),
  };
}
