/**
 * The pages of people in a real browser: a user of single sign-on is approved and unlinked, browsers are
 * signed out, an application is disconnected. Names from outside are hostile.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { createBrowser } from "../support/browser.ts";
import { findFreePort } from "../support/free-port.ts";
import { callback, createTestOAuthClient, signInAndDecide } from "../support/oauth-fixture.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../support/openid-provider.ts";
import type { AppVisitor } from "./support/app-pages.ts";
import { attack, callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, describeApp } from "./support/open-app.ts";

setDefaultTimeout(180_000);

let provider: OpenIdProvider;

async function toHubOptions(owned: AsyncDisposableStack) {
  const port = await findFreePort();
  const redirectUris = [`http://localhost:${port}/auth/sso/callback`];
  provider = owned.use(await startOpenIdProvider({ redirectUris }));
  return {
    env: {
      HUB_PORT: String(port),
      HUB_OIDC_ISSUER: provider.issuer,
      HUB_OIDC_CLIENT_ID: provider.clientId,
      HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
      HUB_OIDC_NEW_USERS: "pending",
    },
  };
}

describeApp({ title: "The pages of people", toHubOptions }, (app) => {
  let token: string;
  let grace: AppUser;

  beforeAll(async () => {
    token = await app.hub.makeManageToken();
    grace = await app.addUser("grace@example.com");
  });

  const findUser = async (email: string) => {
    const { users } = await callApi<{
      users: Array<{ id: string; email: string; status: string }>;
    }>(app.base, token, "GET /admin/api/users");
    return users.find((user) => user.email === email);
  };

  async function expectNothingRan({ page, faults }: AppVisitor): Promise<void> {
    expect(await page.evaluate("window.attacked ?? null")).toBeNull();
    expect(faults).toEqual([]);
  }

  nightlyTest(
    "A pending user of single sign-on is approved, and then has access until the account is unlinked",
    async () => {
      const email = "ada@example.com";
      provider.signInAs({ sub: "1", email, email_verified: true, name: attack });
      const theirs = createBrowser();
      const waiting = await theirs.open(`${app.base}/auth/sso?next=%2Fprofile`);
      expect(waiting.url).not.toEndWith("/profile");
      expect((await findUser(email))?.status).toBe("pending");

      await using visitor = await app.open("/admin/users?status=pending");
      const { page } = visitor;
      await page.getByRole("button", { name: `Approve ${email}` }).click();
      await page.getByRole("status").getByText(`${email} can use the hub now.`).first().waitFor();
      expect((await findUser(email))?.status).toBe("active");
      expect((await theirs.open(`${app.base}/auth/sso?next=%2Fprofile`)).url).toEndWith("/profile");

      await page.goto(`${app.base}/admin/users/${(await findUser(email))?.id}`);
      await page
        .getByRole("table", { name: "Single sign-on" })
        .getByText(provider.issuer)
        .waitFor();
      await page.getByRole("button", { name: "Unlink" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
      await page.getByText("The account is unlinked.").waitFor();
      await page.getByRole("table", { name: "Single sign-on" }).waitFor({ state: "detached" });
      expect((await theirs.open(`${app.base}/profile`)).url).toContain("/auth/login");
      await expectNothingRan(visitor);
    },
  );

  nightlyTest("One browser of a user is signed out, and then all", async () => {
    await using other = await app.open("/manager/runs", { as: grace, userAgent: attack });
    await using visitor = await app.open(`/admin/users/${(await findUser(grace.email))?.id}`);
    const { page } = visitor;
    const readStatus = () =>
      other.page.evaluate<number>(`fetch("/profile/api/me").then(({ status }) => status)`);
    expect(await readStatus()).toBe(200);
    const browsers = page.getByRole("table", { name: "Browsers" });
    await browsers.getByRole("button").first().click();
    await page.getByRole("status").getByText("signed out").first().waitFor();
    expect(await readStatus()).toBe(401);
    await page.locator("main").getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("0 browsers are signed out.").waitFor();
    await expectNothingRan(visitor);
  });

  test("An application with a hostile name is disconnected, and its tokens stop to work", async () => {
    const client = createTestOAuthClient(app.base);
    const clientId = await client.register({ client_name: attack.slice(0, 90) });
    const browser = createBrowser({ stopAt: (url) => url.href.startsWith(callback) });
    const back = await signInAndDecide(browser, client.toAuthorizeUrl(clientId), grace);
    const code = new URL(back.url).searchParams.get("code") ?? "";
    const { refresh_token } = Object(await (await client.redeem(clientId, code)).json());

    await using visitor = await app.open("/admin/applications");
    const { page } = visitor;
    await page.getByText("<img src=x").first().waitFor();
    await page.goto(`${app.base}/admin/users/${(await findUser(grace.email))?.id}`);
    await page.getByRole("table", { name: "Applications" }).getByText("<img src=x").waitFor();
    await page.goto(`${app.base}/admin/applications`);
    await page.getByRole("button", { name: /^Disconnect/ }).click();
    await page.getByRole("dialog").getByText("Its tokens stop working at once.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByRole("status").getByText("is disconnected.").first().waitFor();
    const refused = await client.refresh(clientId, refresh_token);
    expect(Object(await refused.json()).error).toBe("invalid_grant");
    await page.goto(`${app.base}/admin/changes`);
    await page.getByRole("table").waitFor();
    await expectNothingRan(visitor);
  });
});
