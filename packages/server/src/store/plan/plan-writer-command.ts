/** The hidden command of the program that stores a plan. */
export const planWriterCommand = "store-plan";
