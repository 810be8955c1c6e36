import { appVersions, handshakeVariables, magicCookie } from "@hub/connector/plugin";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that a plugin gets from the hub: paths, language, time zone, proxies, certificates. */
const passedOn = [
  "PATH",
  "LANG",
  "TZ",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "SystemRoot",
] as const;

export type PluginFolders = {
  home: string;
  /** For temporary files; deleted with the process. */
  tmp: string;
  /** The folder of the socket. */
  socket: string;
};

/**
 * The complete environment of a plugin. The hub's own contains its keys and database address, so only
 * the variables named here are passed on.
 */
export function createPluginEnvironment(
  hub: Environment,
  folders: PluginFolders,
  clientCertPem: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of passedOn) {
    const value = hub[name];
    if (value !== undefined) env[name] = value;
  }
  return {
    ...env,
    HOME: folders.home,
    TMPDIR: folders.tmp,
    ...(process.platform === "win32" && {
      USERPROFILE: folders.home,
      TEMP: folders.tmp,
      TMP: folders.tmp,
    }),
    [magicCookie.name]: magicCookie.value,
    [handshakeVariables.minPort]: "10000",
    [handshakeVariables.maxPort]: "25000",
    [handshakeVariables.appVersions]: appVersions.join(","),
    [handshakeVariables.socketDir]: folders.socket,
    [handshakeVariables.clientCert]: clientCertPem,
    [handshakeVariables.endsWithStdin]: "1",
  };
}
