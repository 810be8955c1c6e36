/** A form of a page. */
type Form = {
  action: string;
  method: string;
  /** Every input with its name and value. Of inputs with the same name, the last is sent. */
  inputs: Array<{ name: string; value: string; type: string }>;
  buttons: Array<{ name: string; value: string }>;
};

export type BrowserPage = {
  url: string;
  status: number;
  headers: Headers;
  text: string;
  forms: Form[];
};

/** A test browser with cookies, redirects, refreshes and forms, but without scripts. */
export type Browser = {
  /** Opens an address and follows redirects, except to addresses that `stopAt` accepts. */
  open(url: string): Promise<BrowserPage>;
  /** Fills and sends the form that has inputs or buttons with all these names. */
  submit(page: BrowserPage, fields: Record<string, string>): Promise<BrowserPage>;
  /** Sends fields to an address, with the hidden fields of the page's form for that address, if any. */
  send(page: BrowserPage, action: string, fields: Record<string, string>): Promise<BrowserPage>;
  /** The current value of a cookie. */
  cookie(name: string): string | undefined;
  cookies(): string[];
  /** The Cookie header for an address, for requests that a test sends itself. */
  cookieHeader(url: string): string;
  /** Sets a cookie, for example a stolen one. */
  setCookie(url: string, name: string, value: string): void;
};

type Cookie = { name: string; value: string; host: string; path: string };
type BrowserOptions = { stopAt?: (url: URL) => boolean };

const redirectsMax = 20;

export function createBrowser({ stopAt = () => false }: BrowserOptions = {}): Browser {
  const jar = new Map<string, Cookie>();

  function toCookieHeader(url: URL): string {
    return [...jar.values()]
      .filter(({ host, path }) => host === url.hostname && isBelow(url.pathname, path))
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  function keepCookies(url: URL, response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split(/; */);
      const name = pair.slice(0, pair.indexOf("="));
      const value = pair.slice(pair.indexOf("=") + 1);
      const path = /^path=(.*)$/i.exec(attributes.find((one) => /^path=/i.test(one)) ?? "")?.[1];
      const isGone = attributes.some((one) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(one));
      const key = `${url.hostname}${path ?? "/"} ${name}`;
      if (isGone) jar.delete(key);
      else jar.set(key, { name, value, host: url.hostname, path: path ?? "/" });
    }
  }

  async function go(start: URL, init: RequestInit = {}): Promise<BrowserPage> {
    let url = start;
    let request = init;
    for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
      const headers = new Headers(request.headers);
      const cookie = toCookieHeader(url);
      if (cookie !== "") headers.set("cookie", cookie);
      headers.set("accept", "text/html");
      const response = await fetch(url, { ...request, headers, redirect: "manual" });
      keepCookies(url, response);
      const next = findNext(url, response);
      if (next === null) return toPage(url, response);
      await response.body?.cancel();
      url = next;
      request = {};
      if (stopAt(url)) return { url: url.href, status: 0, headers, text: "", forms: [] };
    }
    throw new Error(`More than ${redirectsMax} redirects, the last to ${url}`);
  }

  function sendForm(page: BrowserPage, action: string, fields: Record<string, string>) {
    return go(new URL(action || page.url, page.url), {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: new URL(page.url).origin,
        "sec-fetch-site": "same-origin",
      },
      body: new URLSearchParams(fields).toString(),
    });
  }

  return {
    open: (url) => go(new URL(url)),
    send(page, action, fields) {
      const form = page.forms.find((one) => one.action === action) ?? page.forms[0];
      const hidden = form?.inputs.filter(({ type }) => type === "hidden") ?? [];
      return sendForm(page, action, { ...toFields(hidden), ...fields });
    },
    submit(page, fields) {
      const names = Object.keys(fields);
      const form = page.forms.find(({ inputs, buttons }) =>
        names.every((name) => [...inputs, ...buttons].some((one) => one.name === name)),
      );
      if (form === undefined) {
        throw new Error(`${page.url} has no form with ${names.join(", ")}:\n${page.text}`);
      }
      return sendForm(page, form.action, { ...toFields(form.inputs), ...fields });
    },
    cookie: (name) => [...jar.values()].find((one) => one.name === name)?.value,
    cookieHeader: (url) => toCookieHeader(new URL(url)),
    cookies: () => [...jar.values()].map(({ value }) => value),
    setCookie(url, name, value) {
      const host = new URL(url).hostname;
      jar.set(`${host}/ ${name}`, { name, value, host, path: "/" });
    },
  };
}

function toFields(inputs: Form["inputs"]): Record<string, string> {
  return Object.fromEntries(inputs.map(({ name, value }) => [name, value]));
}

function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** The target of a redirect or a refresh; null if there is none. */
function findNext(url: URL, response: Response): URL | null {
  const isRedirect = response.status >= 300 && response.status < 400;
  const location = isRedirect ? response.headers.get("location") : null;
  const refresh = /url=(.*)$/.exec(response.headers.get("refresh") ?? "")?.[1];
  const next = location ?? refresh;
  return next == null ? null : new URL(next, url);
}

async function toPage(url: URL, response: Response): Promise<BrowserPage> {
  const { status, headers } = response;
  const text = await response.text();
  const forms: Form[] = [];
  const last = () => forms.at(-1);
  const read = (element: HTMLRewriterTypes.Element, name: string) =>
    unescapeHtml(element.getAttribute(name) ?? "");
  await new HTMLRewriter()
    .on("form", {
      element(form) {
        const [action, method] = [read(form, "action"), read(form, "method")];
        forms.push({ action, method, inputs: [], buttons: [] });
      },
    })
    .on("form input", {
      element: (input) =>
        void last()?.inputs.push({
          name: read(input, "name"),
          value: read(input, "value"),
          type: read(input, "type"),
        }),
    })
    .on("form button", {
      element: (button) =>
        void last()?.buttons.push({ name: read(button, "name"), value: read(button, "value") }),
    })
    .transform(new Response(text))
    .text();
  return { url: url.href, status, headers, text, forms };
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
