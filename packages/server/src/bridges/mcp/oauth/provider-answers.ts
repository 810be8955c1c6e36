import { parseJson } from "@hub/connector";

type Members = Record<string, unknown>;

/** Refusals in words of providers, in those of RFC 6749. */
const standardCodes: Readonly<Record<string, string>> = {
  bad_refresh_token: "invalid_grant",
  bad_verification_code: "invalid_grant",
  invalid_refresh_token: "invalid_grant",
  invalid_code: "invalid_grant",
  code_already_used: "invalid_grant",
  token_expired: "invalid_grant",
  token_revoked: "invalid_grant",
  account_inactive: "invalid_grant",
  incorrect_client_credentials: "invalid_client",
  bad_client_secret: "invalid_client",
  invalid_client_id: "invalid_client",
  redirect_uri_mismatch: "invalid_redirect_uri",
  bad_redirect_uri: "invalid_redirect_uri",
  internal_error: "server_error",
  fatal_error: "server_error",
  ratelimited: "temporarily_unavailable",
  service_unavailable: "temporarily_unavailable",
};

/**
 * The answer of a token endpoint in the form of RFC 6749. Some providers refuse with the status 200, answer as a form, say
 * numbers as texts, or put a user's token beside that of a bot.
 */
export async function toStandardAnswer(
  response: Response,
): Promise<{ response: Response; members: Members }> {
  const text = await response.text();
  const given = readMembers(text, response.headers.get("content-type") ?? "");
  if (given === null) return { response: remake(response, response.status, text), members: {} };
  const refusal = findRefusal(given);
  if (refusal !== null) {
    // A failure of the provider is none of the tokens.
    const isFailure = refusal === "server_error" || refusal === "temporarily_unavailable";
    const status = isFailure ? 503 : response.status < 400 ? 400 : response.status;
    return { response: toJson({ error: refusal }, status), members: {} };
  }
  if (!response.ok) return { response: remake(response, response.status, text), members: {} };
  return { response: toJson(toTokens(given), response.status), members: given };
}

function readMembers(text: string, contentType: string): Members | null {
  if (contentType.includes("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const value = parseJson(text);
    return isMembers(value) ? value : null;
  } catch {
    return null;
  }
}

function findRefusal({ ok, error, error_description: description }: Members): string | null {
  if (typeof error !== "string" && ok !== false) return null;
  const code = typeof error === "string" ? error : "server_error";
  // A refresh token that has ended is refused with this code by some, as if the client were.
  const isOfToken = /refresh.?token/i.test(String(description ?? ""));
  if (code === "unauthorized_client" && isOfToken) return "invalid_grant";
  return standardCodes[code] ?? code;
}

/** The members of the tokens. A bot's token is the hub's only if there is no user's. */
function toTokens(given: Members): Members {
  const user = isMembers(given.authed_user) ? given.authed_user : null;
  const source = typeof user?.access_token === "string" ? user : given;
  const { access_token, refresh_token, expires_in, scope, token_type } = source;
  const seconds = Number(expires_in);
  const isOther = typeof token_type === "string" && /^(dpop|mac|pop)$/i.test(token_type);
  return {
    access_token,
    ...(typeof refresh_token === "string" && refresh_token !== "" && { refresh_token }),
    ...(expires_in !== undefined && Number.isFinite(seconds) && { expires_in: seconds }),
    // Separated by commas at some providers.
    ...(typeof scope === "string" && { scope: scope.replaceAll(",", " ") }),
    token_type: isOther ? token_type : "Bearer",
  };
}

/**
 * Who the account is of, for its user's page. Claims of an ID token that came from the token endpoint itself need no check of
 * its signature (OpenID Connect Core, 3.1.3.7).
 */
export function findIdentity(given: Members): string | null {
  const claims = readClaims(given.id_token);
  const person = read(read(given.owner, "user"), "person");
  const names = [
    claims.email,
    claims.preferred_username,
    claims.name,
    read(person, "email"),
    read(given.authed_user, "id"),
  ];
  const name = names.find((one) => typeof one === "string" && one.trim() !== "");
  return typeof name === "string" ? name.trim().slice(0, 200) : null;
}

function readClaims(token: unknown): Members {
  if (typeof token !== "string") return {};
  try {
    const [, payload = ""] = token.split(".");
    const claims = parseJson(Buffer.from(payload, "base64url").toString("utf8"));
    return isMembers(claims) ? claims : {};
  } catch {
    return {};
  }
}

function read(value: unknown, key: string): unknown {
  return isMembers(value) ? value[key] : undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toJson(members: Members, status: number): Response {
  return Response.json(members, { status });
}

function remake({ headers }: Response, status: number, text: string): Response {
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? text : null, { status, headers });
}
