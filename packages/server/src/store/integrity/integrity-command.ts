/** The hidden command of the program that checks a database. */
export const integrityCommand = "check-integrity";
