import { resolve } from "node:path";

const folder = resolve(import.meta.dirname, "..");

/**
 * Installs what the benchmarks need into this folder if necessary, because the product's install does not include
 * it. Returns whether it was installed.
 */
export async function installGenerator(): Promise<boolean> {
  if (await isInstalled()) return false;
  console.error("Installing the packages of the benchmarks…");
  const child = Bun.spawn(["npm", "ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: ["ignore", 2, 2],
  });
  if ((await child.exited) !== 0) throw new Error(`\`npm ci\` failed in ${folder}.`);
  return true;
}

async function isInstalled(): Promise<boolean> {
  const wanted = await Bun.file(resolve(folder, "package.json")).json();
  const packages = Object.entries({ ...wanted.dependencies, ...wanted.devDependencies });
  const found = await Promise.all(packages.map(([name]) => findInstalled(name)));
  return packages.every(([, version], at) => found[at] === version);
}

async function findInstalled(name: string): Promise<unknown> {
  const file = Bun.file(resolve(folder, "node_modules", name, "package.json"));
  return (await file.exists()) ? (await file.json()).version : null;
}
