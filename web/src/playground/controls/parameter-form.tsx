import { useId, useState } from 'react';
import { Group } from 'react-aria-components/Group';
import type { Asset, Parameter } from '../../api/answers.ts';
import { Button } from '../../parts/button.tsx';
import { words } from '../../words/en.ts';
import { valueIn, withValue } from '../segment.ts';
import { Control } from './control.tsx';
import { Written } from './written.tsx';
import './section.css';

interface ParameterFormProps {
  source: Asset;
  segment: string;
  parameters: readonly Parameter[];
  /** What the service refuses, and the parameter that it names. */
  problem: { key: string | undefined; text: string } | undefined;
  onChange(segment: string): void;
}

/** A control for every parameter that the service lists. Effects, of which there are many, can be folded away. */
export function ParameterForm(props: ParameterFormProps) {
  const { segment, parameters } = props;
  const effects = parameters.filter(isEffect);
  const first = parameters.findIndex(isEffect);
  const others = parameters.filter((parameter) => !isEffect(parameter));
  const used = effects.filter(({ key }) => valueIn(segment, key, parameters) !== undefined).length;
  const [isOpen, setOpen] = useState(used > 0);
  if (effects.length === 0) return <Fields {...props} shown={parameters} />;
  return (
    <>
      <Fields {...props} shown={others.slice(0, first)} />
      <details className="control-section" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          {words.playground.effects}
          {used > 0 && <span className="number">{used}</span>}
        </summary>
        <Fields {...props} shown={effects} />
      </details>
      <Fields {...props} shown={others.slice(first)} />
    </>
  );
}

const isEffect = ({ separator }: Parameter) => separator === ':';

function Fields({
  source,
  segment,
  parameters,
  problem,
  onChange,
  shown,
}: ParameterFormProps & { shown: readonly Parameter[] }) {
  return shown.map((parameter) => (
    <ParameterField
      key={parameter.key}
      source={source}
      parameter={parameter}
      value={valueIn(segment, parameter.key, parameters) ?? ''}
      problem={problem?.key === parameter.key ? problem.text : undefined}
      onChange={(value) => onChange(withValue(segment, parameter.key, value, parameters))}
    />
  ));
}

/** `startOffset` is shown as `Start offset`. */
const titleOf = (name: string) => {
  const text = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

interface ParameterFieldProps {
  source: Asset;
  parameter: Parameter;
  value: string;
  problem: string | undefined;
  onChange(value: string): void;
}

function ParameterField({ source, parameter, value, problem, onChange }: ParameterFieldProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const title = titleOf(parameter.name);
  return (
    <Group className="control" aria-labelledby={id} isInvalid={problem !== undefined} data-key={parameter.key}>
      <div className="control-head">
        <h3 id={id} className="control-title">
          {title} <code>{parameter.key}</code>
        </h3>
        {value !== '' && (
          <Button look="plain" icon="undo" aria-label={words.playground.resetOne(title)} onPress={() => onChange('')} />
        )}
        <Button
          look="plain"
          icon="info"
          aria-label={words.playground.about(title)}
          aria-expanded={isOpen}
          onPress={() => setOpen(!isOpen)}
        />
      </div>
      <Control source={source} parameter={parameter} title={title} value={value} onChange={onChange} />
      {problem && (
        <p className="field-error" role="alert">
          {problem}
        </p>
      )}
      {isOpen && <About parameter={parameter} />}
    </Group>
  );
}

function About({ parameter: { summary, forms, default: absent } }: { parameter: Parameter }) {
  return (
    <div className="control-about">
      <p>
        <Written text={summary} />
      </p>
      <p>
        {words.playground.forms} <Written text={forms} />.
        {absent !== undefined && ` ${words.playground.byDefault(absent)}.`}
      </p>
    </div>
  );
}
