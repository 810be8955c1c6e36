/**
 * Secrets below this are weak. With 10,000 guesses an hour, 60 bits take longer than the universe is
 * old, and a list of common passwords takes hours.
 */
export const strongBitsMin = 60;

/** More characters do not make a strong secret weak. */
const charsMax = 512;

/**
 * Estimates how hard a secret is to guess, in bits: the base-2 logarithm of the guesses. The estimate
 * is low rather than high: it reads the secret as people make passwords, of words, dates, repetitions and
 * rows of keys, and only what is none of them counts as random.
 */
export function estimateBits(secret: string): number {
  const text = secret.trim().slice(0, charsMax);
  // A part that everyone knows hides nothing.
  const hidden = findHiddenPart(text);
  return Math.min(estimateText(hidden), ...listDecoded(hidden).map(estimateText));
}

/** Whether people or programs could guess a secret. An empty text is no secret. */
export function isWeakSecret(secret: string): boolean {
  return secret.trim() !== "" && estimateBits(secret) < strongBitsMin;
}

/** Of an address, what its readers do not know: its password, or what follows the host. */
function findHiddenPart(text: string): string {
  const [, user, rest] = /^[a-z][a-z0-9+.-]*:\/\/(?:([^/?#]*)@)?[^/?#]*(.*)$/is.exec(text) ?? [];
  if (rest === undefined) return text;
  return user === undefined ? rest : user.slice(user.indexOf(":") + 1);
}

/** Base64 and hex of a readable text are no harder to guess than that text. */
function listDecoded(text: string): string[] {
  const forms: Buffer[] = [];
  if (/^[A-Za-z0-9+/_-]{6,}={0,2}$/.test(text)) forms.push(Buffer.from(text, "base64"));
  if (/^(?:[0-9a-f]{2}){4,}$/i.test(text)) forms.push(Buffer.from(text, "hex"));
  return forms
    .map((bytes) => bytes.toString("latin1"))
    .filter((decoded) => /^[\x20-\x7e]{4,}$/.test(decoded));
}

function estimateText(text: string): number {
  const { length } = text;
  if (length === 0) return 0;
  const period = findPeriod(text);
  if (period < length) return estimateText(text.slice(0, period)) + Math.log2(length / period);
  const kinds = new Set(text).size;
  const bits = sumPieces(text);
  if (kinds * 2 > length) return bits;
  // Of few different characters there are few texts. The factor is for random texts, which by chance
  // lack some characters of their alphabet.
  return Math.min(length * Math.log2(Math.max(2, kinds)) * 1.3, bits);
}

/** The length of the beginning that the whole text repeats; the text's length if there is none. */
function findPeriod(text: string): number {
  const { length } = text;
  for (let period = 1; period <= length / 2; period += 1) {
    if (text.startsWith(text.slice(0, length - period), period)) return period;
  }
  return length;
}

/** A piece of a password and its bits. */
type Piece = { end: number; bits: number };

function sumPieces(text: string): number {
  const charBits = Math.log2(countAlphabet(text));
  const plain = unleet(text);
  // The letters and digits of a hex key form words and years by chance.
  const isHex = /^(?=.*\d)(?=.*[a-f])[\da-f]{16,}$/i.test(text);
  const seen = new Set<string>();
  let bits = 0;
  for (let at = 0; at < text.length; ) {
    const piece =
      findSequence(text, at) ??
      (isHex ? null : (findDate(text, at) ?? findWord(plain, at, seen) ?? findJoint(text, at)));
    bits += piece?.bits ?? charBits;
    at = piece?.end ?? at + 1;
  }
  return bits;
}

const jointBits = 2;

/** A sign that people put between words. */
function findJoint(text: string, at: number): Piece | null {
  return /[\s._:/-]/.test(text[at] ?? "") ? { end: at + 1, bits: jointBits } : null;
}

/** The size of the alphabet that the whole text seems to be drawn from. */
function countAlphabet(text: string): number {
  if (/^[\d\s.:-]*$/.test(text)) return 10;
  if (/^[\da-f:\s-]*$/.test(text) || /^[\dA-F:\s-]*$/.test(text)) return 16;
  const has = (kind: RegExp, size: number) => (kind.test(text) ? size : 0);
  return has(/[a-z]/, 26) + has(/[A-Z]/, 26) + has(/\d/, 10) + has(/[^A-Za-z\d]/, 16);
}

const leet: Readonly<Record<string, string>> = {
  "@": "a",
  "4": "a",
  "8": "b",
  "3": "e",
  "1": "i",
  "!": "i",
  "0": "o",
  $: "s",
  "5": "s",
  "7": "t",
};

/** Reads digits and signs between letters as the letters that they often stand for. */
function unleet(text: string): string {
  return text.replace(/(?<=[A-Za-z])[@4831!0$57](?=[A-Za-z])/g, (sign) => leet[sign] ?? sign);
}

/** The order of the alphabet, of digits and of the keys of a keyboard. */
const orders = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890",
  "qwertyuiop",
  "qwertzuiop",
  "azertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
  "!@#$%^&*()",
].flatMap((order) => [order, [...order].reverse().join("")]);

const sequenceBits = 6;

/** `aaaa`, `1234`, `fedc` or `qwer`, in any case, of at least four characters. */
function findSequence(text: string, at: number): Piece | null {
  const lower = text.toLowerCase();
  const first = lower[at] ?? "";
  let end = at + 1;
  while (end < lower.length && lower[end] === first) end += 1;
  for (const order of orders) {
    let length = 0;
    while (at + length < lower.length && order.includes(lower.slice(at, at + length + 1))) {
      length += 1;
    }
    end = Math.max(end, at + length);
  }
  return end - at < 4 ? null : { end, bits: sequenceBits + Math.log2(end - at) };
}

const yearBits = 7;
const dayBits = 9;

/** A year of these times, or a day with its year: `2024`, `20240131`, `31.1.2024`. */
function findDate(text: string, at: number): Piece | null {
  if (/\d/.test(text[at - 1] ?? "")) return null;
  const rest = text.slice(at, at + 12);
  const day =
    /^(?:(?:19|20)\d\d([-./]?)[01]?\d\1[0-3]?\d|[0-3]?\d([-./]?)[01]?\d\2(?:19|20)\d\d)(?!\d)/.exec(
      rest,
    );
  if (day !== null) return { end: at + day[0].length, bits: yearBits + dayBits };
  const year = /^(?:19|20)\d\d(?!\d)/.exec(rest);
  return year === null ? null : { end: at + 4, bits: yearBits };
}

/** Of a word, each letter tells much about the next one. */
const wordLetterBits = 2;
/** Three or four letters that look like a word often are none. */
const shortWordLetterBits = 3.5;
const knownWordBits = 3;
const repeatedWordBits = 1;

/** Names that stand in many passwords. */
const knownWords = new Set(
  "admin administrator root user guest test demo dev prod staging default login pass password passwort passwd secret changeme letmein welcome postgres postgresql mysql mariadb mongo mongodb redis rabbitmq oracle sqlserver grafana jenkins gitlab github docker kubernetes server database localhost example company bearer token apikey key api hub master super system backup monitor service http https www com org net".split(
    " ",
  ),
);

/** A word, a name or a syllable, in lower case, upper case or with a capital. */
function findWord(text: string, at: number, seen: Set<string>): Piece | null {
  const [found] = /^(?:[A-Z]?[a-z]+|[A-Z]+|[\u0080-\uffff]+)/.exec(text.slice(at)) ?? [""];
  if (found.length < 3) return null;
  const word = found.toLowerCase();
  const end = at + found.length;
  if (seen.has(word)) return { end, bits: repeatedWordBits };
  if (!isWordlike(word)) return null;
  seen.add(word);
  if (knownWords.has(word)) return { end, bits: knownWordBits };
  // A capital that does not begin the word, or all capitals, is one more choice.
  const letterBits = word.length < 5 ? shortWordLetterBits : wordLetterBits;
  return { end, bits: letterBits * word.length + (found === word ? 0 : 1) };
}

/** The pairs of letters that most words of European languages are made of. */
const commonPairs = new Set(
  "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag do mm ap sp ck ei da ga ja ka ko ku ki sc au ue lu bo ba bi bu go gu cr cu dr du ff fl gr hu jo ju kr lt nk nn ob od pi pp pu qu rd rk rl rm rn rr ru sk sl sm sn sw tt tw ub uc ud ue um up va vo xi ye yo za ze zi zo ov aw aj ak av ax az eg ek eo ep eq eu ew ey ez oa oc oi ok ox oy if ip iz ix ik ug uf uk ux bb br by cc cy dg dl dn dw dy eb fy gg gi gl gn gs gy hn hy ib kn ks ky lf lk lm lp ls lv ms my nf nj ny oj oz ph ps py rb rc rf rg rv sq sy sz tc wn wr ws xt yi yl ym yn yp ys zy zz".split(
    " ",
  ),
);

/** Short words are hard to tell from chance, so they must consist of common pairs alone. */
function isWordlike(word: string): boolean {
  if (/[^a-z]/.test(word)) return true;
  let common = 0;
  for (let at = 0; at + 1 < word.length; at += 1) {
    if (commonPairs.has(word.slice(at, at + 2))) common += 1;
  }
  const share = common / (word.length - 1);
  return word.length < 5 ? share === 1 : share >= 0.75;
}
