import type { UsageGroup, UsageRow } from '../api/usage.ts';
import { ShareBar } from '../components/share-bar.tsx';
import { usageMessages } from '../messages/usage.ts';
import { amountOf, formatMeasure, type Measure, measuresBy } from './measures.ts';

interface UsageTableProps {
  rows: readonly UsageRow[];
  by: UsageGroup;
  measure: Measure;
  nameOf(row: UsageRow): string;
}

/** All measures of each day, space or key; a bar for the chosen one where there is no chart. */
export function UsageTable({ rows, by, measure, nameOf }: UsageTableProps) {
  const measures = measuresBy(by);
  const top = Math.max(1, ...rows.map((row) => amountOf(row, measure) ?? 0));
  const title = usageMessages.table(usageMessages.groups[by]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="usage-scroll" aria-label={title} tabIndex={0}>
      <table className="usage-rows">
        <caption className="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{usageMessages.group[by]}</th>
            {measures.map((one) => (
              <th key={one} scope="col">
                {usageMessages.measures[one]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.day ?? row.space ?? row.key}>
              <th scope="row">
                {nameOf(row)}
                {by !== 'day' && <ShareBar share={(amountOf(row, measure) ?? 0) / top} />}
              </th>
              {measures.map((one) => {
                const value = amountOf(row, one);
                return (
                  <td key={one} className={value === 0 ? 'number quiet' : 'number'}>
                    {value === null ? usageMessages.unknown : formatMeasure(one, value)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
