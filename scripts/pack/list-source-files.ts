import { Glob } from "bun";

const isForTests =
  /\.(?:test|testsuite|fixture)\.tsx?$|(?:^|\/)testing\/|(?:^|\/)(?:test-data|open-test-[\w-]+)\.ts$/;

/** The files of a package that its program needs, from its folder: its sources without those of tests. */
export function listSourceFiles(folder: string): string[] {
  const files = [...new Glob("{src,licences}/**/*").scanSync({ cwd: folder })];
  return files.filter((path) => !isForTests.test(path)).sort();
}
