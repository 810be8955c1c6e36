/**
 * Lets rows of all kinds, workflows and a plugin send requests with bodies of all kinds to one host, in turns over
 * kept connections, and compares what the parsers of the outside saw with what was asked for:
 * `bun scripts/try-framing.ts [--h11 PYTHON] [--at-once N] [SEED] [REQUESTS]`. The parsers are a strict one of
 * bytes, Node's, and h11 if a Python that has it is given (`python3 -m venv V && V/bin/pip install h11`). The exit
 * code is 1 if a request was not seen once and whole, or was seen over a connection of another row.
 */
import { parseArgs } from "node:util";
import { openBytePeer, openH11Peer, openNodePeer } from "../test/support/framing/peers.ts";
import { allKinds } from "../test/support/framing/rows.ts";
import { startFramingHub } from "../test/support/framing/start-framing-hub.ts";
import { tryFraming } from "../test/support/framing/trial.ts";

const { values: options, positionals } = parseArgs({
  options: { h11: { type: "string" }, "at-once": { type: "string", default: "6" } },
  allowPositionals: true,
});
const [seed = Date.now() % 2 ** 31, count = 10_000] = positionals.map(Number);
const atOnce = Number(options["at-once"]);
if (![seed, count, atOnce].every(Number.isSafeInteger)) {
  console.error("Enter integers: bun scripts/try-framing.ts [--h11 PYTHON] [seed] [requests]");
  process.exit(2);
}

const peers = {
  bytes: openBytePeer,
  node: openNodePeer,
  ...(options.h11 !== undefined && { h11: openH11Peer(options.h11) }),
};
console.log(`seed ${seed}, ${count} requests to each parser`);
await using owned = new AsyncDisposableStack();
const hub = await startFramingHub(owned);
for (const [name, openPeer] of Object.entries(peers)) {
  const given = { openPeer, kinds: allKinds, seed, count, atOnce };
  const { faults, ...report } = await tryFraming(hub, given);
  console.log(name, JSON.stringify(report), `${faults.length} faults`);
  for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
