/** Whether the server renders the page, so that the app cannot show it. */
export function isServerPage(path: string): boolean {
  return /^\/(profile|tools|help)/.test(path);
}
