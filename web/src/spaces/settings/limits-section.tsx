import { useQuery } from '@tanstack/react-query';
import { quotaQuery, type Space } from '../../api/spaces.ts';
import { TextField } from '../../components/field.tsx';
import { formatBytes, formatCount } from '../../components/format.ts';
import { Section } from '../../components/section.tsx';
import { spaceSettingsMessages, spacesMessages } from '../../messages/spaces.ts';
import { RulesForm } from './rules-form.tsx';
import { bytesIn, bytesText, countIn } from './values.ts';

/** Storage, transfer and requests. Only the installation changes them. */
export function LimitsSection({ space, isInside }: { space: Space; isInside: boolean }) {
  const { limits, ofInstallation } = spaceSettingsMessages;
  return (
    <Section title={limits.title} text={isInside ? `${ofInstallation}.` : limits.text}>
      {isInside ? <LimitFacts space={space} /> : <LimitsForm space={space} />}
    </Section>
  );
}

function LimitsForm({ space }: { space: Space }) {
  const { limits } = spaceSettingsMessages;
  const { id, enabled, quota, rateLimit } = space;
  const { data } = useQuery({ ...quotaQuery(id), enabled, retry: false });
  const hint = (text: string, used: number | undefined) =>
    used === undefined ? text : `${text} ${limits.used(formatBytes(used))}.`;
  const read = (form: FormData) => ({
    quota: { bytes: bytesIn(form, 'bytes'), transferPerMonth: bytesIn(form, 'transfer') },
    rateLimit: { perAddress: countIn(form, 'perAddress'), total: countIn(form, 'total') },
  });
  const digits = (count: number | null) => (count === null ? '' : String(count));
  return (
    <RulesForm space={space} names={['bytes', 'transfer', 'perAddress', 'total']} read={read}>
      <TextField
        name="bytes"
        label={limits.bytes}
        hint={hint(limits.bytesHint, data?.usedBytes)}
        defaultValue={bytesText(quota.bytes)}
      />
      <TextField
        name="transfer"
        label={limits.transfer}
        hint={hint(limits.transferHint, data?.usedTransfer)}
        defaultValue={bytesText(quota.transferPerMonth)}
      />
      <TextField
        name="perAddress"
        label={limits.perAddress}
        hint={limits.window}
        inputMode="numeric"
        defaultValue={digits(rateLimit.perAddress)}
      />
      <TextField
        name="total"
        label={limits.total}
        hint={limits.window}
        inputMode="numeric"
        defaultValue={digits(rateLimit.total)}
      />
    </RulesForm>
  );
}

function LimitFacts({ space: { quota, rateLimit } }: { space: Space }) {
  const { limits, none } = spaceSettingsMessages;
  const { data } = useQuery(quotaQuery(undefined));
  const size = (used: number | undefined, limit: number | null, text: typeof spacesMessages.stored) => {
    const most = limit === null ? undefined : formatBytes(limit);
    return used === undefined ? (most ?? none) : text(formatBytes(used), most);
  };
  const count = (limit: number | null) => (limit === null ? none : formatCount(limit));
  const rows: readonly [string, string][] = [
    [limits.bytes, size(data?.usedBytes, quota.bytes, spacesMessages.stored)],
    [limits.transfer, size(data?.usedTransfer, quota.transferPerMonth, spacesMessages.delivered)],
    [limits.perAddress, count(rateLimit.perAddress)],
    [limits.total, count(rateLimit.total)],
  ];
  return (
    <dl className="page-facts space-facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
