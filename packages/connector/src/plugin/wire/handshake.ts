/** The supported versions of go-plugin's own protocol and of `wick.connector.v1`. */
export const coreVersion = 1;
export type AppVersion = 1 | 2;
export const appVersions: readonly AppVersion[] = [1, 2];

/** A program without this environment variable was not started by a plugin host. */
export const magicCookie = {
  name: "WICK_CONNECTOR_PLUGIN",
  value: "b3f1c2a4-wick-connector-grpc",
} as const;

/** The environment variables with which a host starts a plugin. */
export const handshakeVariables = {
  minPort: "PLUGIN_MIN_PORT",
  maxPort: "PLUGIN_MAX_PORT",
  appVersions: "PLUGIN_PROTOCOL_VERSIONS",
  socketDir: "PLUGIN_UNIX_SOCKET_DIR",
  clientCert: "PLUGIN_CLIENT_CERT",
  /**
   * `1`: the host keeps the plugin's stdin open as long as it runs. This is an extension of
   * go-plugin.
   */
  endsWithStdin: "PLUGIN_ENDS_WITH_STDIN",
} as const;

/** The data that a plugin reports to its host before the first call. */
export type Handshake = {
  core: number;
  app: number;
  network: "unix" | "tcp";
  address: string;
  protocol: string;
  /** In DER; null if the plugin serves without TLS. */
  certificate: Uint8Array | null;
};

/** `CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERT` */
export function formatHandshakeLine(handshake: Handshake): string {
  const { core, app, network, address, protocol, certificate } = handshake;
  const certText =
    certificate === null ? "" : Buffer.from(certificate).toString("base64").replace(/=+$/, "");
  return [core, app, network, address, protocol, certText].join("|");
}

/** Returns null for other lines, because a program may print before its handshake. */
export function parseHandshakeLine(line: string): Handshake | null {
  const match =
    /^(\d{1,9})\|(\d{1,9})\|(unix|tcp)\|([^|]+)\|([a-z]*)(?:\|([A-Za-z0-9+/=]*))?(?:\||$)/.exec(
      line.trim(),
    );
  if (match === null) return null;
  const [, core, app, network, address = "", protocol = "", certText = ""] = match;
  return {
    core: Number(core),
    app: Number(app),
    network: network === "tcp" ? "tcp" : "unix",
    address,
    // The first version of go-plugin's protocol did not have this part.
    protocol: protocol || "netrpc",
    certificate: certText === "" ? null : Buffer.from(certText, "base64"),
  };
}

/** The highest version that both sides support. Without a common version, the plugin's highest. */
export function chooseAppVersion(offered: string | undefined): AppVersion {
  // A host without this variable is older and speaks the first version.
  if (offered === undefined || offered.trim() === "") return 1;
  const versions = offered.split(",").map((text) => Number(text.trim()));
  // Without a common version, the host reads this one and refuses the plugin.
  return appVersions.findLast((version) => versions.includes(version)) ?? 2;
}
