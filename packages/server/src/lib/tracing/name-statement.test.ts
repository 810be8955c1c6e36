import { expect, test } from "bun:test";
import { nameStatement } from "./name-statement.ts";

test("A statement is named by its kind and its main table", () => {
  const names = (text: string) => {
    const { operation, table } = nameStatement(text);
    return table === null ? operation : `${operation} ${table}`;
  };
  expect(names("select value from revision")).toBe("SELECT revision");
  expect(names('select "id" from "users" where "id" = $1')).toBe("SELECT users");
  expect(names('insert into "connector_runs" ("id") values (?)')).toBe("INSERT connector_runs");
  expect(names('update "users" set "name" = ?')).toBe("UPDATE users");
  expect(names('delete from "sessions"')).toBe("DELETE sessions");
  expect(names("  with made as (insert into connector_runs select 1) select 1")).toBe(
    "INSERT connector_runs",
  );
  expect(names("with found as (select 1 from rows) select * from found")).toBe("SELECT rows");
  const nested = "select (select count(*) from tags where (a = b)) from users where id = ?";
  expect(names(nested)).toBe("SELECT users");
  expect(names("select (select 1 from tags)")).toBe("SELECT tags");
  expect(names("begin isolation level serializable read write")).toBe("BEGIN");
  expect(names("select pg_database_size(current_database())")).toBe("SELECT");
  expect(names("create table secret (id text)")).toBe("OTHER");
  expect(names("")).toBe("OTHER");
});

test("A value that stands in a statement is not part of its name", () => {
  const name = nameStatement("select name from users where email = 'from hunter2'");
  expect(name).toEqual({ operation: "SELECT", table: "users" });
});

test("The names of any number of statements take bounded memory and time", () => {
  for (let index = 0; index < 3_000; index += 1) nameStatement(`select ${index} from users`);
  const huge = `select ${"from ".repeat(1_000_000)}`;
  expect(nameStatement(huge).operation).toBe("SELECT");
});
