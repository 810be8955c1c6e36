import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "..");

/**
 * Installs the load generator into this folder if necessary, because the product's install does not include
 * it. Returns whether it was installed.
 */
export async function installGenerator(): Promise<boolean> {
  if ((await findInstalled()) === (await findWanted())) return false;
  console.error("Installing the load generator…");
  const child = Bun.spawn(["npm", "ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  if ((await child.exited) !== 0) throw new Error(`\`npm ci\` failed in ${folder}.`);
  return true;
}

async function findInstalled(): Promise<unknown> {
  const file = Bun.file(resolve(folder, "node_modules/autocannon/package.json"));
  return (await file.exists()) ? (await file.json()).version : null;
}

async function findWanted(): Promise<unknown> {
  return (await Bun.file(resolve(folder, "package.json")).json()).dependencies.autocannon;
}
