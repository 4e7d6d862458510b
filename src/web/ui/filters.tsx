import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useFilter, useFilters } from '../state/router.tsx';
import { Button } from './actions.tsx';

interface FiltersProps {
  /** The filters of the address, for the button that clears them. */
  readonly query: Readonly<Record<string, unknown>>;
  readonly children: ReactNode;
  /** At the other end. */
  readonly after?: ReactNode;
}

/** The filters of a list, and a button that clears them when one is set. */
export function Filters({ query, children, after }: FiltersProps) {
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
      {after}
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

interface FilterProps<Name extends string = string> {
  /** Of the filter in the address. */
  readonly name: Name;
  readonly label: string;
}

export interface WordFilterProps<Name extends string = string> extends FilterProps<Name> {
  readonly words: Readonly<Record<string, string>>;
}

/** A filter with a fixed list of states. */
export function WordFilter({ name, label, words }: WordFilterProps) {
  const { t } = usePage();
  const [value, onChange] = useFilter(name);
  return <Select {...{ label, value, onChange }} options={Object.entries(words)} none={t.act.all} />;
}

/** Typing waits for a pause before the list is asked for. */
const restMs = 250;

/** A filter by text. Its label stands in the field while that is empty. */
export function TextFilter({ name, label }: FilterProps) {
  const [value = '', onChange] = useFilter(name);
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    const asked = text.trim();
    if (asked === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = asked;
      onChange(asked);
    }, restMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return (
    <input
      type="search"
      className="text"
      autoComplete="off"
      spellCheck={false}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

export function SyncFilter() {
  const { t } = usePage();
  const [value, onChange] = useFilter('sync');
  const names = useOverview().data?.syncs.map(({ name }) => name) ?? [];
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

interface DateProps {
  readonly label: string;
  /** `YYYY-MM-DD`; empty: none. */
  readonly value: string;
  readonly required?: boolean;
  readonly onChange: (day: string) => void;
}

export function DateField({ label, onChange, ...rest }: DateProps) {
  return (
    <label className="inline">
      {label}
      <input type="date" {...rest} onChange={(event) => onChange(event.target.value)} />
    </label>
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
  const change = (day: string): void => {
    const start = Date.parse(`${day}T00:00:00`);
    onChange(Number.isNaN(start) ? undefined : new Date(start + (edge === 'end' ? dayMs : 0)).toISOString());
  };
  const at = value === undefined ? Number.NaN : Date.parse(value) - (edge === 'end' ? 1 : 0);
  // `YYYY-MM-DD` in the zone of the browser, as Sweden writes a day.
  const shown = Number.isNaN(at) ? '' : new Date(at).toLocaleDateString('sv-SE');
  return <DateField label={label} value={shown} onChange={change} />;
}
