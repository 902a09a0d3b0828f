import { useId, useState } from 'react';
import { Group } from 'react-aria-components/Group';
import type { Asset, Parameter } from '../../api/types.ts';
import { Button } from '../../components/button.tsx';
import { messages } from '../../messages/en.ts';
import type { Problem } from '../problem.ts';
import { About } from './about.tsx';
import { Control } from './control.tsx';
import { canApply, type GroupName, groupParameters, titleOf } from './groups.ts';
import './section.css';

export interface FieldsProps {
  source: Asset;
  parameters: readonly Parameter[];
  /** Error of the service and its parameter. */
  problem: Problem | undefined;
  partValue(key: string): string | undefined;
  onChange(key: string, value: string): void;
}

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

/** Groups that are open from the start; others are if a parameter is used. */
const OPEN: readonly GroupName[] = ['clip', 'size', 'focus', 'format'];

/** Controls of all parameters that apply to the file, in groups. @param only names of the groups to show */
export function ParameterForm({ parameters, only, ...rest }: FieldsProps & { only(name: GroupName): boolean }) {
  const shown = parameters.filter(({ key }) => canApply(key, rest.source) || rest.partValue(key) !== undefined);
  const groups = groupParameters(shown).filter(({ name }) => only(name));
  return groups.map(({ name, parameters }) => (
    <Fold
      key={name}
      {...rest}
      parameters={parameters}
      title={messages.playground.groups[name]}
      isGroup
      isInitiallyOpen={OPEN.includes(name)}
    />
  ));
}

interface FoldProps extends FieldsProps {
  title: string;
  /** True for a group of the form, which has a heading. */
  isGroup?: boolean;
  isInitiallyOpen?: boolean;
}

/** Collapsed unless a parameter is used. An error opens it. */
export function Fold({ title, isGroup, isInitiallyOpen = false, ...rest }: FoldProps) {
  const { parameters, partValue, problem } = rest;
  const used = parameters.filter(({ key }) => partValue(key) !== undefined).length;
  const [isOpen, setOpen] = useState<boolean>();
  const hasProblem = parameters.some(({ key }) => key === problem?.key);
  return (
    <details
      className="control-section"
      open={hasProblem || (isOpen ?? (isInitiallyOpen || used > 0))}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {isGroup ? <h2>{title}</h2> : title}
        {used > 0 && <span className="number">{used}</span>}
      </summary>
      <Fields {...rest} />
    </details>
  );
}

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
      <div className="control-head" data-tips-above="">
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
      {isOpen && <About parameter={parameter} title={title} />}
    </Group>
  );
}
