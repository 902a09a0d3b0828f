import { nameOf } from '../../api/paths.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { Icon } from '../../components/icon.tsx';
import { messages } from '../../messages/en.ts';
import { readLayer } from '../layered.ts';
import { readParts } from '../parts.ts';
import { type LocatedProblem, listOf } from '../problem.ts';
import type { Listing } from '../segment.ts';
import { LayerForm } from './layer-form.tsx';

/** Action on a layer. */
export type LayerAction = 'up' | 'down' | 'duplicate' | 'remove';

interface LayerRowProps {
  source: Asset;
  listing: Listing;
  written: string;
  index: number;
  count: number;
  /** Id prefix of its controls. */
  id: string;
  isOpen: boolean;
  problem: LocatedProblem | undefined;
  onToggle(): void;
  onAction(action: LayerAction): void;
  onChange(written: string): void;
}

/** Layer with its actions, and its form when open. */
export function LayerRow({ index, count, id, isOpen, problem, onToggle, onAction, ...rest }: LayerRowProps) {
  const { written, listing } = rest;
  const { icon, title } = faceOf(written);
  const isAtField = problem?.key !== undefined && isOpen && isListed(written, problem.key, listing);
  const said = isAtField ? undefined : problem?.text;
  return (
    <li className="layer">
      <fieldset>
        <legend className="unseen">{messages.layers.layer(index + 1, title)}</legend>
        <div className="layer-head">
          <button
            type="button"
            id={id}
            className="layer-title"
            aria-expanded={isOpen}
            aria-describedby={said && `${id}-problem`}
            onClick={onToggle}
          >
            <Icon name={icon} />
            <span>{title}</span>
          </button>
          <LayerActions id={id} title={title} isFirst={index === 0} isLast={index === count - 1} onAction={onAction} />
        </div>
        {(said !== undefined || isStrange(written, listing)) && <code className="layer-written">~{written}</code>}
        {said !== undefined && (
          <p id={`${id}-problem`} className="field-error" role="alert">
            {said}
          </p>
        )}
        {isOpen && <LayerForm {...rest} id={`${id}-content`} problem={isAtField ? problem : undefined} />}
      </fieldset>
    </li>
  );
}

const ACTIONS = [
  ['up', 'up'],
  ['down', 'down'],
  ['duplicate', 'duplicate'],
  ['remove', 'trash'],
] as const;

interface LayerActionsProps {
  id: string;
  title: string;
  isFirst: boolean;
  isLast: boolean;
  onAction(action: LayerAction): void;
}

function LayerActions({ id, title, isFirst, isLast, onAction }: LayerActionsProps) {
  return ACTIONS.map(([action, icon]) => (
    <Button
      key={action}
      variant="plain"
      icon={icon}
      id={`${id}-${action}`}
      aria-label={messages.layers.actions[action](title)}
      isDisabled={(action === 'up' && isFirst) || (action === 'down' && isLast)}
      onPress={() => onAction(action)}
    />
  ));
}

/** Icon and title of a layer. */
function faceOf(written: string): { icon: 'image' | 'text' | 'alert'; title: string } {
  const source = readLayer(written)?.source;
  if (!source) return { icon: 'alert', title: written === '' ? messages.layers.empty : written };
  if (source.kind === 'text') return { icon: 'text', title: source.text.trim() || messages.layers.text };
  return { icon: 'image', title: nameOf(source.path) || messages.layers.image };
}

function isListed(written: string, key: string, listing: Listing): boolean {
  const layer = readLayer(written);
  return layer !== undefined && listOf(layer, listing).some((parameter) => parameter.key === key);
}

/** True if a part is not understood. */
function isStrange(written: string, listing: Listing): boolean {
  const layer = readLayer(written);
  return layer === undefined || readParts(layer.parts, listOf(layer, listing)).some(({ key }) => key === '');
}
