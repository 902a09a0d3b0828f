import type { StreamRules } from '../delivery/delivery-mode.ts';
import { refuseUnsigned, signatureRequired } from '../delivery/delivery-mode.ts';
import type { Wanted } from '../delivery/file-access.ts';
import type { DeliveryRequest } from '../delivery/url.ts';
import { forbidden, type HttpProblem } from '../errors.ts';
import { isWithin, ROOT, type StoragePath } from '../path.ts';
import { innerFolded, privateIndexOf } from './private-index.ts';
import type { SpaceRegistry } from './registry.ts';
import { createRoot } from './rooted/root.ts';
import { foldPath, type Space, type SpaceRules } from './space.ts';

/** The rules that decide which files are delivered to everyone. */
export interface DeliveryRules {
  /** True while no rule withholds anything. */
  readonly isOpen: boolean;
  /** Returns the refusal of a request without a signature, a key or a session; undefined if everyone may have it. */
  refusalOf(path: StoragePath, wanted: Wanted, requested: DeliveryRequest | undefined): HttpProblem | undefined;
  /** As `refusalOf`, for the stored bytes of everything below a folder. */
  refusalOfFolder(folder: StoragePath): HttpProblem | undefined;
  /**
   * Returns the refusal of any request without a key or a session, also of a signed one: that of a disabled space. It
   * comes before all others.
   */
  refusalIfDisabled(path: StoragePath): HttpProblem | undefined;
  /** As `refusalIfDisabled`, for files, and for folders with everything below them. */
  refusalIfAnyDisabled(paths: readonly StoragePath[]): HttpProblem | undefined;
}

/**
 * Creates the rules of the library, or those of one space, whose paths are relative to it.
 * @param limits those of the library
 */
export function createDeliveryRules(registry: SpaceRegistry, limits: StreamRules, own?: Space): DeliveryRules {
  const toOuter = own ? createRoot(own.folder).toOuter : (path: StoragePath) => path;
  const refuseDisabled = (spaces: readonly (Space | undefined)[]) =>
    spaces.some((space) => space?.isEnabled === false)
      ? forbidden('The space of this file is disabled.', 'space_disabled')
      : undefined;
  const refusalIfAnyDisabled = (paths: readonly StoragePath[]) => refuseDisabled(registry.touching(paths.map(toOuter)));
  return {
    get isOpen() {
      return registry.size === 0 && isHarmless(registry.library().rules);
    },
    refusalOf(path, wanted, requested) {
      const outer = foldPath(toOuter(path));
      const space = registry.containing(outer);
      const disabled = refuseDisabled([space]);
      if (disabled) return disabled;
      if (withholds(registry.library(), outer, wanted)) return signatureRequired();
      if (!space) return undefined;
      if (withholds(space, outer, wanted)) return signatureRequired();
      // Inside the space its mode has been applied already.
      return space.id === own?.id ? undefined : refuseByMode(space, requested, limits);
    },
    refusalOfFolder(folder) {
      const disabled = refusalIfAnyDisabled([folder]);
      if (disabled) return disabled;
      const outer = foldPath(toOuter(folder));
      if (withholdsBelow(registry.library(), outer)) return signatureRequired();
      const isAffected = (space: Space) =>
        withholdsBelow(space, outer) || (space.id !== own?.id && space.rules.delivery === 'signed');
      return registry.touching([outer]).some(isAffected) ? signatureRequired() : undefined;
    },
    refusalIfDisabled: (path) => refuseDisabled([registry.containing(toOuter(path))]),
    refusalIfAnyDisabled,
  };
}

function isHarmless({ originals, privateFolders = [] }: SpaceRules): boolean {
  return originals !== 'protected' && privateFolders.length === 0;
}

/** @param outer folded, in the space */
function withholds(space: Space, outer: StoragePath, wanted: Wanted): boolean {
  if (wanted === 'original' && space.rules.originals === 'protected') return true;
  return privateIndexOf(space.rules).contains(innerFolded(space, outer));
}

/** True if a space withholds anything of a folder. @param outer folded, in the space or above it */
function withholdsBelow(space: Space, outer: StoragePath): boolean {
  const { rules } = space;
  if (rules.originals === 'protected') return true;
  const index = privateIndexOf(rules);
  const inner = isWithin(outer, foldPath(space.folder)) ? innerFolded(space, outer) : ROOT;
  return index.contains(inner) || index.isAtOrAbove(inner);
}

/** From the library, everyone only gets what the mode of the space gives everyone. */
function refuseByMode(
  { rules }: Space,
  requested: DeliveryRequest | undefined,
  limits: StreamRules,
): HttpProblem | undefined {
  const { delivery = 'open', presets } = rules;
  if (delivery === 'open' || !requested) return delivery === 'signed' ? signatureRequired() : undefined;
  const refusal = refuseUnsigned(requested, delivery, { ...limits, ...(presets && { presets }) });
  return refusal && signatureRequired();
}
