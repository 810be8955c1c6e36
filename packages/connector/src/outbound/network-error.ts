import { OutboundError } from "./outbound-error.ts";

/** Describes a failed connection or an invalid answer, with advice. */
export function toNetworkError(
  hostname: string,
  thrown: unknown,
  { hasConnected }: { hasConnected: boolean } = { hasConnected: true },
): OutboundError {
  if (thrown instanceof OutboundError) return thrown;
  const code = findCode(thrown);
  const isUnsent = code === "ECONNREFUSED" && !hasConnected;
  return new OutboundError("network", describe(hostname, code), { cause: thrown, isUnsent });
}

function findCode(thrown: unknown): string {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return "";
  return String(thrown.code);
}

function describe(hostname: string, code: string): string {
  if (code === "ECONNREFUSED") {
    return `${hostname} refused the connection. Check the address and the port, and whether the server runs.`;
  }
  if (code === "EHOSTUNREACH" || code === "ENETUNREACH" || code === "ETIMEDOUT") {
    return `${hostname} cannot be reached from the hub's machine.`;
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `The certificate of ${hostname} is for another name. An admin can correct the address in the row.`;
  }
  if (/CERT|SIGNATURE|ISSUER/.test(code)) {
    return `The certificate of ${hostname} cannot be trusted (${code}). If your own certificate authority signed it, start the hub with NODE_EXTRA_CA_CERTS.`;
  }
  if (/SSL|TLS|EPROTO/.test(code)) {
    return `${hostname} does not speak TLS at this address (${code}). Check http or https, and the port.`;
  }
  return `The connection to ${hostname} broke before the answer was complete${code && ` (${code})`}. Try again.`;
}
