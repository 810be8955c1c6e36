import { HubError } from "../../errors.ts";
import { findPathFault, isInPrefixes } from "./check-secret-path.ts";
import { createMemorySeal } from "./sealed-in-memory.ts";
import type { ReferenceDefinition, SourceDefinition } from "./secret-definitions.ts";
import type { SourceClient } from "./source-client.ts";
import { SourceFailure, type SourceFailureKind } from "./source-failure.ts";

/** One attempt to read a secret, without its value. */
export type SecretReadOutcome = {
  reference: ReferenceDefinition;
  at: number;
  outcome: "read" | SourceFailureKind;
  version: string | null;
  reason: string | null;
};

type ReaderDeps = {
  openClient(source: SourceDefinition): Promise<SourceClient>;
  now(): number;
  /** How long a value counts as current, in milliseconds. */
  keepMs(): number;
  /** How long the last value is used while its manager is away, in milliseconds. */
  awayMs(): number;
  /** Stores the outcome. It must not reject. */
  onRead(outcome: SecretReadOutcome): Promise<void>;
};

export type SecretReader = {
  /**
   * Reads the secret unless a current value is kept. Reads of one reference at the same time are one request.
   * Never rejects: `peek` says what came of it.
   */
  prepare(reference: ReferenceDefinition): Promise<void>;
  /** The value that is kept. Throws `needs_setup` with the reason if there is none. */
  peek(reference: ReferenceDefinition): string;
  /** Former values, which results may still hold. */
  listFormer(referenceId: string): string[];
  /** Reads the secret now, whatever is kept. */
  refresh(reference: ReferenceDefinition): Promise<SecretReadOutcome>;
};

/** A former value is masked so long: a result that holds it can come from a run or a page of hours ago. */
const formerMs = 24 * 60 * 60_000;
const formersMax = 10;
/** A manager that failed is asked again after this, so that no call waits for it meanwhile. */
const retryMs = 15_000;
const retryMsMax = 5 * 60_000;
/** For one read, with its sign-in. */
const timeoutMs = 10_000;
/** Reads of one source at the same time. */
const readsMax = 8;
const charsMax = 64 * 1024;

type Kept = {
  /** Of the definition that it was read with. */
  stamp: string;
  value: { sealed: Uint8Array; readAt: number } | null;
  failure: { kind: SourceFailureKind; reason: string; since: number; retryAt: number } | null;
  reading: Promise<SecretReadOutcome> | null;
};

/** Keeps secrets of managers for a while, sealed in memory. Each process has its own. */
export function createSecretReader(deps: ReaderDeps): SecretReader {
  const memory = createMemorySeal();
  const kept = new Map<string, Kept>();
  const former = new Map<string, { sealed: Uint8Array; until: number }[]>();
  const clients = new Map<string, { stamp: string; client: Promise<SourceClient> }>();
  const waiting = new Map<string, { running: number; queue: (() => void)[] }>();

  function find(reference: ReferenceDefinition): Kept {
    const stamp = toStamp(reference);
    const present = kept.get(reference.id);
    if (present?.stamp === stamp) return present;
    // Another path, source or credential: nothing that was read before may be used for it.
    if (present?.value) addFormer(reference.id, present.value.sealed);
    const fresh: Kept = { stamp, value: null, failure: null, reading: null };
    kept.set(reference.id, fresh);
    return fresh;
  }

  function addFormer(id: string, sealed: Uint8Array): void {
    const list = former.get(id) ?? [];
    list.unshift({ sealed, until: deps.now() + formerMs });
    former.set(id, list.slice(0, formersMax));
  }

  function findClient(source: SourceDefinition): Promise<SourceClient> {
    const stamp = `${source.revision}`;
    const present = clients.get(source.id);
    if (present?.stamp === stamp) return present.client;
    const client = deps.openClient(source);
    clients.set(source.id, { stamp, client });
    client.catch(() => clients.delete(source.id));
    return client;
  }

  /** A slow manager has so many reads under way at most, and holds up no other manager. */
  async function takePermit(sourceId: string): Promise<() => void> {
    const lane = waiting.get(sourceId) ?? { running: 0, queue: [] };
    waiting.set(sourceId, lane);
    if (lane.running >= readsMax) await new Promise<void>((resolve) => lane.queue.push(resolve));
    else lane.running += 1;
    return () => {
      const next = lane.queue.shift();
      if (next === undefined) lane.running -= 1;
      else next();
    };
  }

  async function fetchValue({ source, path, field, version }: ReferenceDefinition) {
    // Also here, not only when the reference is made: the prefixes may have been narrowed since.
    const isPath = findPathFault(source.settings.kind, path) === null;
    if (!isPath || !isInPrefixes(source.prefixes, path)) {
      throw new SourceFailure("refused", "its path is outside of the prefixes of the source");
    }
    const release = await takePermit(source.id);
    try {
      const client = await findClient(source);
      const signal = AbortSignal.timeout(timeoutMs);
      const read = await Promise.race([
        client.read({ path, field, version }, signal),
        rejectOn(signal, source.name),
      ]);
      if (read.value === "") throw new SourceFailure("absent", "the secret is empty");
      if (read.value.length > charsMax) {
        throw new SourceFailure("bad", `the secret has more than ${charsMax} characters`);
      }
      return read;
    } finally {
      release();
    }
  }

  async function readNow(reference: ReferenceDefinition, entry: Kept): Promise<SecretReadOutcome> {
    let outcome: SecretReadOutcome;
    try {
      const { value, version } = await fetchValue(reference);
      const before = entry.value;
      const isNew = before !== null && memory.open(before.sealed) !== value;
      if (isNew) addFormer(reference.id, before.sealed);
      entry.value = { sealed: memory.seal(value), readAt: deps.now() };
      entry.failure = null;
      outcome = { reference, at: deps.now(), outcome: "read", version, reason: null };
    } catch (thrown) {
      const failure =
        thrown instanceof SourceFailure ? thrown : new SourceFailure("bad", toReason(thrown));
      const at = deps.now();
      // Only an outage leaves the last value in use.
      if (failure.kind !== "away" && entry.value !== null) {
        addFormer(reference.id, entry.value.sealed);
        entry.value = null;
      }
      const since = entry.failure?.kind === failure.kind ? entry.failure.since : at;
      const pauseMs = Math.min(Math.max(failure.retryAfterMs ?? 0, retryMs), retryMsMax);
      const { kind, message: reason } = failure;
      entry.failure = { kind, reason, since, retryAt: at + pauseMs };
      outcome = { reference, at, outcome: kind, version: null, reason };
    }
    await deps.onRead(outcome);
    return outcome;
  }

  /** What a manager refuses is dropped when it is read again, so an older value is that of an outage. */
  function isUsable({ value }: Kept, at: number): boolean {
    return value !== null && at - value.readAt < deps.keepMs() + deps.awayMs();
  }

  function startReading(reference: ReferenceDefinition, entry: Kept): Promise<SecretReadOutcome> {
    entry.reading ??= readNow(reference, entry).finally(() => {
      entry.reading = null;
    });
    return entry.reading;
  }

  return {
    async prepare(reference) {
      const entry = find(reference);
      const at = deps.now();
      const isCurrent = entry.value !== null && at - entry.value.readAt < deps.keepMs();
      if (isCurrent && entry.failure === null) return;
      if (entry.failure !== null && at < entry.failure.retryAt) return;
      const read = startReading(reference, entry);
      // A manager that was away may be so still. The last value serves until it answers.
      if (entry.failure?.kind === "away" && isUsable(entry, at)) return;
      await read;
    },
    peek(reference) {
      const entry = find(reference);
      const { value, failure } = entry;
      if (value !== null && isUsable(entry, deps.now())) return memory.open(value.sealed);
      if (value !== null) addFormer(reference.id, value.sealed);
      entry.value = null;
      throw toUnread(reference, failure?.reason ?? "it has not been read yet");
    },
    listFormer(referenceId) {
      const at = deps.now();
      const live = (former.get(referenceId) ?? []).filter(({ until }) => at < until);
      if (live.length === 0) former.delete(referenceId);
      else former.set(referenceId, live);
      return live.map(({ sealed }) => memory.open(sealed));
    },
    async refresh(reference) {
      const entry = find(reference);
      // One that is under way may have begun before the secret was changed.
      if (entry.reading !== null) await entry.reading;
      return await startReading(reference, entry);
    },
  };
}

function rejectOn(signal: AbortSignal, name: string): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () =>
      reject(
        new SourceFailure("away", `"${name}" did not answer within ${timeoutMs / 1000} seconds`),
      ),
    );
  });
}

/** What decides which secret is read. A new name or tag leaves the value to the calls that are under way. */
function toStamp({ path, field, version, source }: ReferenceDefinition): string {
  return JSON.stringify([path, field, version, source.id, source.revision]);
}

/** The credentials of a source are sealed with a key that the hub no longer has, for example. */
function toReason(thrown: unknown): string {
  return thrown instanceof HubError ? thrown.message : "the manager's answer could not be read";
}

export function toUnread({ name, source }: ReferenceDefinition, reason: string): HubError {
  return new HubError(
    "needs_setup",
    `The secret "${name}" cannot be read from "${source.name}": ${reason}. An admin can see why at Admin → Secret managers.`,
  );
}
