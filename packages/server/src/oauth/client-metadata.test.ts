/** Protects the registration: only names and redirect URIs of a client are used. */
import { expect, test } from "bun:test";
import { readClientMetadata } from "./client-metadata.ts";

const redirect_uris = ["http://127.0.0.1:4000/cb"];

test("Every client is public and gets the same metadata, whatever it requests", () => {
  const metadata = readClientMetadata({
    redirect_uris,
    client_name: "Desk",
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
    jwks_uri: "http://169.254.169.254/",
    sector_identifier_uri: "https://internal.example/",
    logo_uri: "https://tracker.example/pixel",
    scope: "admin",
  });
  expect(metadata).toEqual({
    redirect_uris,
    client_name: "Desk",
    application_type: "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
});

test("A client with only web addresses cannot choose their port", () => {
  const web = readClientMetadata({ redirect_uris: ["https://app.example/cb"] });
  expect(web).toMatchObject({ application_type: "web" });
});

test.each([
  "web",
  "native",
  "spa",
  7,
  null,
])("The type %p that a client gives itself changes nothing", (type) => {
  const uris = ["cursor://anysphere.cursor-mcp/oauth/callback", "https://www.cursor.com/cb"];
  expect(readClientMetadata({ redirect_uris: uris, application_type: type })).toMatchObject({
    redirect_uris: uris,
    application_type: "native",
  });
});

test("A name is one line of bounded length, without characters that reverse or hide text", () => {
  const named = (client_name: string) =>
    Object(readClientMetadata({ redirect_uris, client_name })).client_name;
  expect(named("  A \u202eevil\u202c\n\tname\u200b ")).toBe("A evil name");
  expect([...named("𝒜".repeat(500))]).toHaveLength(100);
  expect(named("\u0000")).toBe("Unnamed client");
  expect(named("Claude\u{e0065}\u{e0076}\ud83d")).toBe("Claude");
});

test("An invalid registration is refused with the expected form", () => {
  const errors = [null, 1, "x", [], {}, { redirect_uris: [] }, { redirect_uris: [1] }];
  for (const given of [...errors, { redirect_uris: Array(21).fill(redirect_uris[0]) }]) {
    expect(readClientMetadata(given)).toMatchObject({ error: "invalid_client_metadata" });
  }
  const long = Array.from(
    { length: 5 },
    (_, at) => `https://app.example/${at}${"x".repeat(1_600)}`,
  );
  expect(readClientMetadata({ redirect_uris: long.slice(1) })).not.toHaveProperty("error");
  expect(readClientMetadata({ redirect_uris: long })).toMatchObject({
    error: "invalid_redirect_uri",
  });
  const one = readClientMetadata({ redirect_uris: [...redirect_uris, "javascript:alert(1)"] });
  expect(one).toMatchObject({ error: "invalid_redirect_uri" });
});
