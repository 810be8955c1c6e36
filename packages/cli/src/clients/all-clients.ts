import type { Client } from "./client-definition.ts";
import { claudeCode } from "./programs/claude-code.ts";
import { claudeDesktop } from "./programs/claude-desktop.ts";
import { codex } from "./programs/codex.ts";
import { cursor } from "./programs/cursor.ts";
import { geminiCli } from "./programs/gemini-cli.ts";
import { opencode } from "./programs/opencode.ts";
import { vscode } from "./programs/vscode.ts";
import { zed } from "./programs/zed.ts";

/** The clients of `--client all`. The first is the default. */
export const mainClients: readonly Client[] = [claudeDesktop, cursor, geminiCli, codex, claudeCode];

export const allClients: readonly Client[] = [...mainClients, vscode, opencode, zed];
