import type { Parameter } from '../../api/types.ts';
import { messages } from '../../messages/en.ts';
import { Fields, type FieldsProps, Fold, isEffect } from './fields.tsx';

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
