import { law } from "../../request-cost/law.ts";
import { costHeader, describeCost, type WatchedHub } from "./watched-hub.ts";

export type Judge = {
  /** Runs an attack and prints what it cost. `run` returns the answer, of which the beginning is shown. */
  attack(
    name: string,
    sent: { bytes: number; requests?: number },
    run: () => Promise<string>,
  ): Promise<void>;
  /** Sets the exit code: 1 if an attack exceeded the law. */
  end(): void;
};

const attackMsMax = 60_000;
const mebibyte = 1024 * 1024;

/** Judges attacks by the law of `request-cost/law.ts`. `only` is a part of the names of the attacks that run. */
export function createJudge({ measure }: Pick<WatchedHub, "measure">, only: string): Judge {
  let failures = 0;
  console.log(`${"attack".padEnd(40)}${costHeader}  faults; answer`);
  return {
    async attack(name, { bytes, requests = 1 }, run) {
      if (!name.includes(only)) return;
      let answer = "";
      const cost = await measure(async () => {
        answer = await Promise.race([
          run().catch((thrown: Error) => thrown.message),
          Bun.sleep(attackMsMax).then(() => "not answered in 60 s"),
        ]);
      });
      const mebibytes = bytes / mebibyte;
      const faults = [
        cost.inOneGoMs > law.holdMsMax && "held",
        cost.cpuMs > law.cpuMsBase * requests + law.cpuMsPerMiB * mebibytes && "processor time",
        cost.memoryMiB > law.memoryMiBBase + law.memoryPerByte * mebibytes && "memory",
      ].filter((fault) => fault !== false);
      failures += faults.length;
      const shown = answer.slice(0, 90).replace(/\s+/g, " ");
      console.log(`${name.padEnd(40)}${describeCost(cost)}  ${faults.join(", ")}; ${shown}`);
    },
    end() {
      console.log(`over the law: ${failures}`);
      process.exitCode = failures === 0 ? 0 : 1;
    },
  };
}
