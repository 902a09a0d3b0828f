/** A command cannot be carried out; the message says why. */
export class Refusal extends Error {
  override name = 'Refusal';
}
