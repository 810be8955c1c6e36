import http from "node:http";
import https from "node:https";

/**
 * Kept-alive connections, by address, port, name, authorities and pool. The global agents could send
 * requests through a proxy (NODE_USE_ENV_PROXY), which would resolve the name without the guard.
 */
const kept = { keepAlive: true, scheduling: "lifo", timeout: 5000 } as const;
const plainAgent = separatePools(new http.Agent(kept));
const secureAgent = separatePools(new https.Agent(kept));
/** Servers close connections after some seconds without a request, hardly any after less than one. */
const keptBriefly = { ...kept, timeout: 1000 };
const briefPlainAgent = separatePools(new http.Agent(keptBriefly));
const briefSecureAgent = separatePools(new https.Agent(keptBriefly));

type Reuse = { mayReuse?: boolean; reusesBriefly: boolean };

/** The agent of a request; false for a connection of its own. The options of the request name its `pool`. */
export function findAgent(isSecure: boolean, { mayReuse, reusesBriefly }: Reuse) {
  if (!mayReuse) return false;
  if (reusesBriefly) return isSecure ? briefSecureAgent : briefPlainAgent;
  return isSecure ? secureAgent : plainAgent;
}

/**
 * An agent keeps connections, and TLS sessions, by this name.
 *
 * Attack: if one row's request could end early for the server, the rest of it would be the beginning of the
 * next one, with the credential of another row.
 */
function separatePools<Agent extends http.Agent>(agent: Agent): Agent {
  const toName = agent.getName.bind(agent);
  agent.getName = (options) => `${toName(options)}:${Object(options).pool}`;
  return agent;
}
