interface Props {
  readonly label: string;
  /** ISO 8601. */
  readonly value: string | undefined;
  /** `end`: the whole day is included. */
  readonly edge: 'start' | 'end';
  readonly onChange: (instant: string | undefined) => void;
}

const dayMs = 86_400_000;

/** Chooses a day of the user's zone as an instant for the API. */
export function DayFilter({ label, value, edge, onChange }: Props) {
  const shift = edge === 'end' ? dayMs : 0;
  return (
    <label className="inline">
      {label}
      <input
        type="date"
        value={value === undefined ? '' : localDay(Date.parse(value) - (edge === 'end' ? 1 : 0))}
        onChange={(event) => {
          const start = Date.parse(`${event.target.value}T00:00:00`);
          onChange(Number.isNaN(start) ? undefined : new Date(start + shift).toISOString());
        }}
      />
    </label>
  );
}

/** `YYYY-MM-DD` in the zone of the browser. */
function localDay(ms: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return '';
  const part = (value: number, size = 2): string => String(value).padStart(size, '0');
  return `${part(at.getFullYear(), 4)}-${part(at.getMonth() + 1)}-${part(at.getDate())}`;
}
