import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limitsQuery } from '../../api/files.ts';
import type { Asset } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { messages } from '../../messages/en.ts';
import { Fields, type FieldsProps, Fold } from '../controls/fields.tsx';
import { isEffect } from '../controls/groups.ts';
import { type Layer, readLayer, writeLayer } from '../layered.ts';
import { partValue, withPart } from '../parts.ts';
import { listOf, type Problem } from '../problem.ts';
import type { Listing } from '../segment.ts';
import { ImageDialog } from './image-dialog.tsx';

/** Most used parameters, in this order. */
const USUAL = {
  image: ['g', 'x', 'y', 'w', 'o', 'bl'],
  text: ['fs', 'co', 'fw', 'ff', 'g', 'x', 'y'],
};

interface LayerFormProps {
  source: Asset;
  /** Layer as written in the segment. */
  written: string;
  listing: Listing;
  problem: Problem | undefined;
  /** Id of the content control. */
  id: string;
  onChange(written: string): void;
}

/** Content and parameters of a layer, the most used first. */
export function LayerForm({ source, written, listing, problem, id, onChange }: LayerFormProps) {
  const layer = readLayer(written);
  if (!layer) return <Raw id={id} written={written} onChange={onChange} />;
  const list = listOf(layer, listing);
  const usual = USUAL[layer.source.kind].flatMap((key) => list.find((one) => one.key === key) ?? []);
  const rest = list.filter((one) => !usual.includes(one));
  const fields: Omit<FieldsProps, 'parameters'> = {
    source,
    problem,
    partValue: (key) => partValue(layer.parts, key, list),
    onChange: (key, value) => onChange(writeLayer({ ...layer, parts: withPart(layer.parts, key, value, list) })),
  };
  const effects = rest.filter(isEffect);
  const change = (source: Layer['source']) => onChange(writeLayer({ ...layer, source }));
  return (
    <>
      <div className="control">
        {layer.source.kind === 'text' ? (
          <Text id={id} text={layer.source.text} onChange={(text) => change({ kind: 'text', text })} />
        ) : (
          <ImagePath id={id} path={layer.source.path} onChange={(path) => change({ kind: 'image', path })} />
        )}
      </div>
      <div className="layer-usual">
        <Fields {...fields} parameters={usual} />
      </div>
      <Fold {...fields} title={messages.layers.more} parameters={rest.filter((one) => !isEffect(one))} />
      {effects.length > 0 && <Fold {...fields} title={messages.playground.effects} parameters={effects} />}
    </>
  );
}

interface TextProps {
  id: string;
  text: string;
  onChange(text: string): void;
}

function Text({ id, text, onChange }: TextProps) {
  return (
    <>
      <label className="field-label" htmlFor={id}>
        {messages.layers.text}
      </label>
      <textarea
        id={id}
        className="input layer-text"
        rows={2}
        dir="auto"
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <MissingFonts text={text} />
    </>
  );
}

/** Letters of scripts, by the names of `GET /limits`. */
const LETTERS: Readonly<Record<string, RegExp>> = {
  Chinese: /\p{Script=Han}/u,
  Japanese: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  Korean: /\p{Script=Hangul}/u,
  Emoji: /\p{Emoji_Presentation}/u,
};

/** Names the package that has a font for letters which would be boxes. */
function MissingFonts({ text }: { text: string }) {
  const { data } = useQuery(limitsQuery);
  const missing = (data?.missingScripts ?? []).filter(({ script }) => LETTERS[script]?.test(text));
  return (
    <div role="status">
      {missing.map(({ script, package: name }) => (
        <p key={script} className="notice is-warning">
          {messages.layers.noFont(script, name)}
        </p>
      ))}
    </div>
  );
}

function ImagePath({ id, path, onChange }: { id: string; path: string; onChange(path: string): void }) {
  const [isChoosing, setChoosing] = useState(false);
  return (
    <>
      <label className="field-label" htmlFor={id}>
        {messages.layers.path}
      </label>
      <div className="layer-path">
        <input
          id={id}
          className="input"
          placeholder={messages.layers.pathHint}
          autoComplete="off"
          spellCheck={false}
          value={path}
          onChange={({ target }) => onChange(target.value)}
        />
        <Button onPress={() => setChoosing(true)}>{messages.layers.choose}</Button>
      </div>
      {isChoosing && <ImageDialog onChoose={onChange} onClose={() => setChoosing(false)} />}
    </>
  );
}

/** Text field for layers that cannot be parsed. */
function Raw({ id, written, onChange }: { id: string; written: string; onChange(written: string): void }) {
  return (
    <div className="control">
      <label className="field-label" htmlFor={id}>
        {messages.layers.raw}
      </label>
      <input
        id={id}
        className="input"
        autoComplete="off"
        spellCheck={false}
        value={written}
        onChange={({ target }) => onChange(target.value.replace(/[~/]/g, ''))}
      />
    </div>
  );
}
