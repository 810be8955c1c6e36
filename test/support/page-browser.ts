import { type BrowserPage, createBrowser } from "./browser.ts";

/** A browser with one open page, from which it sends forms. */
export type PageBrowser = {
  go(path: string): Promise<BrowserPage>;
  /** Sends the page's form for this address. Without such a form, it sends the CSRF token and the fields. */
  submit(action: string, fields: Record<string, string>): Promise<BrowserPage>;
  path(): string;
  html(): string;
};

export function createPageBrowser(base: string): PageBrowser {
  const browser = createBrowser();
  let page: BrowserPage | null = null;
  const currentPage = () => {
    if (page === null) throw new Error("No page is open yet.");
    return page;
  };
  return {
    async go(path) {
      page = await browser.open(`${base}${path}`);
      return page;
    },
    async submit(action, fields) {
      page = await browser.send(currentPage(), action, fields);
      return page;
    },
    path: () => new URL(currentPage().url).pathname,
    html: () => currentPage().text,
  };
}
