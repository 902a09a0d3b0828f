import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { tagsMessages } from '../messages/tags.ts';
import { formatCount } from './format.ts';
import { Icon } from './icon.tsx';
import { type CountedTag, MAX_TAG, suggestionsOf, typedTags, withText } from './tag-text.ts';
import './tag-field.css';

interface TagFieldProps {
  label: string;
  /** Tags to suggest. */
  existing: readonly CountedTag[];
  /** Called when suggestions are needed. */
  onOpen(): void;
  hint?: string;
  tags: readonly string[];
  /** Text of the input, which is no tag yet. */
  text: string;
  isReadOnly?: boolean;
  autoFocus?: boolean;
  onChange(tags: readonly string[], text: string): void;
  /** Called when the focus leaves the field. */
  onLeave?(): void;
}

const LEFT_MS = 250;

/** Tags as chips, and an input that suggests existing ones. */
export function TagField(props: TagFieldProps) {
  const { label, hint, tags, text, isReadOnly = false, autoFocus, onChange, onLeave } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState('');
  const list = useSuggestions(props);
  const add = (added: string) => {
    onChange(withText(tags, added), '');
    setSaid(tagsMessages.added(added.trim()));
    list.close();
  };
  const remove = (removed: string) => {
    // The button goes with its chip.
    input.current?.focus();
    onChange(
      tags.filter((tag) => tag !== removed),
      text,
    );
    setSaid(tagsMessages.removed(removed));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = tags.at(-1);
    if (list.onKey(event)) event.preventDefault();
    else if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
    else if (event.key === 'Enter' && (list.chosen ?? text.trim()) !== '') {
      event.preventDefault();
      add(list.chosen ?? text);
    }
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (currentTarget.contains(relatedTarget)) return;
    // A click that leaves the field is over by then: what is below moves up.
    setTimeout(list.close, LEFT_MS);
    onLeave?.();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only learns that the focus has left its parts
    <div className="field" onBlur={onBlur}>
      <label htmlFor={id}>{label}</label>
      <div className="tag-field">
        <ul className="tag-chips">
          {tags.map((tag) => (
            <li key={tag} className="tag-chip">
              <span>{tag}</span>
              {!isReadOnly && (
                <button type="button" aria-label={tagsMessages.remove(tag)} onClick={() => remove(tag)}>
                  <Icon name="close" size={13} />
                </button>
              )}
            </li>
          ))}
        </ul>
        <input
          ref={input}
          id={id}
          role="combobox"
          aria-autocomplete="list"
          aria-expanded={list.options.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={list.active < 0 ? undefined : `${id}-${list.active}`}
          aria-describedby={hint && `${id}-hint`}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the first field of a dialog
          autoFocus={autoFocus}
          maxLength={isReadOnly ? undefined : 10 * MAX_TAG}
          readOnly={isReadOnly}
          value={text}
          onChange={({ target }) => {
            const typed = typedTags(tags, target.value);
            onChange(typed.tags, typed.text);
            list.open();
          }}
          onKeyDown={isReadOnly ? undefined : onKeyDown}
        />
        <Suggestions id={id} list={list} onChoose={add} />
      </div>
      {hint && (
        <span id={`${id}-hint`} className="field-hint">
          {hint}
        </span>
      )}
      <span className="unseen" role="status">
        {said}
      </span>
    </div>
  );
}

/** Existing tags for a text, and the active one. */
function useSuggestions({ tags, text, existing, onOpen }: TagFieldProps) {
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const options = isOpen ? suggestionsOf(existing, tags, text) : [];
  const show = (isShown: boolean) => {
    if (isShown) onOpen();
    setOpen(isShown);
    setActive(-1);
  };
  return {
    options,
    active: Math.min(active, options.length - 1),
    chosen: options[active]?.tag,
    open: () => show(true),
    close: () => show(false),
    /** @returns true if the key is one of the list */
    onKey(event: KeyboardEvent): boolean {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) {
        onOpen();
        setOpen(true);
        const count = options.length + 1;
        // -1 is the input.
        setActive(((active + 1 + step + count) % count) - 1);
        return true;
      }
      if (event.key !== 'Escape' || options.length === 0) return false;
      event.stopPropagation();
      show(false);
      return true;
    },
  };
}

interface SuggestionsProps {
  id: string;
  list: ReturnType<typeof useSuggestions>;
  onChoose(tag: string): void;
}

function Suggestions({ id, list, onChoose }: SuggestionsProps) {
  const element = useRef<HTMLDivElement>(null);
  const isShown = list.options.length > 0;
  useEffect(() => {
    if (isShown) element.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  return (
    <div
      ref={element}
      id={`${id}-list`}
      className="tag-suggestions"
      role="listbox"
      aria-label={tagsMessages.suggestions}
      hidden={!isShown}
    >
      {list.options.map(({ tag, count }, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
        <div
          key={tag}
          id={`${id}-${at}`}
          className="menu-item"
          role="option"
          tabIndex={-1}
          aria-selected={at === list.active}
          {...(at === list.active && { 'data-focused': '' })}
          // The focus stays in the input.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(tag)}
        >
          {tag}
          <span className="menu-item-end number">{formatCount(count)}</span>
        </div>
      ))}
    </div>
  );
}
