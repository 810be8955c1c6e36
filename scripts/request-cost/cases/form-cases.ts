import type { Members } from "./members.ts";

export type FormCase = {
  fields: Members;
  isEnd?: true;
  /** It hashes a password, or it is an OAuth endpoint without a CSRF token. */
  kind?: "hashes" | "of a client";
};

const passkeyAnswer = {
  state: "x",
  credential_id: "x",
  client_data: "x",
  authenticator_data: "x",
  signature: "x",
  user_handle: "x",
};
const newPasskey = {
  state: "x",
  name: "x",
  client_data: "x",
  authenticator_data: "x",
  public_key: "x",
  algorithm: "-7",
};

export const formCases: Record<string, FormCase> = {
  "/auth/login": { fields: { email: "cost@localhost", password: "x", next: "/" }, kind: "hashes" },
  "/auth/logout": { fields: {}, isEnd: true },
  "/auth/password": {
    fields: { current: "x", new_password: "short", repeated: "short", next: "/" },
    kind: "hashes",
  },
  "/auth/second-factor": { fields: { ...passkeyAnswer, code: "x", next: "/" } },
  "/auth/passkey": { fields: { ...passkeyAnswer, next: "/" } },
  "/auth/second-factor/set-up/app": { fields: { state: "x", code: "x", next: "/" } },
  "/auth/second-factor/set-up/passkey": { fields: { ...newPasskey, next: "/" } },
  "/auth/fresh": { fields: { password: "x", next: "/" }, kind: "hashes" },
  "/auth/sso/logout": { fields: { logout_token: "x" }, kind: "of a client" },
  "/profile/second-factor/add/app": { fields: { state: "x", code: "x" } },
  "/profile/second-factor/add/passkey": { fields: newPasskey },
  "/profile/second-factor/codes": { fields: {} },
  "/profile/second-factor/:id/remove": { fields: {}, isEnd: true },
  "/oauth/token": {
    fields: {
      grant_type: "refresh_token",
      client_id: "ID",
      refresh_token: "x",
      code: "x",
      redirect_uri: "x",
      code_verifier: "x",
      scope: "mcp",
    },
    kind: "of a client",
  },
  "/oauth/revoke": { fields: { token: "x", client_id: "ID" }, kind: "of a client" },
  "/oauth/register": {
    fields: { redirect_uris: ["http://127.0.0.1:9/"], client_name: "Cost" },
    kind: "of a client",
  },
  "/oauth/consent/:uid": { fields: { decision: "x" } },
  "/profile/applications/:id/revoke": { fields: {}, isEnd: true },
  "/profile/sessions/:id/end": { fields: {}, isEnd: true },
  "/profile/sessions/end-others": { fields: {}, isEnd: true },
  "/profile/tokens": {
    fields: { name: "", scope: "mcp", expires_in_days: "1", only: "", addresses: "" },
  },
  "/profile/tokens/:id/rotate": { fields: { overlap_hours: "0" }, isEnd: true },
  "/profile/tokens/:id/revoke": { fields: {}, isEnd: true },
  "/tools/encfields": { fields: { value: "x" } },
  "/tools/encfields/decrypt": { fields: { value: "x" } },
};
