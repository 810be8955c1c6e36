/** The script as text: it runs in browsers only. */
declare const text: string;
export default text;
