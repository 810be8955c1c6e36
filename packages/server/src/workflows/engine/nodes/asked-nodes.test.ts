/** With SQLite. `test/oracles/postgres-workflows.test.ts` runs the same suites with PostgreSQL. */
import "./asked-kills.testsuite.ts";
import "./asked-node.testsuite.ts";
