/** The hidden command of the program that ends plugins when the hub dies, where there is no shell. */
export const watchdogCommand = "plugin-watchdog";
