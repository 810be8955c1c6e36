import type { Address } from "./address.ts";
import { isInNetwork, parseNetwork } from "./address.ts";

/**
 * Services where clouds provide the credentials of the machine. Connectors never need them, so they
 * are refused even if an admin saved or allowed them.
 */
const networks = [
  "169.254.169.0/24", // AWS, Google, Azure, OpenStack, DigitalOcean, Oracle and others
  "169.254.170.0/24", // AWS containers
  "168.63.129.16/32", // Azure's host agent; not a private address, but served by the host
  "100.100.100.200/32", // Alibaba
  "192.0.0.192/32", // Oracle Classic
  "169.254.0.23/32", // Tencent
  "169.254.42.42/32", // Scaleway
  "fd00:ec2::/32", // AWS
  "fd20:ce::254/128", // Google
  "fd00:42::42/128", // Scaleway
].map(parseNetwork);

const names = new Set(["metadata.google.internal", "metadata.goog", "instance-data.ec2.internal"]);

export function isMetadataName(hostname: string): boolean {
  return names.has(hostname);
}

export function isMetadataAddress(forms: readonly Address[]): boolean {
  return forms.some((form) => networks.some((network) => isInNetwork(form, network)));
}
