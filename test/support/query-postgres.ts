// Runs one statement on PostgreSQL and prints its rows as JSON: bun query-postgres.ts URL STATEMENT
import { SQL } from "bun";

const [url = "", statement = ""] = process.argv.slice(2);
await using database = new SQL({ url, max: 1, bigint: true });
const rows = await database.unsafe(statement);
const toNumber = (_key: string, value: unknown) =>
  typeof value === "bigint" ? Number(value) : value;
console.log(JSON.stringify([...rows], toNumber));
