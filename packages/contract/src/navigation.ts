import type { IconName } from "./icons.ts";

export type NavigationItem = {
  path: string;
  name: string;
  icon: IconName;
  /** Only admins see it. */
  isForAdmins?: true;
  /** Rendered by the server, outside the app. */
  isServerPage?: true;
};
export type NavigationSection = { title: string | null; items: readonly NavigationItem[] };

/** The menu of every page, in the app and in the server-rendered pages. */
const sections: readonly NavigationSection[] = [
  {
    title: null,
    items: [
      { path: "/", name: "Home", icon: "home" },
      { path: "/manager/runs", name: "Runs", icon: "runs" },
    ],
  },
  {
    title: "You",
    items: [
      { path: "/profile", name: "Profile", icon: "user", isServerPage: true },
      { path: "/profile/tokens", name: "Tokens", icon: "key", isServerPage: true },
      { path: "/profile/mcp", name: "Connect", icon: "connect", isServerPage: true },
      { path: "/tools/encfields", name: "Encrypt", icon: "lock", isServerPage: true },
      { path: "/tools/encfields/decrypt", name: "Decrypt", icon: "unlock", isServerPage: true },
    ],
  },
];

/** The menu for a user, without what the user may not open. */
export function listNavigation({ isAdmin }: { isAdmin: boolean }): NavigationSection[] {
  return sections
    .map(({ title, items }) => ({
      title,
      items: items.filter(({ isForAdmins }) => isAdmin || isForAdmins !== true),
    }))
    .filter(({ items }) => items.length > 0);
}
