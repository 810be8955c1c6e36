/** Whether the menu of the pages shows icons only (`folded`), or also names (`open`). */
export type MenuFold = "folded" | "open";

/** The cookie that keeps the choice for a page. On graphs of workflows, which need the width, it is another one. */
export function toFoldCookie(path: string): string {
  return isGraph(path) ? "hub_graph_menu" : "hub_menu";
}

/** What the menu is without a choice: icons on the graphs of workflows, which need the width. */
export function toUsualFold(path: string): MenuFold {
  return isGraph(path) ? "folded" : "open";
}

/** What a cookie says, or else what is usual on a page. */
export function toFold(path: string, cookie: string | null | undefined): MenuFold {
  return cookie === "folded" || cookie === "open" ? cookie : toUsualFold(path);
}

function isGraph(path: string): boolean {
  return /^\/workflows\/[^/]+\/(?:edit|runs\/[^/]+)\/?$/.test(path);
}
