import { FormatLimitExceeded, LimitExceeded, UndecodableImage } from './decode.ts';

/** Why a picture cannot be rendered. It is a result, not an error of the service. */
export type ImageFailure =
  | { outcome: 'undecodable'; reason: string }
  | { outcome: 'limit exceeded'; reason: string }
  | { outcome: 'format limit exceeded'; reason: string };

/** Runs work on a picture and turns what is wrong with the picture into a result. */
export async function resultOf<T>(work: () => Promise<T>): Promise<T | ImageFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UndecodableImage) return { outcome: 'undecodable', reason: error.message };
    if (error instanceof FormatLimitExceeded) return { outcome: 'format limit exceeded', reason: error.message };
    if (error instanceof LimitExceeded) return { outcome: 'limit exceeded', reason: error.message };
    throw error;
  }
}
