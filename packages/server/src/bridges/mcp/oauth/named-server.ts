import { HubError } from "../../../errors.ts";
import type { ConnectTarget, GivenServer } from "./connect-target.ts";
import type { FoundServer } from "./found-server.ts";
import { toSecureAddress } from "./secure-address.ts";

/** The same as a discovered server. Throws `upstream_error` for an address that is not https. */
export function toFoundServer(
  { authorizeUrl, tokenUrl, issuer, clientAuth, revocation }: GivenServer,
  { client, scope }: Pick<ConnectTarget, "client" | "scope">,
): FoundServer {
  if (client === null) {
    throw new HubError("bad_request", "The row has no client_id. Register the hub, and set it.");
  }
  const isPost = clientAuth === "post";
  const method = isPost ? "client_secret_post" : "client_secret_basic";
  return {
    metadata: {
      issuer: issuer ?? new URL(toSecureAddress(tokenUrl)).origin,
      authorization_endpoint: toSecureAddress(authorizeUrl),
      token_endpoint: toSecureAddress(tokenUrl),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: false,
      token_endpoint_auth_methods_supported: [client.secret === null ? "none" : method],
      is_given: true,
      has_known_issuer: issuer !== null,
      ...(clientAuth === "basic_json" && { sends_json: true as const }),
      ...(revocation !== null && {
        revocation_endpoint: toSecureAddress(
          revocation.url.replace("{client_id}", encodeURIComponent(client.id)),
        ),
        revocation_kind: revocation.kind,
      }),
    },
    registrationEndpoint: null,
    takesDocuments: false,
    resource: null,
    scope,
  };
}
