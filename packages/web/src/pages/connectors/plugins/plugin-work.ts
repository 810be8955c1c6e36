import type { PluginProgress } from "@hub/contract/plugin.ts";
import { useSyncExternalStore } from "react";
import type { ApiError } from "../../../api/api-error.ts";

/** The phases of an installation, with their names. */
export const phaseNames = {
  downloading: "Downloading",
  uploading: "Uploading",
  verifying: "Verifying",
  replacing: "Replacing",
  done: "Done",
} as const;
export type Phase = keyof typeof phaseNames;

type Progress = Omit<PluginProgress, "phase"> & { phase: Phase };

/** The phases of each action that has some, in their order. */
export const phasesOf: Readonly<Record<string, readonly Phase[]>> = {
  Download: ["downloading", "verifying", "replacing", "done"],
  Update: ["downloading", "verifying", "replacing", "done"],
  Upload: ["uploading", "verifying", "replacing", "done"],
};

export function isPhase(text: unknown): text is Phase {
  return typeof text === "string" && Object.hasOwn(phaseNames, text);
}

/** What happens to a plugin now, or how the last action failed. */
export type PluginWork =
  | { state: "running"; action: string; progress: Progress | null }
  | { state: "done"; action: string }
  | { state: "failed"; action: string; error: ApiError };

const shownDoneMs = 6000;

/** Outside of the components, so that an install is still shown after a visit to another page. */
let works: ReadonlyMap<string, PluginWork> = new Map();
const listeners = new Set<() => void>();

/** Records what happens to a plugin; null if nothing does any more. */
export function setPluginWork(key: string, work: PluginWork | null): void {
  const next = new Map(works);
  if (work === null) next.delete(key);
  else next.set(key, work);
  works = next;
  for (const listener of listeners) listener();
  if (work?.state === "done") {
    setTimeout(() => works.get(key) === work && setPluginWork(key, null), shownDoneMs);
  }
}

/** What happens to a plugin; null if nothing does. */
export function usePluginWork(key: string): PluginWork | null {
  return useSyncExternalStore(subscribe, () => works.get(key) ?? null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
