/** The job cannot be done, and trying again would end the same way. */
export class FinalFailure extends Error {
  override name = 'FinalFailure';
}

/** The server is to blame, not the video: the job waits until it passes. */
export class ServerTrouble extends Error {
  override name = 'ServerTrouble';
}
