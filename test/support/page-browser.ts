import { type BrowserPage, createBrowser } from "./browser.ts";

/** A browser that has one page open: what it sends goes out from there. */
export type PageBrowser = {
  go(path: string): Promise<BrowserPage>;
  /** Sends the page's form for this address; a form that it does not have goes out with its CSRF token. */
  submit(action: string, fields: Record<string, string>): Promise<BrowserPage>;
  path(): string;
  html(): string;
};

export function createPageBrowser(base: string): PageBrowser {
  const browser = createBrowser();
  let page: BrowserPage | null = null;
  const present = () => {
    if (page === null) throw new Error("No page is open yet.");
    return page;
  };
  return {
    async go(path) {
      page = await browser.open(`${base}${path}`);
      return page;
    },
    async submit(action, fields) {
      page = await browser.send(present(), action, fields);
      return page;
    },
    path: () => new URL(present().url).pathname,
    html: () => present().text,
  };
}
