/** The hidden command of the program that fences itself and then becomes another program. */
export const launcherCommand = "program-launcher";
