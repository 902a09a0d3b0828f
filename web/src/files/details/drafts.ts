import { useEffect } from 'react';
import { sessionQuery } from '../../api/account.ts';
import { root } from '../../api/base.ts';
import { filesChanged } from '../../api/batch.ts';
import { ApiError } from '../../api/error.ts';
import { assetQuery, updateMetadata } from '../../api/files.ts';
import { nameOf } from '../../api/paths.ts';
import { queryClient } from '../../api/query-client.ts';
import type { Asset } from '../../api/types.ts';
import { listenable } from '../../components/listenable.ts';
import { toast } from '../../components/toasts.tsx';
import { messages } from '../../messages/en.ts';
import { metadataMessages } from '../../messages/metadata.ts';
import { sayDone, undoable } from '../actions/undo.ts';
import {
  changesOf,
  conflictsOf,
  type Edits,
  type Field,
  isEmpty,
  leftOf,
  metadataOf,
  rebase,
  storedOf,
  wordsOf,
} from './words.ts';

/** Texts of a file that are not saved yet, and the result of the last save. */
export interface Draft {
  path: string;
  /** Record that the texts belong to. */
  base: Asset;
  edits: Edits;
  state: 'changed' | 'saving' | 'saved' | 'failed' | 'conflict';
  /** True if texts were left while a save was in progress. */
  isDue?: boolean;
  /** Of a failed save. */
  error?: unknown;
  /** Of a conflict: the record as another client has changed it, and the fields to decide about. */
  theirs?: Asset;
  conflicts?: readonly Field[];
  /** Undoes the last save, or redoes it. */
  undo?: () => void;
  isUndone?: boolean;
}

/** They outlive the panel: closing it saves them, and a failed save keeps them. */
const drafts = new Map<string, Draft>();
const listeners = listenable();
/** Paths whose form is mounted. */
const shown = new Set<string>();
let openDetails: (path: string) => void = () => undefined;

function put(draft: Draft): void {
  drafts.set(draft.path, draft);
  changed();
}

/** Drops the texts of a file. */
export function forget(path: string): void {
  drafts.delete(path);
  changed();
}

function changed(): void {
  store();
  listeners.notify();
}

/** The draft of a file; undefined without unsaved texts. @param open shows the details of a file */
export function useDraft(path: string, open: (path: string) => void): Draft | undefined {
  useEffect(() => {
    openDetails = open;
  }, [open]);
  useEffect(() => {
    shown.add(path);
    return () => {
      shown.delete(path);
      void save(path);
      const { state } = drafts.get(path) ?? {};
      if (state === 'saved') forget(path);
      if (state === 'conflict') sayConflict(path);
    };
  }, [path]);
  return listeners.use(() => drafts.get(path));
}

/** Stores typed texts until they are saved. */
export function edit(asset: Asset, edits: Edits): void {
  const known = drafts.get(asset.path);
  if (known === undefined || known.state === 'saved')
    put({ path: asset.path, base: asset, edits: { ...known?.edits, ...edits }, state: 'changed' });
  else put({ ...known, edits: { ...known.edits, ...edits } });
}

/** Saves the texts of a file, if there are any. Never rejects: a failed save stays in the draft. */
export async function save(path: string, isUndo = false): Promise<void> {
  const draft = drafts.get(path);
  if (draft === undefined || draft.state === 'conflict') return;
  if (draft.state === 'saving') return put({ ...draft, isDue: true });
  if (isEmpty(changesOf(wordsOf(draft.base), draft.edits))) {
    if (draft.state !== 'saved') forget(path);
    return;
  }
  put({ ...draft, state: 'saving', isDue: false, error: undefined });
  try {
    const saved = await write(draft);
    queryClient.setQueryData(assetQuery(path).queryKey, saved.asset);
    finish(draft.edits, saved, isUndo);
    filesChanged();
  } catch (error) {
    if (error instanceof Conflict) stop(path, { state: 'conflict', theirs: error.theirs, conflicts: error.fields });
    else stop(path, { state: 'failed', error });
  }
}

class Conflict extends Error {
  readonly theirs: Asset;
  readonly fields: readonly Field[];

  constructor(theirs: Asset, fields: readonly Field[]) {
    super(metadataMessages.conflict);
    this.theirs = theirs;
    this.fields = fields;
  }
}

interface Saved {
  asset: Asset;
  /** Stored texts of the changed fields before. */
  before: Edits;
}

/** Clients that change one file at the same time are few. */
const MAX_ATTEMPTS = 4;

/** Writes the texts. Changes of other clients are retained, unless they concern the same texts. @throws Conflict */
async function write({ path, base, edits }: Draft): Promise<Saved> {
  let asset = base;
  let rest = edits;
  for (let attempt = 1; ; attempt++) {
    const stored = wordsOf(asset);
    const changes = changesOf(stored, rest);
    if (isEmpty(changes)) return { asset, before: {} };
    try {
      const changed = await updateMetadata(path, asset.revision, metadataOf(changes));
      return { asset: changed, before: storedOf(stored, changes) };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412 || attempt === MAX_ATTEMPTS) throw error;
    }
    asset = await queryClient.fetchQuery({ ...assetQuery(path), staleTime: 0 });
    const theirs = wordsOf(asset);
    const fields = conflictsOf(stored, theirs, changes);
    if (fields.length > 0) throw new Conflict(asset, fields);
    rest = rebase(stored, theirs, changes);
  }
}

function finish(sent: Edits, { asset, before }: Saved, isUndo: boolean): void {
  const { path } = asset;
  const draft = drafts.get(path);
  const left = leftOf(draft?.edits ?? {}, sent);
  // They were typed before the tags of other clients were known.
  const edits = draft ? rebase({ ...wordsOf(draft.base), ...sent }, wordsOf(asset), left) : left;
  const takeBack = () => {
    edit(asset, before);
    void save(path, !isUndo);
  };
  const isShown = shown.has(path);
  const hasChanged = !isEmpty(before);
  const undo = hasChanged && isShown ? undoable(takeBack) : undefined;
  if (isEmpty(edits)) put({ path, base: asset, edits, state: 'saved', isUndone: isUndo, ...(undo && { undo }) });
  else put({ path, base: asset, edits, state: 'changed' });
  if (draft?.isDue) void save(path);
  if (isShown) return;
  if (hasChanged) sayDone(metadataMessages.savedOf(nameOf(path)), takeBack);
  if (isEmpty(edits)) forget(path);
}

function stop(path: string, reason: Partial<Draft> & Pick<Draft, 'state'>): void {
  const draft = drafts.get(path);
  if (draft === undefined) return;
  put({ ...draft, ...reason });
  // The panel says that the file is gone.
  if (reason.error instanceof ApiError && reason.error.status === 404)
    void queryClient.invalidateQueries({ queryKey: assetQuery(path).queryKey });
  if (shown.has(path)) return;
  if (reason.state === 'conflict') sayConflict(path);
  else toast(metadataMessages.notSavedOf(nameOf(path)), { label: messages.states.retry, run: () => void save(path) });
}

function sayConflict(path: string): void {
  const show = { label: metadataMessages.show, run: () => openDetails(path) };
  toast(metadataMessages.conflictOf(nameOf(path)), show);
}

/** Decides about a text that another client has changed too. The last decision saves. */
export function decide(path: string, field: Field, isMine: boolean): void {
  const draft = drafts.get(path);
  if (draft?.theirs === undefined) return;
  const { theirs, base, conflicts = [], ...rest } = draft;
  const edits = { ...draft.edits };
  if (!isMine) delete edits[field];
  const left = conflicts.filter((one) => one !== field);
  if (left.length > 0) {
    put({ ...draft, edits, conflicts: left });
    return;
  }
  queryClient.setQueryData(assetQuery(path).queryKey, theirs);
  put({ ...rest, base: theirs, edits: rebase(wordsOf(base), wordsOf(theirs), edits), state: 'changed' });
  void save(path);
}

/** Storage of this tab, so that a reload loses no text. Others who sign in here do not get it. */
const stored = () => `darkroom-drafts ${root} ${queryClient.getQueryData(sessionQuery.queryKey)?.user.email ?? ''}`;

const isUnsaved = ({ base, edits }: Draft) => !isEmpty(changesOf(wordsOf(base), edits));

function store(): void {
  try {
    const unsaved = Array.from(drafts.values()).filter(isUnsaved);
    if (unsaved.length === 0) sessionStorage.removeItem(stored());
    else sessionStorage.setItem(stored(), JSON.stringify(unsaved.map(({ base, edits }) => ({ base, edits }))));
  } catch {
    // Without storage the texts last as long as the page.
  }
}

/** Saves what an earlier page of this tab could not save. */
function restore(): void {
  try {
    const unsaved: { base: Asset; edits: Edits }[] = JSON.parse(sessionStorage.getItem(stored()) ?? '[]');
    for (const { base, edits } of unsaved.filter(({ base }) => !drafts.has(base.path))) {
      edit(base, edits);
      void save(base.path);
    }
  } catch {
    // Nothing was stored.
  }
}

/** True if a retry cannot help: the file is gone, or may not be changed any more. */
const isFinal = ({ state, error }: Draft) => state === 'failed' && error instanceof ApiError && !error.isPassing;

function saveAll(): void {
  for (const draft of [...drafts.values()]) if (!isFinal(draft)) void save(draft.path);
}

addEventListener('online', saveAll);
addEventListener('pagehide', saveAll);
document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && saveAll());
addEventListener('beforeunload', (event) => {
  if (Array.from(drafts.values()).some(({ state }) => state === 'failed' || state === 'conflict'))
    event.preventDefault();
});
queryClient.ensureQueryData(sessionQuery).then(restore, () => undefined);
