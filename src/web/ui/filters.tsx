import { type FocusEvent, type FormEvent, type ReactNode, useRef } from 'react';
import { useFilters } from '../router/router.tsx';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { Button } from './actions.tsx';

interface FiltersProps {
  /** The filters of the address, for the button that clears them. */
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly children: ReactNode;
}

/** The filters of a list, and a button that clears them when one is set. */
export function Filters({ query, children }: FiltersProps) {
  const { t } = usePage();
  const [, change] = useFilters();
  return (
    <div className="filters">
      {children}
      {isFiltered(query) ? (
        <Button
          look="bare"
          onClick={() => change(Object.fromEntries(Object.keys(query).map((name) => [name, undefined])))}
        >
          {t.act.clear}
        </Button>
      ) : null}
    </div>
  );
}

export function isFiltered(query: FiltersProps['query']): boolean {
  return Object.values(query).some((value) => value !== undefined);
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly value: Value | undefined;
  readonly options: readonly (readonly [value: Value, word: string])[];
  readonly onChange: (value: Value) => void;
  /** What no choice is called. Absent: one is always chosen. */
  readonly none?: string;
  /** `inline`: beside its label, for filters. `field`: below it, for forms. */
  readonly look?: 'inline' | 'field';
}

/** Chooses one of several words. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, onChange, none, look = 'inline' } = props;
  return (
    <label className={look}>
      {label}
      <select value={value ?? ''} onChange={(event) => onChange(event.target.value as Value)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {options.map(([key, word]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
      </select>
    </label>
  );
}

type FilterProps = Pick<SelectProps<string>, 'value' | 'onChange'>;

/** A filter with a fixed list of states. */
export function WordSelect(
  props: FilterProps & { readonly label: string; readonly words: Readonly<Record<string, string>> },
) {
  const { words, ...rest } = props;
  const { t } = usePage();
  return <Select {...rest} options={Object.entries(words)} none={t.act.all} />;
}

interface TextFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (text: string) => void;
  /** `search`: the label stands in the empty field. `inline`: beside it. */
  readonly look: 'search' | 'inline';
}

/** A filter by text. It counts when the user presses Enter, or leaves the field. */
export function TextField({ label, value, onChange, look }: TextFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(field.current?.value.trim() ?? '');
  };
  const shared = {
    defaultValue: value ?? '',
    onBlur: (event: FocusEvent<HTMLInputElement>) => onChange(event.target.value.trim()),
    autoComplete: 'off',
    spellCheck: false,
  };
  return (
    <form onSubmit={submit}>
      {look === 'search' ? (
        <input
          {...shared}
          key={value}
          ref={field}
          type="search"
          className="text"
          aria-label={label}
          placeholder={label}
        />
      ) : (
        <label className="inline">
          {label}
          <input {...shared} key={value} ref={field} size={14} />
        </label>
      )}
    </form>
  );
}

export function SyncSelect({ value, onChange }: FilterProps) {
  const { t } = usePage();
  const { data } = useOverview();
  const names = data?.syncs.map(({ name }) => name) ?? [];
  const all = value === undefined || names.includes(value) ? names : [...names, value];
  const options = all.map((name) => [name, name] as const);
  return <Select label={t.overview.syncs.name} {...{ value, onChange, options }} none={t.act.all} />;
}

interface DayProps {
  readonly label: string;
  /** ISO 8601. */
  readonly value: string | undefined;
  /** `end`: the whole day is included. */
  readonly edge: 'start' | 'end';
  readonly onChange: (instant: string | undefined) => void;
}

const dayMs = 86_400_000;

/** Chooses a day of the user's zone as an instant for the API. */
export function DayFilter({ label, value, edge, onChange }: DayProps) {
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
