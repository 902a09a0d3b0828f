import { useId, useState } from 'react';
import { Group } from 'react-aria-components/Group';
import type { Asset, Parameter } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { messages } from '../../messages/en.ts';
import type { Problem } from '../problem.ts';
import { Control } from './control.tsx';
import './section.css';

export interface FieldsProps {
  source: Asset;
  parameters: readonly Parameter[];
  /** Error of the service and its parameter. */
  problem: Problem | undefined;
  partValue(key: string): string | undefined;
  onChange(key: string, value: string): void;
}

export const isEffect = ({ separator }: Parameter): boolean => separator === ':';

/** Controls of parameters. */
export function Fields({ source, parameters, problem, partValue, onChange }: FieldsProps) {
  return parameters.map((parameter) => (
    <ParameterField
      key={parameter.key}
      source={source}
      parameter={parameter}
      value={partValue(parameter.key) ?? ''}
      problem={problem?.key === parameter.key ? problem.text : undefined}
      onChange={(value) => onChange(parameter.key, value)}
    />
  ));
}

/** Controls of all parameters; effects are collapsible. */
export function ParameterForm({ parameters, ...rest }: FieldsProps) {
  const effects = parameters.filter(isEffect);
  const first = parameters.findIndex(isEffect);
  const others = parameters.filter((parameter: Parameter) => !isEffect(parameter));
  if (effects.length === 0) return <Fields {...rest} parameters={parameters} />;
  return (
    <>
      <Fields {...rest} parameters={others.slice(0, first)} />
      <Fold {...rest} title={messages.playground.effects} parameters={effects} />
      <Fields {...rest} parameters={others.slice(first)} />
    </>
  );
}

/** Collapsed unless a parameter is used. */
export function Fold({ title, ...rest }: FieldsProps & { title: string }) {
  const used = rest.parameters.filter(({ key }) => rest.partValue(key) !== undefined).length;
  const [isOpen, setOpen] = useState(used > 0);
  return (
    <details className="control-section" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title}
        {used > 0 && <span className="number">{used}</span>}
      </summary>
      <Fields {...rest} />
    </details>
  );
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
          <Button
            variant="plain"
            icon="undo"
            aria-label={messages.playground.resetOne(title)}
            onPress={() => onChange('')}
          />
        )}
        <Button
          variant="plain"
          icon="info"
          aria-label={messages.playground.about(title)}
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
        {messages.playground.forms} <Written text={forms} />.
        {absent !== undefined && ` ${messages.playground.byDefault(absent)}.`}
      </p>
    </div>
  );
}

/** Text with code between backticks. */
function Written({ text }: { text: string }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the pieces have no other name, and none moves.
  return text.split('`').map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece));
}
