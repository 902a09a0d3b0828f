import { storedChoice } from '../../components/stored-choice.ts';

/** The last choice of renames and moves: previous URLs keep working, or end. Drags and pastes ask nothing and follow it. */
export const oldUrls = storedChoice<'kept' | 'ended'>('darkroom-old-urls', ['kept', 'ended']);

export const keepsOldUrls = (): boolean => oldUrls.get() === 'kept';
