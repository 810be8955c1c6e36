import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { createSelfSigned } from "../wire/certificate.ts";
import {
  chooseAppVersion,
  coreVersion,
  type Handshake,
  handshakeVariables,
} from "../wire/handshake.ts";
import { createServices, messageBytesMax, type PluginServices } from "../wire/services.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type OpenServer = { server: Server; handshake: Handshake };

/** Binds the server to the host's socket folder or port range. Returns the address for the host. */
export async function openServer(
  env: Environment,
  implement: { [Name in Exclude<keyof PluginServices, "stdio">]: UntypedServiceImplementation },
): Promise<OpenServer> {
  const services = await createServices();
  const server = new Server({
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.max_send_message_length": messageBytesMax,
  });
  server.addService(services.connector, implement.connector);
  server.addService(services.controller, implement.controller);
  server.addService(services.health, implement.health);
  const { credentials, certificate } = createCredentials(env[handshakeVariables.clientCert]);
  const { network, address } = await bind(server, credentials, env);
  const app = chooseAppVersion(env[handshakeVariables.appVersions]);
  return {
    server,
    handshake: { core: coreVersion, app, network, address, protocol: "grpc", certificate },
  };
}

/** With the host's certificate, AutoMTLS: each side trusts exactly the certificate of the other. */
function createCredentials(clientCertPem: string | undefined) {
  if (clientCertPem === undefined || clientCertPem === "") {
    return { credentials: ServerCredentials.createInsecure(), certificate: null };
  }
  const { certPem, keyPem, certificate } = createSelfSigned();
  const pair = { cert_chain: Buffer.from(certPem), private_key: Buffer.from(keyPem) };
  const credentials = ServerCredentials.createSsl(Buffer.from(clientCertPem), [pair], true);
  return { credentials, certificate };
}

type Bound = Pick<Handshake, "network" | "address">;

async function bind(
  server: Server,
  credentials: ServerCredentials,
  env: Environment,
): Promise<Bound> {
  if (process.platform === "win32") return await bindPort(server, credentials, env);
  const dir = env[handshakeVariables.socketDir] || mkdtempSync(join(tmpdir(), "plugin-"));
  const address = join(dir, `plugin${randomBytes(4).toString("hex")}`);
  await listen(server, `unix:${address}`, credentials);
  return { network: "unix", address };
}

async function bindPort(
  server: Server,
  credentials: ServerCredentials,
  env: Environment,
): Promise<Bound> {
  const first = Number(env[handshakeVariables.minPort]) || 0;
  const last = Number(env[handshakeVariables.maxPort]) || first;
  for (let port = first; ; port += 1) {
    try {
      const bound = await listen(server, `127.0.0.1:${port}`, credentials);
      return { network: "tcp", address: `127.0.0.1:${bound}` };
    } catch (error) {
      if (port >= last) throw error;
    }
  }
}

function listen(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) =>
      error === null ? resolve(port) : reject(error),
    );
  });
}
