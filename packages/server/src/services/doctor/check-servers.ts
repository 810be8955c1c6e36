import { hostname } from "node:os";
import { toDurationText } from "@hub/connector";
import { isLoopbackHost, toDefaultBaseUrl } from "../../lib/network/bind-host.ts";
import { readBuildInfo } from "../../lib/process/build-info.ts";
import type { InstanceRecord } from "../../store/servers/instances.ts";
import { listServers, type RunningHub } from "../../store/servers/running-servers.ts";
import { listProcesses } from "../show-status.ts";
import { describeOffset } from "./clock-offset.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

/** The hub that runs on this data folder; without one, the address that it would use. */
export async function checkServers(deps: DoctorDeps): Promise<Check[]> {
  const servers = listServers(await listProcesses(deps));
  if (servers.length === 0) return [checkAddress(deps)];
  return await Promise.all(servers.map(checkServer));
}

/** The build that examines: the server on the Health page, else the command. */
export async function checkVersion(): Promise<Check> {
  const {
    hub_version: version,
    server_commit: commit,
    server_build_time: time,
  } = await readBuildInfo();
  return toCheck("version", "ok", `${version}, commit ${commit}, built ${time}`);
}

const answerMsMax = 2_000;

async function checkServer(server: RunningHub): Promise<Check> {
  const { pid, localUrl, baseUrl } = server;
  if (server.hostname !== hostname()) {
    // Its local address would be another program of this machine.
    const place = `process ${pid} on ${server.hostname}`;
    return toCheck("address", "unknown", `${baseUrl}, served by ${place}`);
  }
  const message = `${localUrl}, reached as ${baseUrl}, served by process ${pid}`;
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const { status } = await fetch(`${localUrl}/health`, { signal, redirect: "error" });
    if (status === 200) return toCheck("address", "ok", message);
    return toCheck(
      "address",
      "warn",
      `${message}. It answered with status ${status}: see its log.`,
    );
  } catch {
    return toCheck("address", "warn", `${message}. It does not answer: see its log.`);
  }
}

function checkAddress({ config: { host, port, baseUrl } }: DoctorDeps): Check {
  const message = `${host}:${port}, reached as ${baseUrl ?? toDefaultBaseUrl(host, port)}, once the hub is started`;
  if (baseUrl !== null || isLoopbackHost(host)) return toCheck("address", "unknown", message);
  const advice =
    "Set HUB_BASE_URL to the address that clients use. Requests to other addresses are refused.";
  return toCheck("address", "warn", `${message}. ${advice}`);
}

export async function checkInstances({ store, now }: DoctorDeps): Promise<Check> {
  // A command does not count itself. A server that is asked over the API does.
  const alive = (await listProcesses({ store, now })).filter(
    ({ kind, pid }) => kind !== "cli" || pid !== process.pid,
  );
  if (alive.length === 0) {
    return toCheck("processes", "ok", "no other process of the hub is running here");
  }
  const at = now();
  const list = alive.map((instance) => describeProcess(instance, at)).join(", ");
  const versions = new Set(alive.map(({ version }) => version).filter((version) => version !== ""));
  const problems = [
    ...(versions.size > 1 ? [`They have different versions: ${[...versions].join(", ")}.`] : []),
    ...alive.flatMap(({ pid, hostname, clockOffsetMs }) => {
      const offBy = describeOffset(clockOffsetMs);
      return offBy === null ? [] : [`The clock of ${pid} on ${hostname} is ${offBy}.`];
    }),
  ];
  if (problems.length === 0) return toCheck("processes", "ok", list);
  return toCheck("processes", "warn", `${list}. ${problems.join(" ")}`);
}

function describeProcess(instance: InstanceRecord, now: number): string {
  const { kind, pid, hostname, version, startedAt, heartbeatAt } = instance;
  const name = `${kind} ${pid} on ${hostname}`;
  if (version === "") return name;
  const ago = toDurationText(Math.max(0, now - heartbeatAt));
  return `${name} (version ${version}, since ${new Date(startedAt).toISOString()}, last heartbeat ${ago} ago)`;
}
