import type { ConnectionPool } from "../connections/connection-pool.ts";
import { clockText } from "../database-clock.ts";

/** What a process asks for one user or row. */
export type CountRequest = {
  key: string;
  /** 0 is no limit. */
  perMinute: number;
  atOnce: number;
  /** Calls to count against the limit per minute. */
  tokens: number;
  /** Its running calls, which it keeps. */
  held: number;
  /** More calls that may run at once. */
  permits: number;
};

export type Granted = {
  tokens: number;
  /** Calls of this process that may run at once. */
  permits: number;
  /** Calls of all processes that count against the limit per minute. */
  taken: number;
};

/** A process that has not reported for this time counts as dead. */
const deadAfterMs = 30_000;

/** Counts calls of this process and returns what each key is granted. */
export async function countCalls(
  pool: Pick<ConnectionPool, "query">,
  holder: string,
  requests: readonly CountRequest[],
): Promise<Map<string, Granted>> {
  const byKey = Object.fromEntries(requests.map(({ key, ...request }) => [key, request]));
  const values = [JSON.stringify(byKey), holder];
  const { rows } = await pool.query<Granted & { key: string }>(statement, values);
  return new Map(rows.map(({ key, ...granted }) => [key, granted]));
}

/**
 * Each row is locked and its latest version is read when it is changed, so processes never grant
 * the same call. In the order of keys, so that two statements cannot wait for each other. `used` is
 * what is left of earlier calls: they are refilled evenly.
 */
const statement = `
  insert into call_counts as counts (key, taken, taken_at, granted, holders)
  select key, least(tokens, "perMinute"), ${clockText}, least(tokens, "perMinute"),
    case when least(held + permits, "atOnce") > 0
      then jsonb_build_object($2::text, jsonb_build_array(least(held + permits, "atOnce"), ${clockText}))
      else '{}' end
  from jsonb_each($1::text::jsonb) as asked (key, request),
    jsonb_to_record(request) as r ("perMinute" int, "atOnce" int, tokens int, held int, permits int)
  order by key
  on conflict (key) do update set (taken, taken_at, granted, holders) = (
    select used.calls + grants.tokens, now.ms, grants.tokens,
      case when grants.permits > 0
        then others.holders || jsonb_build_object($2::text, jsonb_build_array(grants.permits, now.ms))
        else others.holders end
    from
      jsonb_to_record($1::text::jsonb -> counts.key)
        as r ("perMinute" int, "atOnce" int, tokens int, held int, permits int),
      lateral (select ${clockText} as ms) as now,
      lateral (select case when r."perMinute" = 0 then 0 else greatest(0,
        least(counts.taken, r."perMinute")
          - greatest(0, now.ms - counts.taken_at) * r."perMinute" / 60000.0) end as calls) as used,
      lateral (
        select coalesce(jsonb_object_agg(key, value), '{}') as holders,
          coalesce(sum((value ->> 0)::int), 0) as calls
        from jsonb_each(counts.holders)
        where key <> $2::text and (value ->> 1)::bigint > now.ms - ${deadAfterMs}) as others,
      lateral (select
        floor(greatest(0, least(r.tokens, r."perMinute" - used.calls)))::int as tokens,
        case when r."atOnce" = 0 then 0
          else greatest(r.held, least(r.held + r.permits, r."atOnce" - others.calls)) end::int
          as permits) as grants)
  returning key, granted as tokens, coalesce((holders -> $2::text ->> 0)::int, 0) as permits, taken`;
