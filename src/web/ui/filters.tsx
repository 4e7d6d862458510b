import { type ComponentProps, type FocusEvent, type FormEvent, type ReactNode, useRef } from 'react';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useFilter, useFilters } from '../state/router.tsx';
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

interface FilterProps {
  /** Of the filter in the address. */
  readonly name: string;
  readonly label: string;
}

/** A filter with a fixed list of states. */
export function WordFilter({ name, label, words }: FilterProps & { readonly words: Readonly<Record<string, string>> }) {
  const { t } = usePage();
  const [value, onChange] = useFilter(name);
  return <Select {...{ label, value, onChange }} options={Object.entries(words)} none={t.act.all} />;
}

/** The attributes of a field for words, by which the text is neither completed nor corrected. */
export const plainText = { autoComplete: 'off', spellCheck: false } as const;

/** `search`: the label stands in the empty field. `inline`: beside it. */
type FieldLook = 'search' | 'inline';

/** A filter by text. It counts when the user presses Enter, or leaves the field. */
export function TextFilter({ name, label, look }: FilterProps & { readonly look: FieldLook }) {
  const [value, change] = useFilter(name);
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change(field.current?.value.trim());
  };
  const shared = {
    ...plainText,
    defaultValue: value ?? '',
    onBlur: (event: FocusEvent<HTMLInputElement>) => change(event.target.value.trim()),
  };
  return (
    <form onSubmit={submit}>
      {look === 'search' ? (
        <SearchField {...shared} key={value} ref={field} label={label} />
      ) : (
        <label className="inline">
          {label}
          <input {...shared} key={value} ref={field} size={14} />
        </label>
      )}
    </form>
  );
}

/** A field for words, whose label stands in it while it is empty. */
export function SearchField({ label, ...rest }: ComponentProps<'input'> & { readonly label: string }) {
  return <input {...plainText} {...rest} type="search" className="text" aria-label={label} placeholder={label} />;
}

/** A search by the words of `q`, which counts when the user presses the button. `children`: more filters. */
export function SearchForm({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const { t } = usePage();
  const [asked, change] = useFilter('q');
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    change(field.current?.value.trim());
  };
  return (
    <form className="filters" onSubmit={submit}>
      <SearchField key={asked} ref={field} defaultValue={asked} label={label} />
      {children}
      <Button type="submit" look="main">
        {t.people.lookUp}
      </Button>
    </form>
  );
}

export function SyncFilter() {
  const { t } = usePage();
  const { data } = useOverview();
  const [value, onChange] = useFilter('sync');
  const names = data?.syncs.map(({ name }) => name) ?? [];
  const all = value === undefined || names.includes(value) ? names : [...names, value];
  const options = all.map((name) => [name, name] as const);
  return <Select label={t.overview.syncs.name} {...{ value, onChange, options }} none={t.act.all} />;
}

/** The first and the last day of what a list shows. */
export function DaysFilter() {
  const { t } = usePage();
  const [since, setSince] = useFilter('since');
  const [until, setUntil] = useFilter('until');
  return (
    <>
      <DayField label={t.runs.since} edge="start" value={since} onChange={setSince} />
      <DayField label={t.runs.until} edge="end" value={until} onChange={setUntil} />
    </>
  );
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
export function DayField({ label, value, edge, onChange }: DayProps) {
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
