/** A permanent failure: a retry would end the same way. */
export class FinalFailure extends Error {
  override name = 'FinalFailure';
}

/** A transient failure of the server, not of the video: the job is deferred. */
export class ServerTrouble extends Error {
  override name = 'ServerTrouble';
}
