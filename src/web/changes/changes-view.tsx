import { useMemo } from 'react';
import { usePage } from '../state/page-context.tsx';
import { useFilter, useFilters } from '../state/router.tsx';
import { classWord, wordOf } from '../texts/plural.ts';
import { Button } from '../ui/actions.tsx';
import { Icon } from '../ui/badges.tsx';
import { Filters, Select, TextFilter, type WordFilterProps } from '../ui/filters.tsx';
import { type ChangeView, exportAddress, viewOf } from './subject.ts';
import { useChangeGroups } from './use-changes.ts';

/** What of the changes is shown, as the address says it. */
export function useChangeView(kind: ChangeView['subject']['kind'], id: string): ChangeView {
  const [search] = useFilters();
  return useMemo(() => viewOf({ kind, id }, search), [kind, id, search]);
}

interface ViewProps {
  readonly view: ChangeView;
}

/**
 * Search, filters, groups and export of a list of changes. All of it is in the address. `hasStates`: of a run or preview,
 * whose changes have different states.
 */
export function ChangeFilters({ view, hasStates = false }: ViewProps & { readonly hasStates?: boolean }) {
  const { t } = usePage();
  const [, change] = useFilters();
  const [by, group] = useFilter('by');
  const { field, value } = view.filter;
  const { columns } = t.changes;
  const groupings = { reason: columns.reason, field: t.mapping.field, kind: columns.kind, class: t.recent.class };
  const values = { 'value:area': columns.area, 'value:office': columns.office, 'value:job': columns.job };
  const exports = (
    <span className="exports">
      <Icon name="download" />
      <a href={exportAddress(view, 'csv')}>CSV</a>
      <a href={exportAddress(view, 'json')}>JSON</a>
    </span>
  );
  return (
    <>
      <Filters query={view.filter} after={exports}>
        <TextFilter name="text" label={t.changes.filter} />
        <GroupSelect view={view} name="kind" label={columns.kind} words={t.words.kind} />
        {hasStates ? <GroupSelect view={view} name="state" label={t.runs.state} words={t.words.changeState} /> : null}
        <GroupSelect view={view} name="reason" label={columns.reason} words={{}} />
        <GroupSelect view={view} name="field" label={t.mapping.field} words={t.words.field} />
        <Select
          label={t.changes.groupBy}
          value={by}
          options={Object.entries({ ...groupings, state: t.runs.state, ...values })}
          none="–"
          onChange={group}
        />
      </Filters>
      {value === undefined ? null : (
        <p className="chip">
          {wordOf(t.words.field, field ?? '')}: {value === '' ? t.changes.blank : value}
          <Button look="bare" onClick={() => change({ field: undefined, value: undefined })}>
            {t.act.clear}
          </Button>
        </p>
      )}
      {by === undefined ? null : <Groups view={view} by={by} />}
    </>
  );
}

/** Chooses one value of those that occur, each with its number. */
function GroupSelect({ view, name, label, words }: WordFilterProps<'kind' | 'state' | 'reason' | 'field'> & ViewProps) {
  const { t, f } = usePage();
  const [, change] = useFilters();
  const { [name]: chosen, value, ...others } = view.filter;
  const isOfValue = name !== 'field' && value !== undefined;
  const found = useChangeGroups({ ...view, filter: isOfValue ? { ...others, value } : others }, name);
  const groups = found?.groups ?? [];
  const wordsOf = (key: string): string => t.reason(wordOf(words, key));
  const isKnown = chosen === undefined || groups.some(({ key }) => key === chosen);
  const options = [
    ...(isKnown ? [] : [[chosen, wordsOf(chosen)] as const]),
    ...groups.map(({ key, count }) => [key, `${wordsOf(key)} (${f.number(count)})`] as const),
  ];
  return (
    <Select
      {...{ label, options }}
      value={chosen}
      none={t.act.all}
      onChange={(next) => change({ [name]: next, value: undefined })}
    />
  );
}

/** The groups of a property with their numbers. A click shows only one of them. */
function Groups({ view, by }: ViewProps & { readonly by: string }) {
  const { t, f } = usePage();
  const [, change] = useFilters();
  const found = useChangeGroups(view, by);
  const { kind, classes, changeState: state, field } = t.words;
  const words: Readonly<Record<string, Readonly<Record<string, string>>>> = { kind, state, field };
  const wordsOf = (key: string): string =>
    by === 'class' ? classWord(classes, key) : t.reason(wordOf(words[by] ?? {}, key));
  const only = (key: string) =>
    by.startsWith('value:') ? { field: by.slice('value:'.length), value: key } : { [by]: key };
  return (
    <ul className="groups">
      {found?.groups.map(({ key, count }) => (
        <li key={key}>
          <Button onClick={() => change(only(key))}>
            <strong>{f.number(count)}</strong>
            <span>{key === '' ? t.changes.blank : wordsOf(key)}</span>
          </Button>
        </li>
      ))}
      {found?.isCut === true ? <li className="faint">{t.changes.cut}</li> : null}
    </ul>
  );
}
