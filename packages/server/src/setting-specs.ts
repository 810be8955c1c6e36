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
  rowTokens: {
    description:
      "tokens of a row's secrets: bound opens them in that row's calls only, user in all of the caller's",
    expects: "bound or user",
    fallback: "bound",
  },
  oauthClientDocuments: {
    description:
      "take OAuth clients by their metadata documents; auto: not while none can be fetched",
    expects: "auto, on or off",
    fallback: "auto",
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
  auditBytesMax: {
    description: "most bytes that recorded runs may take on the disk; 0 is no limit",
    expects: "a whole number from 0 to 1000000000000",
    fallback: "0",
  },
  userCallsPerMinute: callLimit("calls of one user a minute", 600),
  userCallsAtOnce: callLimit("calls of one user at the same time", 32),
  rowCallsPerMinute: callLimit("calls to one row a minute", 0),
  rowCallsAtOnce: callLimit("calls to one row at the same time", 0),
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

function callLimit(what: string, fallback: number): SettingSpec {
  return {
    description: `most ${what}, in each process; 0 is no limit`,
    expects: "a whole number from 0 to 1000000",
    fallback: String(fallback),
  };
}
