import type { PluginProgress } from "@hub/contract/plugin.ts";
import { useQueryClient } from "@tanstack/react-query";
import { asApiError } from "../../api/api-error.ts";
import type { ApiClient } from "../../api/call-api.ts";
import { useApiClient } from "../../api/use-api.ts";
import { useToast } from "../../ui/toasts.tsx";
import { isPhase, setPluginWork } from "./plugin-work.ts";

/** What changes with a plugin. */
const refreshed = [
  "GET /manager/api/plugins",
  "GET /manager/api/plugins/catalog",
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
  "GET /manager/api/rows",
] as const;

type OnProgress = (progress: unknown) => void;
type Allowed = { replace?: boolean; allow_downgrade?: boolean };

/** The actions on plugins. `usePluginWork` says how each goes. */
export function usePluginActions() {
  const api = useApiClient();
  const queries = useQueryClient();
  const toast = useToast();

  /** Runs an action and shows its progress under `key`. True if it succeeded. */
  async function run(
    key: string,
    action: string,
    work: (api: ApiClient, onProgress: OnProgress) => Promise<string | null>,
  ): Promise<boolean> {
    setPluginWork(key, { state: "running", action, progress: null });
    const onProgress: OnProgress = (found) => {
      const progress = toProgress(found);
      if (progress !== null) setPluginWork(key, { state: "running", action, progress });
    };
    let isDone = false;
    try {
      const text = await work(api, onProgress);
      setPluginWork(key, text === null ? null : { state: "done", action });
      if (text !== null) toast({ text });
      isDone = true;
    } catch (thrown) {
      setPluginWork(key, { state: "failed", action, error: asApiError(thrown) });
    }
    // Also after a failure: another admin may have been faster.
    await Promise.all(refreshed.map((one) => queries.invalidateQueries({ queryKey: [one] })));
    return isDone;
  }

  const toggle = (key: string, name: string, isEnabled: boolean, onUndo?: () => void) =>
    run(key, isEnabled ? "Enable" : "Disable", async () => {
      const word = isEnabled ? "enable" : "disable";
      await api.call(`POST /manager/api/plugins/{key}/${word}`, { params: { key } });
      toast({ text: `${name} is ${word}d.`, ...(onUndo !== undefined && { onUndo }) });
      return null;
    });

  return {
    /** Installs from the catalog, or from an address that stands in the place of the key. */
    download: (key: string, source: string, allowed: Allowed = {}) =>
      run(key, "Download", async (_, onProgress) => {
        const body = { source, ...allowed };
        const plugin = await api.follow("POST /manager/api/plugins/install", { body }, onProgress);
        return `${plugin.name} ${plugin.version ?? ""} is installed.`;
      }),
    update: (key: string, allowed: Pick<Allowed, "replace"> = {}) =>
      run(key, "Update", async (_, onProgress) => {
        const input = { params: { key }, body: allowed };
        const route = "POST /manager/api/plugins/{key}/update";
        const { name, version, updated } = await api.follow(route, input, onProgress);
        return updated
          ? `${name} is updated to ${version}.`
          : `${name} is up to date: another admin has updated it.`;
      }),
    enable: (key: string, name: string) => toggle(key, name, true),
    disable: (key: string, name: string) =>
      toggle(key, name, false, () => void toggle(key, name, true)),
    uninstall: (key: string, withData: boolean) =>
      run(key, "Uninstall", async () => {
        const query = { data: withData ? "true" : "false" } as const;
        const { name } = await api.call("DELETE /manager/api/plugins/{key}", {
          params: { key },
          query,
        });
        return `${name} is uninstalled.`;
      }),
  };
}

function toProgress(found: unknown): PluginProgress | null {
  const { phase, percent } = Object(found);
  if (!isPhase(phase)) return null;
  return { phase, ...(typeof percent === "number" && { percent }) };
}
