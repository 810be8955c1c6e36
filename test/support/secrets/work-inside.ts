import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import type { EchoServer } from "../echo-server.ts";
import { createTestOAuthClient } from "../oauth-stage.ts";
import type { RecordedPart } from "../record-replies.ts";
import { postRpc, toToolCall } from "../rpc.ts";
import { cookieParts, type SecretStage, type SignedInStage } from "./secret-book.ts";

/** An upstream that repeats its credential in several encodings, in bodies, headers and failures. */
export async function callRows(at: SecretStage, echo: EchoServer): Promise<string> {
  const credential = 'row-credential "with" <marks> & 4711+/=';
  at.book.keep("secret of a row", credential);
  const added = await at.stage.hub.tryCli(
    ["row", "add", "http", "--label", "Echo", "--tag", "everyone", "--json"].concat([
      ...["--set", `base_url=${echo.url}`, "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=ROW_SECRET"],
    ]),
    { env: { ROW_SECRET: credential } },
  );
  const { id } = added.json<{ id: string }>();
  const token = at.book.of("token of an application").at(-2) ?? "";
  for (const path of ["/echo", "/url", "/base64", "/key", "/text", "/error", "/none"]) {
    const call = toToolCall("hub_execute", { tool_id: `conn:${id}/get`, params: { path } });
    for (const bearer of [token, at.stage.hub.adminToken()]) {
      const answer = await postRpc(at.stage.base, bearer, call);
      if (answer.status !== 200) throw new Error(await answer.text());
    }
  }
  if (echo.received.length < 10) throw new Error("The upstream was not asked.");
  return id;
}

export async function encryptAndDecrypt(at: SignedInStage): Promise<void> {
  const value = 'a value "to seal" & <keep>, 0815';
  at.book.keep("value to encrypt", value);
  const page = await at.browser.open(`${at.stage.base}/tools/encfields`);
  const sealed = await at.browser.send(page, "/tools/encfields", { value });
  const token = /hub_enc_[\w-]+/.exec(sealed.text)?.[0] ?? "";
  const opened = await at.browser.open(`${at.stage.base}/tools/encfields/decrypt`);
  const shown = await at.browser.send(opened, "/tools/encfields/decrypt", { value: token });
  if (!shown.text.includes(Bun.escapeHTML(value))) throw new Error(shown.text);
  const stdin = "typed at the command line 0816";
  at.book.keep("value to encrypt", stdin);
  await at.stage.hub.tryCli(["encrypt", "--user", at.ada.email], { stdin });
}

export type LiveSecrets = { session: string; pat: string; access: string };

/** Live credentials where none belongs; answers what came back. */
export async function sendToWrongPlaces(
  { stage: { base }, record }: SecretStage,
  live: LiveSecrets,
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
  // As a model would that was given one to hold.
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

/** Every page and every list there is, as who may see most. */
export async function lookAtEverything(at: SignedInStage): Promise<void> {
  const { base } = at.stage;
  const admin = { authorization: `Bearer ${at.manageToken}` };
  const cookie = `hub_session=${at.browser.cookie("hub_session")}`;
  const lists = apiRoutes.filter(({ method, path }) => method === "GET" && !path.includes("{"));
  for (const { path } of lists) {
    await fetch(`${base}${path}`, { headers: admin });
    await fetch(`${base}${path}`, { headers: { cookie } });
  }
  for (const path of ["/profile", "/profile/tokens", "/profile/mcp", "/tools/encfields"]) {
    await at.browser.open(`${base}${path}`);
  }
  await fetch(`${base}/metrics`, { headers: admin });
}

/** Cookies, CSRF tokens and pending consents are known by the replies that carried them. */
export function harvest(at: SecretStage): void {
  for (const { place, text } of at.record.parts) {
    if (cookieParts.test(place)) {
      for (const [, name, value = ""] of text.matchAll(/(?:^|, )(\w+)=([^;]{12,});/g)) {
        // These hold just what stands in the address of the consent.
        at.book.keep(name?.startsWith("hub_oauth_") ? "pending consent" : "cookie", value);
      }
    }
    for (const [, token] of text.matchAll(/name="csrf" value="([^"]+)"/g)) {
      at.book.keep("CSRF token", token);
    }
    for (const [, uid] of text.matchAll(/\/oauth\/consent\/([\w-]+)/g)) {
      at.book.keep("pending consent", uid);
    }
  }
}
