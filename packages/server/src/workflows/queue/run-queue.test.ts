/** With SQLite, the look of each process into the table is the queue. */
import { testRunQueue } from "./run-queue.testsuite.ts";

testRunQueue();
