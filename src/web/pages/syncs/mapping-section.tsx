import { useMutation, useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/client.ts';
import { problemOfError } from '../../api/problem.ts';
import type { Schemas } from '../../api/schema.ts';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { wordOf } from '../../texts/plural.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { ProblemBox } from '../../ui/problem-box.tsx';
import { Ago } from '../../ui/time.tsx';

type Mapping = Schemas['SyncMapping'];

/** The mapping as a table with fill-rates, and how much of each guard is used. */
export function MappingSection({ sync }: { readonly sync: string }) {
  const { api } = usePage();
  const mapping = useQuery({
    queryKey: ['mapping', sync],
    queryFn: ({ signal }) => answerOf(api.GET('/api/syncs/{sync}/mapping', { signal, params: { path: { sync } } })),
  });
  return (
    <Loaded query={mapping}>
      {(data) => (
        <>
          <Guards mapping={data} />
          <Fields mapping={data} />
        </>
      )}
    </Loaded>
  );
}

function Guards({ mapping: { guards, managed, enabled } }: { readonly mapping: Mapping }) {
  const { t, f } = usePage();
  const words = t.mapping;
  return (
    <section aria-labelledby="guards-title">
      <h2 id="guards-title">{words.guards}</h2>
      <p className="why faint">{words.managed(f.number(managed), f.number(enabled))}</p>
      <ul className="list guards">
        {guards.map(({ class: name, allowed, used }) => (
          <li key={name}>
            <span className="grow">{wordOf(t.words.classes, name)}</span>
            <span className={used > allowed ? 'needs' : used === 0 ? 'faint' : ''}>
              {words.usedOf(f.number(used), f.number(allowed))}
            </span>
            <meter
              min={0}
              max={Math.max(1, allowed)}
              value={Math.min(used, allowed)}
              aria-label={wordOf(t.words.classes, name)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Fields({ mapping }: { readonly mapping: Mapping }) {
  const { t } = usePage();
  const words = t.mapping;
  const { fields, readAt, scope, sync } = mapping;
  return (
    <section aria-labelledby="mapping-title">
      <h2 id="mapping-title">{words.title}</h2>
      <p className="why faint">
        {readAt === null ? (
          words.notRead
        ) : (
          <>
            {words.asRead} <Ago at={readAt} />
          </>
        )}
        {scope === null ? null : (
          <>
            {' '}
            · {words.scope}: <code className="break">{scope}</code>
          </>
        )}
      </p>
      <div className="table">
        <table className="folding">
          <thead>
            <tr>
              <th scope="col">{words.field}</th>
              <th scope="col">{words.origin}</th>
              <th scope="col">{words.transforms}</th>
              <th scope="col">{words.whenEmpty}</th>
              <th scope="col">{words.fill}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <FieldRow key={field.field} field={field} />
            ))}
          </tbody>
        </table>
      </div>
      <Samples sync={sync} />
    </section>
  );
}

function FieldRow({ field: one }: { readonly field: Mapping['fields'][number] }) {
  const { t } = usePage();
  const words = t.mapping;
  const { field, kind, origin, transforms, format, whenEmpty, unseen, fillRate } = one;
  return (
    <tr>
      <th scope="row">{wordOf(t.words.field, field)}</th>
      <td data-label={words.origin}>
        <span className="stack">
          <code className="break">{origin}</code>
          <small className="faint">{wordOf(words.kinds, kind)}</small>
          {unseen.length === 0 ? null : <small className="needs">{words.unseen(unseen.join(', '))}</small>}
        </span>
      </td>
      <td data-label={words.transforms}>{[...transforms, ...(format === null ? [] : [format])].join(', ')}</td>
      <td data-label={words.whenEmpty}>{wordOf(words.empties, whenEmpty)}</td>
      <td data-label={words.fill}>
        {fillRate === null ? null : (
          <span className="fill">
            <meter min={0} max={1} value={fillRate} aria-label={words.fill} />
            {percent(fillRate)}
          </span>
        )}
      </td>
    </tr>
  );
}

/** Rounds down, so that 100 % means everybody. */
function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** Values of the first records, for users who may see data of employees. They are read when the user asks. */
function Samples({ sync }: { readonly sync: string }) {
  const { api, t } = usePage();
  const words = t.mapping;
  const maySee = useMay('samples');
  const read = useMutation({
    mutationFn: () => answerOf(api.GET('/api/syncs/{sync}/mapping/samples', { params: { path: { sync } } })),
  });
  if (!maySee) return null;
  return (
    <div className="samples">
      <Button isBusy={read.isPending} title={words.samplesMeans} onClick={() => read.mutate()}>
        {words.showSamples}
      </Button>
      {read.error === null ? null : <ProblemBox problem={problemOfError(read.error)} onDismiss={() => read.reset()} />}
      {read.data === undefined ? null : <SampleTable records={read.data.records} />}
    </div>
  );
}

function SampleTable({ records }: Schemas['MappingSamples']) {
  const { t } = usePage();
  const fields = records[0]?.values.map(({ field }) => field) ?? [];
  return (
    <div className="table wide">
      <table>
        <caption className="unseen">{t.mapping.samples}</caption>
        <thead>
          <tr>
            <td />
            {records.map(({ at }) => (
              <th key={at} scope="col">
                {at}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field}>
              <th scope="row">{wordOf(t.words.field, field)}</th>
              {records.map(({ at, values }) => {
                const found = values.find((value) => value.field === field);
                return (
                  <td key={at} className={found?.effect === 'set' ? 'break' : 'break faint'}>
                    {found?.value ?? ''}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
