import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import type { Client } from "./client.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencode } from "./opencode.ts";
import { vscode } from "./vscode.ts";
import { zed } from "./zed.ts";

/** The clients of `--client all`. The first is the default. */
export const mainClients: readonly Client[] = [claudeDesktop, cursor, geminiCli, codex, claudeCode];

export const allClients: readonly Client[] = [...mainClients, vscode, opencode, zed];
