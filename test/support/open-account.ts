import { type Browser, createBrowser } from "./browser.ts";
import {
  callback,
  createTestOAuthClient,
  type OAuthFixture,
  signIn,
  signInAndDecide,
  type TokenAnswer,
  type UserLogin,
} from "./oauth-fixture.ts";

type Grant = { clientId: string; tokens: TokenAnswer };

/** A user with every kind of credential: sessions, a personal token and applications. */
export type Account = UserLogin & {
  id: string;
  pat: { id: string; token: string };
  /** The session under test. */
  browser: Browser;
  /** Another browser of the same user. */
  otherBrowser: Browser;
  /** The applications of the user. */
  grants: Grant[];
};

type AccountOptions = { tags?: string[]; admin?: boolean; applications?: number };

export async function openAccount(
  fixture: OAuthFixture,
  email: string,
  { applications = 1, ...flags }: AccountOptions = {},
): Promise<Account> {
  const { base, hub } = fixture;
  const person = await fixture.addUserWithPassword(email, flags);
  const named = ["--user", email, "--name", "test", "--scope", "manage"];
  const created = await hub.cli("token", "create", ...named, "--json");
  const pat = created.json<{ id: string; token: string }>();
  const open = async () => {
    const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
    await signIn(browser, base, person);
    return browser;
  };
  const browser = await open();
  const otherBrowser = await open();
  const grants: Grant[] = [];
  while (grants.length < applications) grants.push(await connect(base, otherBrowser, person));
  const me = await fetch(`${base}/profile/api/me`, {
    headers: { authorization: `Bearer ${pat.token}` },
  });
  return { ...person, id: Object(await me.json()).user.id, pat, browser, otherBrowser, grants };
}

async function connect(base: string, browser: Browser, person: UserLogin): Promise<Grant> {
  const client = createTestOAuthClient(base);
  const clientId = await client.register();
  const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), person);
  const code = new URL(back.url).searchParams.get("code") ?? "";
  // The cast is safe: the tests first check that the tokens are valid.
  const tokens = (await (await client.redeem(clientId, code)).json()) as TokenAnswer;
  return { clientId, tokens };
}
