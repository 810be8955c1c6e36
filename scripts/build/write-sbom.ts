/**
 * The packages of the program with their versions, licences and hashes, from the lock file, in CycloneDX. npm
 * writes it; what differs each time is replaced, so that the same lock file gives the same bytes.
 */
export function writeSbom(root: string, version: string, builtMs: number): string {
  const options = ["--package-lock-only", "--sbom-format=cyclonedx", "--omit=dev"];
  const { stdout, stderr, success } = Bun.spawnSync(["npm", "sbom", ...options], { cwd: root });
  if (!success) throw new Error(`npm sbom failed: ${stderr.toString().trim().slice(0, 500)}`);
  const sbom = JSON.parse(stdout.toString());
  const { component, ...metadata } = sbom.metadata;
  sbom.serialNumber = `urn:uuid:${Bun.randomUUIDv5(`${version} ${builtMs}`, serials)}`;
  sbom.metadata = {
    ...metadata,
    timestamp: new Date(builtMs).toISOString(),
    // npm names it after the folder of the checkout.
    component: { ...component, name: "hub", type: "application" },
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** The namespace of serial numbers. */
const serials = "5b0f6c62-91d7-4a39-9d3f-6a2a8f6f4f0b";
