import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";

/** The database of a trial, beside its servers. */
export type TrialDatabase = AsyncDisposable & {
  query<Row>(statement: string): Promise<Row[]>;
};

export function openSqliteDatabase(dataDir: string): TrialDatabase {
  const database = new Database(join(dataDir, "hub.sqlite"), { readwrite: true });
  database.run("pragma busy_timeout = 30000");
  return {
    // The caller names the columns of its own statement.
    query: async <Row>(statement: string) => database.query(statement).all() as Row[],
    [Symbol.asyncDispose]: async () => database.close(),
  };
}

export function openPostgresDatabase(url: string): TrialDatabase {
  const database = new SQL({ url, max: 2 });
  return {
    query: async <Row>(statement: string) => [...(await database.unsafe(statement))] as Row[],
    [Symbol.asyncDispose]: () => database.close(),
  };
}

const isChanged = (distinct: string) => `old.ended_at is not null and (new.state <> old.state
  or new.started_at <> old.started_at or new.output ${distinct} old.output)`;

/** Records each committed step that is stored again as another one, and who writes steps of a run with a lease. */
export const watchOnSqlite = [
  "create table trial_repeats (step text)",
  `create trigger trial_steps after update on workflow_steps when ${isChanged("is not")} begin
     insert into trial_repeats values (new.run_id || '/' || new.node_id || '/' || new.item); end`,
];
export const watchOnPostgres = [
  "create table trial_repeats (step text)",
  "create table trial_writers (name text, lease text, primary key (name, lease))",
  `create function trial_note() returns trigger language plpgsql as $$ begin
     insert into trial_writers select current_setting('application_name'), lease_instance
       from workflow_runs where id = new.run_id and lease_instance is not null on conflict do nothing;
     if tg_op = 'UPDATE' and ${isChanged("is distinct from")} then
       insert into trial_repeats values (new.run_id || '/' || new.node_id || '/' || new.item);
     end if;
     return new; end $$`,
  `create trigger trial_steps after insert or update on workflow_steps
     for each row execute function trial_note()`,
];
