/** Time for which a code of an authenticator app stands, in ms. */
export const STEP_MS = 30_000;

const currentStep = () => Math.floor(Date.now() / STEP_MS);

/**
 * Sends the code of the step before the present one, and again if it was refused because another step has begun
 * meanwhile.
 * @param send makes the code and sends it
 */
export async function inOneStep<Answer extends { status: number }>(send: () => Promise<Answer>): Promise<Answer> {
  const step = currentStep();
  const answer = await send();
  return answer.status === 401 && currentStep() !== step ? send() : answer;
}
