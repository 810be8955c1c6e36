import type { ChannelCredentials, Client } from "@grpc/grpc-js";
import { certificateName, type SelfSigned, toPem } from "../wire/certificate.ts";
import type { Handshake } from "../wire/handshake.ts";
import { createServices, messageBytesMax } from "../wire/services.ts";
import { createConnection, type PluginConnection } from "./plugin-connection.ts";

const connectTimeoutMs = 10_000;

type Grpc = typeof import("@grpc/grpc-js");

/**
 * Connects to a plugin by the data of its handshake. One connection serves all calls. Rejects with
 * an Error if there is no answer, or if it comes from a program other than the plugin.
 */
export async function connectPlugin(
  handshake: Handshake,
  identity: SelfSigned,
): Promise<PluginConnection> {
  const [grpc, services] = await Promise.all([import("@grpc/grpc-js"), createServices()]);
  const { network, address } = handshake;
  const target = network === "unix" ? `unix:${address}` : address;
  const client = new grpc.Client(target, createCredentials(grpc, handshake, identity), {
    "grpc.max_receive_message_length": messageBytesMax,
    "grpc.max_send_message_length": messageBytesMax,
    "grpc.ssl_target_name_override": certificateName,
    "grpc.default_authority": certificateName,
    // Otherwise, subchannels are shared between clients and kept after their end.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    // A call may have been executed although its connection broke.
    "grpc.enable_retries": 0,
    // An idle timeout would look like a closed connection.
    "grpc.client_idle_timeout_ms": 2 ** 31 - 1,
  });
  try {
    await waitUntilReady(grpc, client);
  } catch (error) {
    client.close();
    throw error;
  }
  return createConnection(grpc, client, services);
}

/** AutoMTLS: each side trusts exactly the certificate of the other. */
function createCredentials(
  { credentials }: Grpc,
  { certificate }: Handshake,
  identity: SelfSigned,
): ChannelCredentials {
  if (certificate === null) return credentials.createInsecure();
  return credentials.createSsl(
    Buffer.from(toPem(certificate)),
    Buffer.from(identity.keyPem),
    Buffer.from(identity.certPem),
  );
}

/** `waitForReady` would retry endlessly with a wrong certificate. */
async function waitUntilReady({ connectivityState }: Grpc, client: Client): Promise<void> {
  const channel = client.getChannel();
  const deadline = Date.now() + connectTimeoutMs;
  for (;;) {
    const state = channel.getConnectivityState(true);
    if (state === connectivityState.READY) return;
    if (state === connectivityState.TRANSIENT_FAILURE || state === connectivityState.SHUTDOWN) {
      throw new Error("no mutually trusted connection was established");
    }
    await new Promise<void>((resolve, reject) => {
      channel.watchConnectivityState(state, deadline, (error) =>
        error ? reject(new Error("it does not accept connections")) : resolve(),
      );
    });
  }
}
