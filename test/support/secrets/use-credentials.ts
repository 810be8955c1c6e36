import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { isWholeAmount } from "@hub/server/lib/testing/amount.ts";
import type { EchoServer } from "../echo-server.ts";
import { createTestOAuthClient } from "../oauth-fixture.ts";
import type { RecordedPart } from "../record-replies.ts";
import { postRpc, toToolCall } from "../rpc.ts";
import { cookieParts, type SecretFixture, type SignedInFixture } from "./secret-registry.ts";

/** Calls an upstream that echoes its credential in several encodings, in bodies, headers and errors. */
export async function callRows(fixture: SecretFixture, echo: EchoServer): Promise<string> {
  const credential = 'row-credential "with" <marks> & 4711+/=';
  fixture.registry.add("secret of a row", credential);
  const added = await fixture.oauth.hub.tryCli(
    ["row", "add", "http", "--label", "Echo", "--tag", "everyone", "--json"].concat([
      ...["--set", `base_url=${echo.url}`, "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=ROW_SECRET"],
    ]),
    { env: { ROW_SECRET: credential } },
  );
  const { id } = added.json<{ id: string }>();
  const token = fixture.registry.of("token of an application").at(-2) ?? "";
  for (const path of ["/echo", "/url", "/base64", "/key", "/text", "/error", "/none"]) {
    const call = toToolCall("hub_execute", { tool_id: `conn:${id}/get`, params: { path } });
    for (const bearer of [token, fixture.oauth.hub.adminToken()]) {
      const answer = await postRpc(fixture.oauth.base, bearer, call);
      if (answer.status !== 200) throw new Error(await answer.text());
    }
  }
  if (echo.received.length < 10) throw new Error("The upstream got too few requests.");
  return id;
}

export async function encryptAndDecrypt(fixture: SignedInFixture): Promise<void> {
  const value = 'a value "to seal" & <keep>, 0815';
  fixture.registry.add("value to encrypt", value);
  const page = await fixture.browser.open(`${fixture.oauth.base}/tools/encfields`);
  const sealed = await fixture.browser.send(page, "/tools/encfields", { value });
  const token = /hub_enc_[\w-]+/.exec(sealed.text)?.[0] ?? "";
  const opened = await fixture.browser.open(`${fixture.oauth.base}/tools/encfields/decrypt`);
  const shown = await fixture.browser.send(opened, "/tools/encfields/decrypt", { value: token });
  if (!shown.text.includes(Bun.escapeHTML(value))) throw new Error(shown.text);
  const stdin = "typed at the command line 0816";
  fixture.registry.add("value to encrypt", stdin);
  await fixture.oauth.hub.tryCli(["encrypt", "--user", fixture.ada.email], { stdin });
}

export type ValidSecrets = { session: string; pat: string; access: string };

/** Sends valid credentials in wrong fields of requests. Returns the replies. */
export async function sendInWrongFields(
  { oauth: { base }, record }: SecretFixture,
  live: ValidSecrets,
  rowId: string,
): Promise<RecordedPart[]> {
  const { length } = record.parts;
  for (const token of [live.pat, live.access, live.session]) {
    const headers = { accept: "text/html" };
    for (const path of ["/mcp", "/profile", "/auth/login", "/auth/sso", "/oauth/authorize"]) {
      await fetch(`${base}${path}?access_token=${token}&next=/${token}&state=${token}`, {
        headers,
        redirect: "manual",
      });
    }
    await fetch(`${base}/mcp/${token}`, { headers });
    await fetch(`${base}/profile/api/me?token=${token}`);
    await fetch(`${base}/profile/api/tokens/${token}/revoke`, { method: "POST" });
    for (const authorization of [`Basic ${btoa(`${token}:`)}`, `Token ${token}`, token]) {
      await fetch(`${base}/profile/api/me`, { headers: { authorization } });
      await fetch(`${base}/mcp`, { method: "POST", headers: { authorization }, body: token });
    }
    const referer = `${base}/profile?token=${token}`;
    await fetch(`${base}/health`, { headers: { referer, "x-request-id": token } });
    await fetch(`${base}/profile`, { headers: { cookie: `hub_session=${token}x` } });
    const client = createTestOAuthClient(base);
    for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/register"]) {
      await client.postForm(`${path}?token=${token}`, { token, grant_type: token, code: token });
    }
    const call = { jsonrpc: "2.0", id: 1, method: "tools", params: { token } };
    await postRpc(base, live.pat, call, { "mcp-session-id": token });
    await postRpc(base, null, call);
  }
  // A model that knows a credential could send it in these fields.
  for (const token of [live.pat, live.access]) {
    const headers = { "user-agent": `client ${token}` };
    const params = { path: `/echo?token=${token}`, token };
    for (const call of [
      toToolCall(token, { token }),
      toToolCall("hub_execute", { tool_id: `conn:${token}/get` }),
      toToolCall("hub_execute", { tool_id: `conn:${rowId}/get`, params }),
      toToolCall("hub_execute", { tool_id: `conn:${rowId}/get`, params: { path: params.path } }),
      toToolCall("hub_search", { query: token }),
    ]) {
      await postRpc(base, live.access, call, headers);
    }
  }
  return record.parts.splice(length);
}

/** Opens every page and list as an admin, the lists with a token and a browser alternately. */
export async function openAllPages(fixture: SignedInFixture): Promise<void> {
  const { base } = fixture.oauth;
  const admin = { authorization: `Bearer ${fixture.manageToken}` };
  const cookie = `hub_session=${fixture.browser.cookie("hub_session")}`;
  const lists = apiRoutes.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  for (const [turn, { path }] of lists.entries()) {
    const ways = [admin, { cookie }].filter((_, at) => isWholeAmount || at === turn % 2);
    for (const headers of ways) await fetch(`${base}${path}`, { headers });
  }
  for (const path of ["/profile", "/profile/tokens", "/profile/mcp", "/tools/encfields"]) {
    await fixture.browser.open(`${base}${path}`);
  }
  await fetch(`${base}/metrics`, { headers: admin });
}

/** Adds the cookies, CSRF tokens and pending consents of the recorded replies. */
export function addSecretsOfReplies(fixture: SecretFixture): void {
  for (const { label, text } of fixture.record.parts) {
    if (cookieParts.test(label)) {
      for (const [, name, value = ""] of text.matchAll(/(?:^|, )(\w+)=([^;]{12,});/g)) {
        // These cookies contain the id from the address of the consent page.
        fixture.registry.add(name?.startsWith("hub_oauth_") ? "pending consent" : "cookie", value);
      }
    }
    for (const [, token] of text.matchAll(/name="csrf" value="([^"]+)"/g)) {
      fixture.registry.add("CSRF token", token);
    }
    for (const [, uid] of text.matchAll(/\/oauth\/consent\/([\w-]+)/g)) {
      fixture.registry.add("pending consent", uid);
    }
  }
}
