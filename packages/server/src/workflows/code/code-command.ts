/** The hidden command of the program that runs scripts of code nodes. */
export const codeCommand = "code-process";
