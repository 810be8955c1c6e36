import { type Browser, createBrowser } from "./browser.ts";
import {
  callback,
  createTestOAuthClient,
  followAsPerson,
  type OAuthStage,
  type Person,
  signIn,
  type TokenAnswer,
} from "./oauth-stage.ts";

type Grant = { clientId: string; tokens: TokenAnswer };

/** A person with everything by which one gets in: sessions, a personal token, applications. */
export type Account = Person & {
  id: string;
  pat: { id: string; token: string };
  /** The session under test. */
  browser: Browser;
  /** Another browser of the same person. */
  otherBrowser: Browser;
  /** An application of its own for each of the hubs. */
  grants: Grant[];
};

type AccountOptions = { tags?: string[]; admin?: boolean; applications?: number };

export async function openAccount(
  stage: OAuthStage,
  email: string,
  { applications = 1, ...flags }: AccountOptions = {},
): Promise<Account> {
  const { base, hub } = stage;
  const person = await stage.addPerson(email, flags);
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

async function connect(base: string, browser: Browser, person: Person): Promise<Grant> {
  const client = createTestOAuthClient(base);
  const clientId = await client.register();
  const back = await followAsPerson(browser, client.toAuthorizeUrl(clientId), person);
  const code = new URL(back.url).searchParams.get("code") ?? "";
  // Whatever it is instead of tokens, no door opens by it, which the tests look at first.
  const tokens = (await (await client.redeem(clientId, code)).json()) as TokenAnswer;
  return { clientId, tokens };
}
