/** Why an operation of a document cannot be used: a sentence. */
export class LeftOut extends Error {
  override readonly name = "LeftOut";
}
