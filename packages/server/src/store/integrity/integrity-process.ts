/** Checks the database that the last argument names, and prints its faults as JSON. See `check-integrity.ts`. */
import { listFaults } from "./list-faults.ts";

const path = process.argv.at(-1) ?? "";
process.stdout.write(JSON.stringify(listFaults(path)));
