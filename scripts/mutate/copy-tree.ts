import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export type Tree = Disposable & {
  /** The copied checkout, which is never written to. */
  checkout: string;
  root: string;
  /** The temporary folder of the tests. Its path is short, because it contains sockets. */
  tmp: string;
};

/** Copies the tracked and new files, and links the checkout's packages. */
export async function copyTree(): Promise<Tree> {
  const checkout = resolve(import.meta.dirname, "../..");
  const home = mkdtempSync(join(tmpdir(), "hm-"));
  const [root, tmp] = [join(home, "tree"), join(home, "t")];
  mkdirSync(tmp);
  const remove = () => rmSync(home, { recursive: true, force: true });
  // Also when a signal ends the program.
  process.once("exit", remove);
  const listing = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  for (const file of execFileSync("git", listing, { cwd: checkout, encoding: "utf8" }).split(
    "\0",
  )) {
    if (file === "") continue;
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(checkout, file), join(root, file));
  }
  for (const folder of [".", ...listFolders(root, "packages"), ...listFolders(root, "plugins")]) {
    linkPackages(join(checkout, folder, "node_modules"), join(root, folder, "node_modules"));
  }
  return {
    checkout,
    root,
    tmp,
    [Symbol.dispose]() {
      process.off("exit", remove);
      remove();
    },
  };
}

function listFolders(root: string, parent: string): string[] {
  return readdirSync(join(root, parent)).map((name) => join(parent, name));
}

/** Links all packages except those of the workspace, which belong to the copy. */
function linkPackages(from: string, to: string): void {
  for (const name of tryReadFolder(from)) {
    mkdirSync(to, { recursive: true });
    if (name === "@hub") cpSync(join(from, name), join(to, name), copyLinks);
    else symlinkSync(join(from, name), join(to, name));
  }
}

const copyLinks = { recursive: true, verbatimSymlinks: true };

function tryReadFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
