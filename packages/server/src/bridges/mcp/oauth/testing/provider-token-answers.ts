import type { Provider } from "./provider-names.ts";

type GivenTokens = {
  accessToken: string;
  refreshToken: string;
  /** Of the access token. Null for a provider that does not say it. */
  seconds: number | null;
  /** Who has consented. */
  person: string;
  /** Whether these are the first of the consent. */
  isFirst: boolean;
};

/** The tokens in the form of the provider. */
export function toTokenAnswer(
  name: Provider,
  { accessToken, refreshToken, seconds, person, isFirst }: GivenTokens,
): Response {
  const ends = seconds === null ? {} : { expires_in: seconds };
  const pair = { access_token: accessToken, refresh_token: refreshToken };
  switch (name) {
    case "grant deleting": {
      const form = { ...pair, expires_in: "28800", token_type: "bearer", scope: "" };
      return new Response(new URLSearchParams(form).toString(), {
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      });
    }
    case "not rotating": {
      const claims = btoa(JSON.stringify({ email: "ann@example.com" }));
      // Only at the first consent.
      const first = isFirst ? { refresh_token: refreshToken, id_token: `x.${claims}.x` } : {};
      return Response.json({
        access_token: accessToken,
        ...first,
        ...ends,
        token_type: "Bearer",
      });
    }
    case "in a user member":
      return Response.json({
        ok: true,
        access_token: "bot-token",
        token_type: "bot",
        scope: "commands",
        authed_user: {
          id: person,
          scope: "chat:write,users:read",
          token_type: "user",
          ...pair,
          ...ends,
        },
      });
    case "as JSON":
      return Response.json({ ...pair, token_type: "bearer", bot_id: "b", owner: { user: {} } });
    case "without end":
      return Response.json({
        access_token: accessToken,
        token_type: "bearer",
        scope: "repo,user",
      });
    case "rotating":
    case "keeping the old":
      return Response.json({ ...pair, ...ends, token_type: "Bearer", scope: "read" });
  }
}

/** The refusal of a grant or of a client in the form of the provider. */
export function toRefusal(name: Provider, of: "grant" | "client"): Response {
  const isClient = of === "client";
  switch (name) {
    case "grant deleting":
    case "without end":
      return Response.json({
        error: isClient ? "incorrect_client_credentials" : "bad_refresh_token",
      });
    case "in a user member":
      return Response.json({
        ok: false,
        error: isClient ? "bad_client_secret" : "invalid_refresh_token",
      });
    case "rotating":
      return isClient
        ? Response.json({ error: "invalid_client" }, { status: 401 })
        : Response.json(
            { error: "unauthorized_client", error_description: "refresh_token is invalid" },
            { status: 403 },
          );
    case "keeping the old":
      return Response.json(
        {
          error: isClient ? "invalid_client" : "interaction_required",
          error_description: "AADSTS50076",
        },
        { status: isClient ? 401 : 400 },
      );
    case "as JSON":
    case "not rotating":
      return Response.json(
        { error: isClient ? "invalid_client" : "invalid_grant" },
        { status: 400 },
      );
  }
}
