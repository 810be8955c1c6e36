import { type Browser, createBrowser } from "./browser.ts";
import { signIn, type UserLogin } from "./oauth-fixture.ts";

/** An admin's browser, which also calls the API with its session. */
export type AdminBrowser = {
  browser: Browser;
  call(method: string, path: string, body?: unknown): Promise<ApiAnswer>;
  /** Begins to connect a row; resolves with the address at the authorization server. */
  begin(rowId: string): Promise<string>;
};

/** The body's members are not known. */
type ApiAnswer = { status: number; body: Record<string, unknown> };

export async function openAdminBrowser(base: string, login: UserLogin): Promise<AdminBrowser> {
  const browser = createBrowser();
  await signIn(browser, base, login);
  const me = `${base}/profile/api/me`;
  const answer = await fetch(me, { headers: { cookie: browser.cookieHeader(me) } });
  const csrf = String(Object(await answer.json()).csrf_token);
  const call: AdminBrowser["call"] = async (method, path, body) => {
    const url = `${base}/manager/api${path}`;
    const sent = await fetch(url, {
      method,
      headers: {
        cookie: browser.cookieHeader(url),
        "x-csrf-token": csrf,
        "content-type": "application/json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: sent.status, body: Object(await sent.json()) };
  };
  return {
    browser,
    call,
    async begin(rowId) {
      const { status, body } = await call("POST", `/rows/${rowId}/connect`);
      if (status !== 200) throw new Error(`connect: ${status} ${JSON.stringify(body)}`);
      return String(body.authorize_url);
    },
  };
}
