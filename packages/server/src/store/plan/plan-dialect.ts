import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from "kysely";

/** A statement with its values, ready to run. */
export type PreparedStatement = Pick<CompiledQuery, "sql" | "parameters">;

type PlanDialectDeps = {
  dialect: Dialect;
  /** Makes a private copy of a table, which later statements of the connection use in its place. */
  copyTable(connection: DatabaseConnection, table: string): Promise<void>;
  /** Gets each writing statement, in order. */
  statements: PreparedStatement[];
};

/**
 * The dialect of a plan. Before the first write to a table, the connection gets a private copy of it.
 * So every write changes copies only, is visible to later reads of the plan, and is recorded.
 */
export function createPlanDialect({ dialect, copyTable, statements }: PlanDialectDeps): Dialect {
  return {
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createDriver: () => createDriver(dialect.createDriver()),
  };

  function createDriver(driver: Driver): Driver {
    const inner = new WeakMap<DatabaseConnection, DatabaseConnection>();
    const toInner = (connection: DatabaseConnection) => inner.get(connection) ?? connection;
    return {
      init: () => driver.init(),
      async acquireConnection() {
        const connection = await driver.acquireConnection();
        const recording = createConnection(connection);
        inner.set(recording, connection);
        return recording;
      },
      beginTransaction: (connection, settings) =>
        driver.beginTransaction(toInner(connection), settings),
      commitTransaction: () => Promise.reject(new Error("A plan is never committed.")),
      rollbackTransaction: (connection) => driver.rollbackTransaction(toInner(connection)),
      releaseConnection: (connection) => driver.releaseConnection(toInner(connection)),
      destroy: () => driver.destroy(),
    };
  }

  function createConnection(connection: DatabaseConnection): DatabaseConnection {
    const copied = new Set<string>();
    const marked = new Map<string, { table: string | null; text: string }>();

    async function prepare(sql: string): Promise<{ table: string | null; text: string }> {
      const known = marked.get(sql);
      if (known !== undefined) return known;
      const table = findWrittenTable(sql);
      if (table !== null && !copied.has(table)) {
        await copyTable(connection, table);
        copied.add(table);
        marked.clear();
      }
      const made = { table, text: markCopies(sql, copied) };
      marked.set(sql, made);
      return made;
    }

    return {
      async executeQuery<R>(query: CompiledQuery) {
        const { table, text } = await prepare(query.sql);
        if (table !== null) statements.push({ sql: query.sql, parameters: query.parameters });
        return await connection.executeQuery<R>({ ...query, sql: text });
      },
      streamQuery() {
        throw new Error("The store does not stream: ask for a page.");
      },
    };
  }
}

/**
 * PostgreSQL would go on with the table of the database in a statement that was prepared before the copy was
 * made. With other copies it is another text, so it is prepared again.
 */
function markCopies(text: string, copied: ReadonlySet<string>): string {
  return copied.size === 0 ? text : `${text} -- copies: ${[...copied].join(", ")}`;
}

/** The table that a statement writes; null for a read. Throws for another statement. */
export function findWrittenTable(text: string): string | null {
  const written = /^\s*(?:insert\s+into|update|delete\s+from)\s+"?(\w+)"?/i.exec(text)?.[1];
  if (written !== undefined) return written;
  const isRead = /^\s*(?:select|with)\b/i.test(text);
  if (isRead && !/\b(?:insert\s+into|delete\s+from|update\s+"?\w+"?\s+set)\b/i.test(text)) {
    return null;
  }
  throw new Error("A plan runs only statements that read, or that write one table that they name.");
}
