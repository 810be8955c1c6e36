import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toUsageError } from "../errors/usage-error.ts";
import { isInteractive, type Terminal } from "../process/terminal.ts";

/** Opens a text in the user's editor (`VISUAL` or `EDITOR`). Returns the text that was saved. */
export async function editInEditor(
  terminal: Terminal,
  name: string,
  text: string,
): Promise<string> {
  const editor = terminal.env.VISUAL || terminal.env.EDITOR;
  if (!editor || !isInteractive(terminal)) {
    throw toUsageError("Name a file with --file, or set EDITOR and run the command on a terminal.");
  }
  // Readable by this user only.
  const folder = await mkdtemp(join(tmpdir(), "hub-edit-"));
  try {
    const path = join(folder, name);
    await writeFile(path, text, { mode: 0o600 });
    // An editor may have arguments, such as `code --wait`.
    const { exited } = Bun.spawn([...editor.trim().split(/\s+/), path], {
      stdio: ["inherit", "inherit", "inherit"],
      cwd: terminal.cwd,
    });
    const code = await exited;
    if (code !== 0) throw toUsageError(`The editor ended with ${code}. Nothing was saved.`);
    return await readFile(path, "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
