import type { MantineColorScheme, MantineColorSchemeManager } from "@mantine/core";

const cookie = "hub_scheme";

/**
 * Keeps the chosen colours in a cookie, which the server reads for its own pages and for the first
 * paint of the app.
 */
export const schemeManager: MantineColorSchemeManager = {
  get(defaultValue) {
    return readScheme(document.cookie) ?? defaultValue;
  },
  set(value) {
    const age = value === "auto" ? 0 : 365 * 24 * 3600;
    // biome-ignore lint/suspicious/noDocumentCookie: browsers have the Cookie Store API only on pages over HTTPS.
    document.cookie = `${cookie}=${value}; path=/; max-age=${age}; samesite=lax`;
    if (value === "auto") delete document.documentElement.dataset.scheme;
    else document.documentElement.dataset.scheme = value;
  },
  subscribe() {},
  unsubscribe() {},
  clear() {},
};

/**
 * The chosen colours in a browser's cookies; null follows the system.
 * @internal
 */
export function readScheme(cookies: string): Exclude<MantineColorScheme, "auto"> | null {
  const value = new RegExp(`(?:^|; )${cookie}=(light|dark)(?:;|$)`).exec(cookies)?.[1];
  return value === "light" || value === "dark" ? value : null;
}
