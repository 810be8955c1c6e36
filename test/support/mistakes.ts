/** Ordinary mistakes, made on a real hub, for the page "What the hub says when something is wrong". */
import { type MistakeBench, mistakes } from "./mistakes/make-mistake.ts";
import "./mistakes/server-mistakes.ts";
import "./mistakes/user-mistakes.ts";

const mistakeGroups = [...new Set(mistakes.map(({ group }) => group))];

/** A mistake with what the hub said, without what differs from run to run. */
export type Said = { group: string; words: string; said: string };

/** Makes all mistakes, one after another. */
export async function makeMistakes(bench: MistakeBench): Promise<Said[]> {
  const all: Said[] = [];
  for (const { group, words, make } of mistakes) {
    all.push({ group, words, said: toLasting(await make(bench), bench) });
  }
  return all;
}

function toLasting(said: string, { hub, folder }: MistakeBench): string {
  return said
    .trim()
    .replace(/^error: /, "")
    .replaceAll(hub.dataDir, "DATA_FOLDER")
    .replaceAll(folder, "FOLDER")
    .replaceAll(String(hub.port), "PORT")
    .replace(/\s*\n\s*/g, " ");
}

const intro = `# What the hub says when something is wrong

Ordinary mistakes and the sentences with which the hub answers. A test makes each of them and compares the answers with this
page; \`npx bun scripts/write-mistakes-reference.ts\` writes it. \`FOLDER\`, \`DATA_FOLDER\` and \`PORT\` stand for those of the
machine. Over HTTP the sentence is \`error\`, beside a \`code\` for programs; on the command line it is printed to standard error, and
\`--json\` prints both. What a sentence knows, such as a wait or a field, is a member too. If the program of a row or plugin did not
start, admins see its last lines in \`program_output\`.
`;

/** The text of the page. */
export function toMistakesPage(all: readonly Said[]): string {
  const tables = mistakeGroups.map((group) => {
    const lines = all
      .filter((one) => one.group === group)
      .map(({ words, said }) => `| ${words} | ${said.replaceAll("|", "\\|")} |`);
    return `## ${group}\n\n| mistake | what the hub says |\n|---|---|\n${lines.join("\n")}\n`;
  });
  return [intro, ...tables].join("\n");
}
