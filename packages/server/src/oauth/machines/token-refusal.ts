/** The errors of RFC 6749, section 5.2, and of RFC 8707. */
export type TokenError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "invalid_scope"
  | "invalid_target";

/** A token request that is refused. The description is for the client's log: it has nothing of the assertion. */
export class TokenRefusal extends Error {
  readonly error: TokenError;

  constructor(error: TokenError, description: string) {
    super(description);
    this.error = error;
  }
}

/** The answer in the form of RFC 6749. */
export function toRefusalResponse({ error, message }: TokenRefusal): Response {
  const isClient = error === "invalid_client";
  return Response.json(
    { error, error_description: message },
    {
      status: isClient ? 401 : 400,
      headers: {
        "Cache-Control": "no-store",
        ...(isClient && { "WWW-Authenticate": 'Basic realm="hub"' }),
      },
    },
  );
}
