import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';

interface Props {
  readonly value: string | undefined;
  readonly onChange: (sync: string) => void;
}

export function SyncSelect({ value, onChange }: Props) {
  const { t } = usePage();
  const { data } = useOverview();
  const names = data?.syncs.map(({ name }) => name) ?? [];
  const all = value === undefined || names.includes(value) ? names : [...names, value];
  return (
    <label className="inline">
      {t.overview.syncs.name}
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t.act.all}</option>
        {all.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
