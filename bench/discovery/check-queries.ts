import { listContentWords, listOperationWords } from "./content-words.ts";
import { type Operation, type Query, readCorpus, readQueries, toAddress } from "./corpus-file.ts";

/**
 * Prints each answer that the corpus does not have and each paraphrase that shares a content word with
 * one of its answers.
 */
const [corpusPath = "", queriesPath = ""] = process.argv.slice(2);
const corpus = new Map((await readCorpus(corpusPath)).map((each) => [toAddress(each), each]));
const queries = await readQueries(queriesPath);
const problems = [...listRepeated(queries), ...queries.flatMap(listProblems)];
for (const problem of problems) console.log(problem);
console.log(`${queries.length} queries, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

function listRepeated(all: readonly Query[]): string[] {
  const texts = all.map(({ query }) => query.toLowerCase());
  return texts
    .filter((text, index) => texts.indexOf(text) !== index)
    .map((text) => `"${text}": is there twice`);
}

function listProblems(query: Query): string[] {
  return query.answers.flatMap((answer) => {
    const operation = corpus.get(answer);
    if (operation === undefined) return [`"${query.query}": the corpus has no ${answer}`];
    return query.kind === "paraphrase" ? listShared(query, operation) : [];
  });
}

function listShared({ query }: Query, operation: Operation): string[] {
  const shared = listContentWords(query).intersection(listOperationWords(operation));
  if (shared.size === 0) return [];
  return [`"${query}": shares ${[...shared].join(", ")} with ${toAddress(operation)}`];
}
