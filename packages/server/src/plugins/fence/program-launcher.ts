/**
 * The program that starts programs of others in a fence. The hub starts itself with a hidden command,
 * which loads this file; a program that runs from its sources starts this file.
 */
import { serveLauncher } from "./serve-launcher.ts";

serveLauncher(process.env);
