/** A target was not told. The message is for the operator, and has no secret in it. */
export class DeliveryFailure extends Error {
  override name = 'DeliveryFailure';
  /** How long the target wants to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
