import { Link, pathTo } from '../router/router.tsx';
import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { At } from '../ui/time.tsx';
import type { FoundChange } from './subject.ts';

interface Line {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What differs, field by field. The account itself counts as a field. */
export function differencesOf({ kind, before, after, changed, isEnabled }: FoundChange, words: Enabled): Line[] {
  const account: Record<string, readonly [string | undefined, string | undefined]> = {
    enable: [words.no, words.yes],
    disable: [isEnabled === false ? words.no : words.yes, words.no],
    remove: [isEnabled === false ? words.no : words.yes, words.gone],
  };
  const own = account[kind];
  return [
    ...(own === undefined ? [] : [{ field: 'enabled', before: own[0], after: own[1] }]),
    ...changed.map((field) => ({ field, before: before?.[field], after: after[field] })),
  ];
}

interface Enabled {
  readonly yes: string;
  readonly no: string;
  readonly gone: string;
}

export function ChangeDetails({ change, sync }: { readonly change: FoundChange; readonly sync: string }) {
  const { t } = usePage();
  const { identification, reason, state, stateReason, decision, classes } = change;
  const lines = differencesOf(change, t.changes.account);
  return (
    <>
      <table className="diff">
        <thead>
          <tr>
            <th scope="col">{t.changes.field}</th>
            <th scope="col">{t.changes.before}</th>
            <th scope="col">{t.changes.after}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{wordOf(t.words.field, field)}</th>
              <td>{before === undefined || before === '' ? <Blank /> : <del>{before}</del>}</td>
              <td>{after === undefined || after === '' ? <Blank /> : <ins>{after}</ins>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl className="facts">
        <div>
          <dt>{t.changes.columns.reason}</dt>
          <dd>{reason}</dd>
        </div>
        <div>
          <dt>{t.changes.state}</dt>
          <dd>
            {wordOf(t.words.changeState, state)}
            {stateReason === null ? '' : `: ${stateReason}`}
          </dd>
        </div>
        <div>
          <dt>{t.changes.classes}</dt>
          <dd>{classes.map((one) => wordOf(t.words.classes, one)).join(', ')}</dd>
        </div>
        {decision === null || decision.by === null ? null : (
          <div>
            <dt>{t.changes.decided}</dt>
            <dd>
              {wordOf(t.words.holdState, decision.state)} · {decision.by} · <At at={decision.at} />
              {decision.reason === null ? '' : ` · ${decision.reason}`}
            </dd>
          </div>
        )}
        <div>
          <dt>{t.changes.person}</dt>
          <dd>
            <Link to={pathTo('people', sync, identification)}>{t.changes.why}</Link>
          </dd>
        </div>
      </dl>
    </>
  );
}

function Blank() {
  const { t } = usePage();
  return <span className="faint">{t.changes.blank}</span>;
}
