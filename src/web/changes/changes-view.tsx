import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { usePage } from '../state/page-context.tsx';
import { useFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Icon } from '../ui/badges.tsx';
import { SearchField, Select } from '../ui/filters.tsx';
import { type ChangeChoice, ChangeList } from './change-list.tsx';
import {
  type ChangeFilter,
  type ChangeOrder,
  type ChangeSubject,
  exportAddress,
  filterOf,
  orderOf,
} from './subject.ts';
import { useChangeGroups } from './use-changes.ts';

/** What of the changes is shown, as the address says it. */
export function useChangeView(kind: ChangeSubject['kind'], id: string) {
  const [search, change] = useFilters();
  const filter = useMemo(() => filterOf(search), [search]);
  const order = useMemo(() => orderOf(search), [search]);
  const subject = useMemo(() => ({ kind, id }), [kind, id]);
  const onOrder = useCallback((next: ChangeOrder) => change({ sort: next.sort, order: next.order }), [change]);
  return { subject, filter, order, onOrder, by: search.get('by') ?? undefined, change };
}

interface Props {
  readonly view: ReturnType<typeof useChangeView>;
  readonly sync: string;
  readonly label: string;
  readonly onTotal: (total: number, all: number) => void;
  /** Only for a run or preview, whose changes have different states. */
  readonly hasStates?: boolean;
  readonly choice?: ChangeChoice;
}

/** The changes of a run, hold or preview, with their filters and groups. */
export function ChangesView({ view, sync, label, onTotal, hasStates = false, choice }: Props) {
  const { subject, filter, order, onOrder, by, change } = view;
  return (
    <>
      <ChangeFilters {...{ subject, filter, order, by, hasStates }} onChange={change} />
      <ChangeList
        {...{ subject, sync, filter, order, label, onOrder, onTotal }}
        {...(choice === undefined ? {} : { choice })}
      />
    </>
  );
}

interface FiltersProps {
  readonly subject: ChangeSubject;
  readonly filter: ChangeFilter;
  readonly order: ChangeOrder;
  /** How groups are made; undefined: none are shown. */
  readonly by: string | undefined;
  readonly onChange: (changes: Readonly<Record<string, string | undefined>>) => void;
  /** Only for a run, whose changes have different states. */
  readonly hasStates: boolean;
}

const groupings = ['reason', 'field', 'kind', 'class', 'state', 'value:area', 'value:office', 'value:job'] as const;
/** Typing waits for a pause before the list is asked for. */
const restMs = 250;

/** Search, filters, groups and export of a list of changes. All of it is in the address. */
function ChangeFilters({ subject, filter, order, by, onChange, hasStates }: FiltersProps) {
  const { t } = usePage();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <>
      <div className="filters">
        <TextFilter value={filter.text ?? ''} onChange={(text) => onChange({ text })} />
        <GroupSelect
          {...{ subject, filter, onChange }}
          name="kind"
          label={t.changes.columns.kind}
          words={t.words.kind}
        />
        {hasStates ? (
          <GroupSelect
            {...{ subject, filter, onChange }}
            name="state"
            label={t.runs.state}
            words={t.words.changeState}
          />
        ) : null}
        <GroupSelect {...{ subject, filter, onChange }} name="reason" label={t.changes.columns.reason} words={{}} />
        <GroupSelect {...{ subject, filter, onChange }} name="field" label={t.mapping.field} words={t.words.field} />
        <Select
          label={t.changes.groupBy}
          value={by}
          options={groupings.map((one) => [one, wordOf(t.changes.groupings, one)])}
          none="–"
          onChange={(chosen) => onChange({ by: chosen })}
        />
        {isFiltered ? (
          <Button
            look="bare"
            onClick={() =>
              onChange({ text: '', kind: '', class: '', state: '', reason: '', field: '', value: undefined })
            }
          >
            {t.act.clear}
          </Button>
        ) : null}
        <span className="exports">
          <Icon name="download" />
          <a href={exportAddress(subject, 'csv', { ...filter, ...order })}>CSV</a>
          <a href={exportAddress(subject, 'json', { ...filter, ...order })}>JSON</a>
        </span>
      </div>
      {filter.value === undefined ? null : (
        <p className="chip">
          {wordOf(t.words.field, filter.field ?? '')}: {filter.value === '' ? t.changes.blank : filter.value}
          <Button look="bare" onClick={() => onChange({ field: '', value: undefined })}>
            {t.act.clear}
          </Button>
        </p>
      )}
      {by === undefined ? null : <Groups {...{ subject, filter, by, onChange }} />}
    </>
  );
}

function TextFilter({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const { t } = usePage();
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, restMs);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  return <SearchField value={text} onChange={(event) => setText(event.target.value)} label={t.changes.filter} />;
}

interface GroupSelectProps extends Pick<FiltersProps, 'subject' | 'filter' | 'onChange'> {
  readonly name: 'kind' | 'state' | 'reason' | 'field';
  readonly label: string;
  readonly words: Readonly<Record<string, string>>;
}

/** Chooses one value of those that occur, each with its number. */
function GroupSelect({ subject, filter, onChange, name, label, words }: GroupSelectProps) {
  const { t, f } = usePage();
  const { [name]: chosen, ...others } = filter;
  const { data } = useChangeGroups(subject, name === 'field' ? withoutValue(others) : others, name);
  const groups = data?.groups ?? [];
  const isKnown = chosen === undefined || groups.some(({ key }) => key === chosen);
  const options = [
    ...(isKnown ? [] : [[chosen, t.reason(wordOf(words, chosen))] as const]),
    ...groups.map(({ key, count }) => [key, `${t.reason(wordOf(words, key))} (${f.number(count)})`] as const),
  ];
  return (
    <Select
      {...{ label, options }}
      value={chosen}
      none={t.act.all}
      onChange={(value) => onChange({ [name]: value, value: undefined })}
    />
  );
}

function withoutValue({ value, ...rest }: ChangeFilter): ChangeFilter {
  return rest;
}

/** The groups of a property with their numbers. A click shows only one of them. */
function Groups({
  subject,
  filter,
  by,
  onChange,
}: Pick<FiltersProps, 'subject' | 'filter' | 'onChange'> & { by: string }) {
  const { t, f } = usePage();
  const { data } = useChangeGroups(subject, filter, by);
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    kind: t.words.kind,
    class: t.words.classes,
    state: t.words.changeState,
    field: t.words.field,
  };
  const only = (key: string) =>
    by.startsWith('value:') ? { field: by.slice('value:'.length), value: key, by } : { [by]: key };
  return (
    <ul className="groups">
      {(data?.groups ?? []).map(({ key, count }) => (
        <li key={key}>
          <button type="button" onClick={() => onChange(only(key))}>
            <strong>{f.number(count)}</strong>
            <span>{key === '' ? t.changes.blank : t.reason(wordOf(words[by] ?? {}, key))}</span>
          </button>
        </li>
      ))}
      {data?.isCut === true ? <li className="faint">{t.changes.cut}</li> : null}
    </ul>
  );
}
