import { expect, test } from "bun:test";
import { describeAuthorizationServer, describeProtectedResource } from "./endpoints.ts";

const baseUrl = "https://hub.example";

/** What the hub offers: public clients with PKCE, codes and refresh tokens, no secrets. */
const metadata = {
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/oauth/token`,
  registration_endpoint: `${baseUrl}/oauth/register`,
  revocation_endpoint: `${baseUrl}/oauth/revoke`,
  scopes_supported: ["mcp", "offline_access"],
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
};

test("The metadata of the authorization server lists exactly what it supports (RFC 8414)", () => {
  expect(
    describeAuthorizationServer(baseUrl, { takesDocuments: false, hasMachines: false }),
  ).toEqual(metadata);
  expect(
    describeAuthorizationServer(baseUrl, { takesDocuments: true, hasMachines: false }),
  ).toEqual({
    ...metadata,
    client_id_metadata_document_supported: true,
  });
});

test("The metadata of the protected resource names the hub as its only server (RFC 9728)", () => {
  expect(describeProtectedResource(baseUrl)).toEqual({
    resource: `${baseUrl}/mcp`,
    resource_name: "Hub",
    authorization_servers: [baseUrl],
    scopes_supported: ["mcp"],
    bearer_methods_supported: ["header"],
  });
});
