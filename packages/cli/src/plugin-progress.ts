import type { PluginProgress } from "@hub/contract/plugin.ts";
import type { Terminal } from "./terminal.ts";

type ShowProgress = {
  /** Shows what the work reports, until it ends. */
  show<T>(work: (onProgress: (progress: PluginProgress) => void) => Promise<T>): Promise<T>;
};

const phaseTexts: Record<PluginProgress["phase"], string> = {
  downloading: "Downloading",
  verifying: "Verifying",
  replacing: "Replacing",
  done: "Done",
};

/** A bar on a terminal, on standard error; nothing where nobody looks. */
export function createPluginProgress({ stderr }: Terminal, name: string): ShowProgress {
  return {
    async show(work) {
      if (!stderr.isTTY) return await work(() => {});
      const { SingleBar } = await import("cli-progress");
      const bar = new SingleBar({
        format: `{phase} ${name.replace(/[{}]/g, "")} [{bar}] {percentage}%`,
        stream: stderr,
        hideCursor: true,
        clearOnComplete: true,
      });
      bar.start(100, 0, { phase: "Starting" });
      try {
        return await work(({ phase, percent }) =>
          bar.update(Math.floor(percent ?? (phase === "downloading" ? 0 : 100)), {
            phase: phaseTexts[phase].padEnd(11),
          }),
        );
      } finally {
        bar.stop();
      }
    },
  };
}
