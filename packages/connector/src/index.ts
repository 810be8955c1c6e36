export { findNumberText, type Json, parseJson, toJsonText } from "./json.ts";
