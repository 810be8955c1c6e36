/** Protects: the caller of a row cannot end the access that all its users share. */
import { expect, test } from "bun:test";
import type { ConnectorCall, RegisteredConnector } from "../../../connectors/connector-port.ts";
import { addSignIn } from "./add-sign-in.ts";

const field = (key: string, options?: string[]) => ({ key, ...(options && { options }) });

/** What the authorizer learns of a refusal in a call or a health check. */
async function refuse(way: "invoke" | "health", account?: ConnectorCall["account"]) {
  const proofs: unknown[] = [];
  const answer = async (call: ConnectorCall) => {
    call.recordHttpStatus(401);
    return "refused";
  };
  const connector = {
    configFields: [
      field("auth_mode", ["bearer", "oauth"]),
      ...["authorize_url", "token_url", "client_id", "token"].map((key) => field(key)),
    ],
    invoke: answer,
    health: answer,
    // The members that the sign-in reads.
  } as unknown as RegisteredConnector;
  const signing = addSignIn(connector, {
    findToken: async () => "access-1",
    async renewToken(_row, _refused, _signal, refusal) {
      proofs.push(refusal?.isProof);
      return "access-2";
    },
    refuse: () => Promise.reject(new Error("unused")),
    findPage: async () => "",
  });
  const server = "https://code.example.com";
  const config = {
    auth_mode: "oauth",
    base_url: server,
    authorize_url: `${server}/authorize`,
    token_url: `${server}/token`,
    client_id: "mine",
  };
  const call = {
    rowId: "row",
    connectionId: "connection",
    config,
    secrets: [],
    outbound: { savedHosts: [], allow: [] },
    signal: new AbortController().signal,
    log: { warn() {} },
    mask() {},
    recordHttpStatus() {},
    ...(account && { account }),
    // The members that the sign-in reads.
  } as unknown as Parameters<RegisteredConnector["invoke"]>[0];
  await signing[way]?.(call);
  return proofs;
}

const own = { id: "a", tokensId: "t", kind: "oauth", userId: "u" } as ConnectorCall["account"];

test("A refused call proves the end of its user's own access alone, and a health check that of the row's", async () => {
  expect(await refuse("invoke")).toEqual([false]);
  expect(await refuse("invoke", own)).toEqual([true]);
  expect(await refuse("health")).toEqual([true]);
});
