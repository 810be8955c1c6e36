import { join, relative } from "node:path";
// The API that editors use, pinned with the compiler. A text search misses references under other names.
import { API } from "typescript/unstable/async";

type Node = NonNullable<Awaited<ReturnType<Handle["resolve"]>>>;
type Handle = Awaited<
  ReturnType<Project["checker"]["getReferencedSymbolsForNode"]>
>[number]["definition"];
type Project = ReturnType<Awaited<ReturnType<API["updateSnapshot"]>>["getProjects"]>[number];

/** A declaration: the first name in `text`, which occurs once in the file. */
export type Declaration = { file: string; text: string };

export type References = AsyncDisposable & {
  /** The sorted paths of the files, without tests, that refer to the declaration, relative to `root`. */
  findFiles(declaration: Declaration): Promise<string[]>;
};

/** Finds references with the TypeScript compiler, also under other names, in the project at `root`. */
export async function openReferences(root: string): Promise<References> {
  const api = new API({ cwd: root });
  // The compiler starts with the first request.
  const snapshot = await withoutCollector(() =>
    api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }),
  );
  const [project] = snapshot.getProjects();
  if (project === undefined) throw new Error(`There is no project in ${root}.`);

  return {
    async findFiles(declaration) {
      const { node, position } = await findName(project, root, declaration);
      const entries = await project.checker.getReferencedSymbolsForNode(node, position);
      const paths = entries.flatMap(({ references }) => references.map(({ path }) => path));
      return [...new Set(paths.map((path) => relative(root, path)))].filter(isProgram).sort();
    },
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/**
 * Runs `start` so that programs in Go that it starts have no garbage collector. It is a third of the compiler's processor time,
 * and the compiler ends before it needs the memory back.
 */
async function withoutCollector<Result>(start: () => Promise<Result>): Promise<Result> {
  const before = process.env.GOGC;
  process.env.GOGC = "off";
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env.GOGC;
    else process.env.GOGC = before;
  }
}

async function findName(project: Project, root: string, { file, text }: Declaration) {
  const source = await project.program.getSourceFile(join(root, file));
  const start = source?.text.indexOf(text) ?? -1;
  if (source === undefined || start === -1) {
    throw new Error(`${file} does not contain "${text}". Update the declaration.`);
  }
  const position = start + text.search(/\w/);
  const visit = (node: Node): Node =>
    node.forEachChild((child) =>
      child.pos <= position && position < child.end ? child : undefined,
    ) ?? node;
  let node: Node = source;
  for (let inner = visit(node); inner !== node; inner = visit(node)) node = inner;
  return { node, position };
}

/** Whether a file is product code. Tests may call any function. */
function isProgram(path: string): boolean {
  return (
    path.startsWith("packages/") &&
    !/\.test(suite)?\.ts$|\/testing\/|\/open-test-[a-z]+\.ts$/.test(path)
  );
}
