import type { IconName } from "./icons.ts";

export type NavigationItem = {
  path: string;
  name: string;
  icon: IconName;
  /** Only admins see it. */
  isForAdmins?: true;
  /** Rendered by the server, outside the app. */
  isServerPage?: true;
  /** The paths of its pages that do not begin with its own path. */
  otherPaths?: readonly string[];
};
export type NavigationSection = { title: string | null; items: readonly NavigationItem[] };

/** The menu of every page, in the app and in the server-rendered pages. */
const sections: readonly NavigationSection[] = [
  {
    title: null,
    items: [
      { path: "/", name: "Home", icon: "home" },
      {
        path: "/manager/connectors",
        name: "Connections",
        icon: "connectors",
        otherPaths: ["/manager/add", "/manager/import"],
      },
      { path: "/operations", name: "What I can call", icon: "play" },
      { path: "/workflows", name: "Workflows", icon: "workflow" },
      { path: "/approvals", name: "Approvals", icon: "check" },
      { path: "/manager/runs", name: "Calls", icon: "runs" },
    ],
  },
  {
    title: "Admin",
    items: [
      { path: "/admin/users", name: "Users", icon: "users", isForAdmins: true },
      { path: "/admin/tags", name: "Tags", icon: "tag", isForAdmins: true },
      { path: "/admin/connectors", name: "Connector types", icon: "connectors", isForAdmins: true },
      { path: "/admin/tokens", name: "All tokens", icon: "key", isForAdmins: true },
      { path: "/admin/applications", name: "Applications", icon: "app", isForAdmins: true },
      { path: "/admin/changes", name: "Changes", icon: "clock", isForAdmins: true },
      { path: "/admin/settings", name: "Settings", icon: "settings", isForAdmins: true },
      { path: "/admin/secret-managers", name: "Secret managers", icon: "lock", isForAdmins: true },
      { path: "/admin/health", name: "Health", icon: "health", isForAdmins: true },
    ],
  },
  {
    title: "You",
    items: [
      { path: "/profile", name: "Profile", icon: "user", isServerPage: true },
      { path: "/profile/tokens", name: "Tokens", icon: "key", isServerPage: true },
      { path: "/profile/second-factor", name: "Second factor", icon: "lock", isServerPage: true },
      { path: "/profile/accounts", name: "Accounts", icon: "lock" },
      { path: "/profile/chat-accounts", name: "Chat accounts", icon: "message" },
      { path: "/profile/mcp", name: "Connect", icon: "connect", isServerPage: true },
      { path: "/tools/encfields", name: "Encrypt", icon: "lock", isServerPage: true },
      { path: "/tools/encfields/decrypt", name: "Decrypt", icon: "unlock", isServerPage: true },
      { path: "/help", name: "Help", icon: "info", isServerPage: true },
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

/** Whether a page belongs to an entry of the menu: its own page, one below, or one of its other paths. */
export function isPageOf({ path, otherPaths = [] }: NavigationItem, pathname: string): boolean {
  if (path === "/") return pathname === "/";
  return [path, ...otherPaths].some((start) => `${pathname}/`.startsWith(`${start}/`));
}
