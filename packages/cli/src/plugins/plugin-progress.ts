import { basename } from "node:path";
import type { PluginProgress } from "@hub/contract/plugin.ts";
import type { Terminal } from "../process/terminal.ts";
import { toPrintable } from "../text/table.ts";

type OnProgress = (progress: PluginProgress, plugin?: string) => void;

type ShowProgress = {
  /** Shows the progress of the work until it ends. Work on several plugins passes the current one. */
  show<T>(work: (onProgress: OnProgress) => Promise<T>): Promise<T>;
};

const phaseTexts: Record<PluginProgress["phase"], string> = {
  downloading: "Downloading",
  verifying: "Verifying",
  replacing: "Replacing",
  done: "Done",
};

const phaseWidth = Math.max(...Object.values(phaseTexts).map((text) => text.length));
const barWidthMin = 10;
const barWidthMax = 40;

/** Shows a progress line on standard error if that is a terminal. */
export function createPluginProgress({ stderr, env }: Terminal, source: string): ShowProgress {
  return {
    async show(work) {
      if (!stderr.isTTY || env.TERM === "dumb") return await work(() => {});
      const { SingleBar } = await import("cli-progress");
      let latest: PluginProgress | null = null;
      let name = toName(source);
      const bar = new SingleBar({
        format: () => toProgressLine(latest, name, stderr.columns || 80),
        stream: stderr,
        hideCursor: true,
        clearOnComplete: true,
      });
      bar.start(100, 0);
      try {
        return await work((progress, plugin) => {
          latest = progress;
          if (plugin !== undefined) name = toName(plugin);
          bar.update(Math.floor(progress.percent ?? 0));
        });
      } finally {
        bar.stop();
      }
    },
  };
}

/**
 * `Downloading tracker [=====-----]  50%`, or without a bar while the total size is unknown.
 * @internal
 */
export function toProgressLine(
  progress: PluginProgress | null,
  name: string,
  columns: number,
): string {
  const phase = (progress === null ? "Starting" : phaseTexts[progress.phase]).padEnd(phaseWidth);
  // The last column stays free: some terminals wrap when it is written.
  const widthLeft = columns - 1 - phase.length - 1;
  if (progress?.percent === undefined) return `${phase} ${cut(name, widthLeft)}`.trimEnd();
  const percent = `${Math.floor(progress.percent)}%`.padStart(4);
  const around = " [".length + "] ".length + percent.length;
  const shown = cut(name, widthLeft - around - barWidthMin);
  const free = widthLeft - around - Bun.stringWidth(shown);
  const barWidth = Math.max(Math.min(free, barWidthMax), 0);
  const done = Math.floor((barWidth * progress.percent) / 100);
  const bar = "=".repeat(done) + "-".repeat(barWidth - done);
  return `${phase} ${shown} [${bar}] ${percent}`;
}

/** The last part of a URL or path. */
function toName(source: string): string {
  const path = URL.canParse(source) ? new URL(source).pathname : source;
  return toPrintable(basename(path) || source);
}

function cut(text: string, widthMax: number): string {
  if (Bun.stringWidth(text) <= widthMax) return text;
  let kept = "";
  for (const each of text) {
    if (Bun.stringWidth(kept + each) >= widthMax) break;
    kept += each;
  }
  return widthMax > 0 ? `${kept}…` : "";
}
