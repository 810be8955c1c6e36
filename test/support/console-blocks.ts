/** A command of a ```console block, after `$ `, and the output that the document shows for it. */
export type ConsoleStep = { command: string; output: string };

const blockPattern = /^```console\n([\s\S]*?)^```$/gm;

export function readConsoleSteps(document: string): ConsoleStep[] {
  return [...document.matchAll(blockPattern)].flatMap(([, block = ""]) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const end = step.indexOf("\n");
        return { command: step.slice(0, end), output: step.slice(end + 1) };
      }),
  );
}

/** Replaces the outputs of the document in order. */
export function writeConsoleOutputs(document: string, outputs: readonly string[]): string {
  let index = 0;
  return document.replace(blockPattern, (_, block: string) => {
    const steps = readConsoleSteps(`\`\`\`console\n${block}\`\`\``);
    const text = steps.map(({ command }) => `$ ${command}\n${outputs[index++] ?? ""}`).join("");
    return `\`\`\`console\n${text}\`\`\``;
  });
}

/** Replaces text that differs by run or machine: ids, tokens, passwords, times, platforms, widths. */
export function removeVariableParts(text: string): string {
  return text
    .replace(/hub_pat_[0-9a-f]{32}/g, "hub_pat_…")
    .replace(/^( +)[0-9a-z]{4}(-[0-9a-z]{4}){3}$/gm, "$1PASSWORD")
    .replace(/\b(linux|darwin|windows)\/(amd64|arm64)\b/g, "PLATFORM")
    .replace(/hub_enc_[\w-]+/g, "hub_enc_…")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replace(/(\s)\d+(\s+-\s+ID)/g, "$1MS$2")
    .replace(/(\/[^\s"']+)+\/node_modules\/bun\/bin\/bun\.exe/g, "BUN")
    .replace(/(\/[^\s"']+)+\/hub\.ts/g, "HUB")
    .replace(/"HUB_DATA_DIR":"[^"]*"/g, '"HUB_DATA_DIR":"DIR"')
    .replace(/[ \t]+/g, " ")
    .replace(/ +$/gm, "")
    .trim();
}
