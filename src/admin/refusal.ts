/** Failure of a command; the message gives the reason. */
export class Refusal extends Error {
  override name = 'Refusal';
}
