import type { Json, RowOperationContext } from "@hub/connector";
import { findHeaderProblem } from "../../connectors/builtin/http/request-headers.ts";
import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import type { AccessTokens } from "./authentication/access-tokens.ts";
import { findCredential } from "./authentication/find-credential.ts";
import { type Binding, readBinding } from "./binding.ts";
import type { OpenApiConfig } from "./openapi-config-fields.ts";
import { readResult } from "./read-openapi-result.ts";
import { findServer } from "./requests/find-base-url.ts";
import { writeRequest } from "./requests/write-request.ts";

export type CallContext = RowOperationContext<OpenApiConfig> & {
  rowId: string;
  memory?: AnswerBudget;
};

/** Calls an operation by its binding: the document is not needed. */
export async function sendCall(tokens: AccessTokens, ctx: CallContext): Promise<Json> {
  const binding = readBinding(ctx.operation.binding);
  const server = findServer(ctx.config, binding);
  const first = await send(tokens, ctx, { binding, server });
  const response =
    first.status === 401 && ctx.config.AuthMode === "client_credentials"
      ? await sendAgain(tokens, ctx, { binding, server, refused: first })
      : first;
  return await readResult(response, binding.method, ctx.memory);
}

type Call = { binding: Binding; server: URL };

async function send(
  tokens: AccessTokens,
  ctx: CallContext,
  { binding, server }: Call,
): Promise<Response> {
  const credential = await findCredential(tokens, ctx, binding.apiKey);
  const { url, headers, body } = writeRequest(binding, {
    server,
    credential,
    params: ctx.params,
    headers: toDefaultHeaders(ctx.config),
    idempotencyKey: ctx.idempotencyKey,
  });
  return await ctx.fetch(url, {
    method: binding.method,
    headers,
    credentialsBelow: server,
    ...(body !== null && { body: body.content }),
  });
}

/** The server may have ended the token before its time. It has not acted on a call that it refused. */
async function sendAgain(
  tokens: AccessTokens,
  ctx: CallContext,
  { refused, ...call }: Call & { refused: Response },
): Promise<Response> {
  await refused.body?.cancel();
  tokens.drop(ctx);
  return await send(tokens, ctx, call);
}

function toDefaultHeaders({ DefaultHeaders }: OpenApiConfig): Headers {
  const headers = new Headers();
  for (const { name, value } of DefaultHeaders ?? []) {
    if (name === "") continue;
    if (findHeaderProblem(name, value) !== null) {
      throw new HubError(
        "needs_setup",
        "This row's configuration is invalid: default_headers has characters that are not allowed in an HTTP header. An admin can correct it in the settings of the row.",
      );
    }
    headers.set(name, value);
  }
  return headers;
}
