import { usePage } from '../state/page-context.tsx';

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly words: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

/** A filter with a fixed list of states. */
export function WordSelect({ label, value, words, onChange }: Props) {
  const { t } = usePage();
  return (
    <label className="inline">
      {label}
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t.act.all}</option>
        {Object.entries(words).map(([key, word]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}
