import { defineHubConnector } from "../connectors/builtin/hub-connector.ts";
import { type RunScript, scriptOperations } from "../connectors/builtin/script-operations.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { RowDirectory } from "../connectors/rows/row-directory.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Operations } from "../operations/ports.ts";
import type { ScriptSandbox } from "../sandbox/script-sandbox.ts";
import type { Store } from "../store/store.ts";

type HubConnectorParts = {
  registry: ConnectorRegistry;
  store: Pick<Store, "db">;
  directory: RowDirectory;
  operations: Pick<Operations, "calls" | "catalogue" | "records" | "rights">;
  sandbox: ScriptSandbox;
  log: Pick<Log, "error">;
};

/** Registers the connector `hub`, whose scripts call operations of all connectors. */
export function registerHubConnector(parts: HubConnectorParts): void {
  const { registry, store } = parts;
  const definition = defineHubConnector({ db: store.db, runScript: openScripts(parts) });
  const connector = createLocalConnector(definition, (call) => ({ caller: call.caller, call }), {
    scriptOperations,
  });
  registry.register(connector);
}

/** Loads the runner with the first script, because most processes run none. */
function openScripts({ operations, sandbox, directory, log }: HubConnectorParts): RunScript {
  let loaded: Promise<RunScript> | null = null;
  const load = async () => {
    const { createScriptRunner } = await import("../scripts/run-script.ts");
    return createScriptRunner({
      ...operations,
      sandbox,
      logFailure: (err) =>
        log.error({ err }, "A call or search of a script failed before it was recorded"),
      async findCallsAtOnce({ seen }) {
        const { settings } = await directory.current(seen);
        return settings.userCallsAtOnce;
      },
    });
  };
  return async (request, call) => {
    loaded ??= load();
    return await (await loaded)(request, call);
  };
}
