/** With SQLite. `test/oracles/postgres-workflows.test.ts` runs the same suite with PostgreSQL. */
import "./approvals.testsuite.ts";
