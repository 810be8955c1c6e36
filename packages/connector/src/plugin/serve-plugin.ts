import { rmSync } from "node:fs";
import type { Server, sendUnaryData } from "@grpc/grpc-js";
import type { ConnectorDefinition } from "../connector-definition.ts";
import { toJsonText } from "../json.ts";
import { toModuleManifest } from "./manifest/to-module-manifest.ts";
import {
  chooseAppVersion,
  formatHandshakeLine,
  handshakeVariables,
  magicCookie,
} from "./wire/handshake.ts";

const notice = `This program is a plugin and cannot be started on its own.
Install it into a hub: hub plugin install <folder or archive>
`;

/**
 * The main function of a plugin: serves a connector to the host that started this process. Resolves
 * when it listens. With `--dump-manifest`, it prints the `module` of its manifest and ends. Without
 * a host, it prints a notice and ends with code 1.
 *
 * @example
 * import { serve } from "@hub/connector/plugin";
 * await serve(tracker);
 */
export async function serve(definition: ConnectorDefinition): Promise<void> {
  const { env } = process;
  if (process.argv.includes("--dump-manifest")) {
    process.stdout.write(`${toJsonText(toModuleManifest(definition))}\n`);
    return;
  }
  if (env[magicCookie.name] !== magicCookie.value) {
    process.stderr.write(notice);
    process.exitCode = 1;
    return;
  }
  // Loaded here, so that printing the manifest does not load them.
  const [{ openServer }, { createConnectorService }, { createHealthService }] = await Promise.all([
    import("./serve/open-plugin-server.ts"),
    import("./serve/connector-service.ts"),
    import("./serve/health-service.ts"),
  ]);
  const version = chooseAppVersion(env[handshakeVariables.appVersions]);
  const connector = createConnectorService({ definition, version });
  const { server, handshake } = await openServer(env, {
    connector: connector.methods,
    controller: {
      Shutdown(_call: unknown, answer: sendUnaryData<object>) {
        answer(null, {});
        connector.finish();
        endGracefully(server, end);
      },
    },
    health: createHealthService(),
  });
  const end = () => {
    if (handshake.network === "unix") rmSync(handshake.address, { force: true });
    process.exit(0);
  };
  // A host that is gone reads no log; the plugin ends by itself.
  process.stderr.on("error", () => {});
  // A terminal's interrupt reaches all processes, but the host decides when its plugins end.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", end);
  if (env[handshakeVariables.endsWithStdin] === "1") {
    const { endWithHost } = await import("./serve/end-with-host.ts");
    await endWithHost(end);
  }
  process.stdout.write(`${formatHandshakeLine(handshake)}\n`);
}

/** Running calls finish first. A host that does not wait for them kills the process. */
function endGracefully(server: Server, end: () => void): void {
  server.tryShutdown(end);
}
