import type { Plugin } from "@hub/contract/plugin.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { asApiError } from "../../../api/api-error.ts";
import type { ApiClient } from "../../../api/call-api.ts";
import { readAgain } from "../../../api/read-again.ts";
import { useApiClient } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { isPhase, setPluginWork } from "./plugin-work.ts";

/** What changes with a plugin. */
const refreshed = [
  "GET /manager/api/plugins",
  "GET /manager/api/plugins/catalog",
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
  "GET /manager/api/rows",
] as const;

/** What a message says of a plugin that no known author has signed. */
const signatureNotes = {
  signed: "",
  "binary-only": "Only its program is signed, not its description.",
  unsigned: "It is not signed, so the hub could not check who made it.",
  unchecked: "Its signature was not checked, because the hub has no key of an author.",
} as const;

/** The message at the end; null for none. */
type Done = string | null | Parameters<ReturnType<typeof useToast>>[0];
type OnProgress = (progress: unknown) => void;
export type Allowed = { replace?: boolean; allow_downgrade?: boolean };

/** The actions on plugins. `usePluginWork` says how each goes. */
export function usePluginActions() {
  const api = useApiClient();
  const queries = useQueryClient();
  const toast = useToast();
  const navigate = useNavigate();

  /** Records how an action goes. */
  const recordStep = (key: string, action: string) => (found: unknown) => {
    const progress = toProgress(found);
    if (progress !== null) setPluginWork(key, { state: "running", action, progress });
  };

  /** Runs an action and shows its progress under `key`. True if it succeeded. */
  async function run(
    key: string,
    action: string,
    work: (api: ApiClient, onProgress: OnProgress) => Promise<Done>,
    signal?: AbortSignal,
  ): Promise<boolean> {
    setPluginWork(key, { state: "running", action, progress: null });
    let isDone = false;
    try {
      const done = await work(api, recordStep(key, action));
      setPluginWork(key, done === null ? null : { state: "done", action });
      if (done !== null) toast(typeof done === "string" ? { text: done } : done);
      isDone = true;
    } catch (thrown) {
      const isStopped = signal?.aborted === true;
      const error = asApiError(thrown);
      setPluginWork(key, isStopped ? null : { state: "failed", action, error });
    }
    // Also after a failure: another admin may have been faster.
    await readAgain(queries, refreshed);
    return isDone;
  }

  const describeInstalled = ({ key, name, version, signature }: Plugin) => ({
    text: `${name} ${version ?? ""} is installed. ${signatureNotes[signature ?? "signed"]}`.trim(),
    action: {
      text: "New row",
      run: () => void navigate({ to: "/manager/connectors/$key/new", params: { key } }),
    },
  });

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
        return describeInstalled(plugin);
      }),
    /** Installs an archive from the user's machine. */
    upload: (key: string, file: File, allowed: Allowed = {}, signal?: AbortSignal) =>
      run(
        key,
        "Upload",
        async (_, onProgress) => {
          const toFlag = (isOn: boolean | undefined) => (isOn ? "true" : "false");
          const query = {
            name: file.name,
            replace: toFlag(allowed.replace),
            allow_downgrade: toFlag(allowed.allow_downgrade),
          } as const;
          const plugin = await api.upload(
            "POST /manager/api/plugins/upload",
            { query, body: file },
            {
              onSent: (percent) => onProgress({ phase: "uploading", percent }),
              onProgress,
              ...(signal !== undefined && { signal }),
            },
          );
          return describeInstalled(plugin);
        },
        signal,
      ),
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

function toProgress(found: unknown) {
  const { phase, percent } = Object(found);
  if (!isPhase(phase)) return null;
  return { phase, ...(typeof percent === "number" && { percent }) };
}
