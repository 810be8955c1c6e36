import { useSyncExternalStore } from "react";

/** The address of the picture with all logos. Its name contains a hash. */
declare const LOGOS: string;

type Logo = { path: string; light: string; dark: string };

const none: ReadonlyMap<string, Logo> = new Map();
let logos: ReadonlyMap<string, Logo> | null = null;
let isAsked = false;
const listeners = new Set<() => void>();

/**
 * The logo with this name. Undefined while the picture with all of them loads, which the first one asks for; null if there is no such
 * logo.
 */
export function useLogo(name: string | null): Logo | null | undefined {
  const loaded = useSyncExternalStore(name === null ? ignore : subscribe, () => logos);
  if (name === null) return null;
  return loaded === null ? undefined : (loaded.get(name) ?? null);
}

const ignore = () => () => {};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isAsked) {
    isAsked = true;
    void load();
  }
  return () => listeners.delete(listener);
}

/** Without the picture, letters stand where the logos would. */
async function load(): Promise<void> {
  logos = await read().catch(() => none);
  for (const listener of listeners) listener();
}

async function read(): Promise<ReadonlyMap<string, Logo>> {
  const answer = await fetch(LOGOS);
  if (!answer.ok) return none;
  const picture = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
  return new Map(
    [...picture.querySelectorAll("path[id]")].map((path) => [
      path.id,
      {
        path: path.getAttribute("d") ?? "",
        light: path.getAttribute("data-light") ?? "",
        dark: path.getAttribute("data-dark") ?? "",
      },
    ]),
  );
}
