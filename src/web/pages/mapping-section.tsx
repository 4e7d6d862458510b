import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../api/client.ts';
import type { Schemas } from '../api/schema.ts';
import { useMay } from '../shell/session.tsx';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { pathTo, useRouter } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { Button, CopyButton, ProblemBox } from '../ui/actions.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Loaded, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';

type Mapping = Schemas['SyncMapping'];

/** The mapping as a table with fill-rates, and how much of each guard is used. */
export function MappingSection({ sync }: { readonly sync: string }) {
  const mapping = useAnswer(['mapping', sync], (api, signal) =>
    api.GET('/api/syncs/{sync}/mapping', { signal, params: { path: { sync } } }),
  );
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
    <Section name="guards" title={words.guards}>
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
    </Section>
  );
}

function Fields({ mapping }: { readonly mapping: Mapping }) {
  const { t } = usePage();
  const words = t.mapping;
  const { fields, readAt, scope, sync } = mapping;
  return (
    <Section name="mapping" title={words.title}>
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
      <DataTable
        rows={fields}
        keyOf={({ field }) => field}
        columns={[
          { title: words.field, kind: 'head', cell: ({ field }) => wordOf(t.words.field, field) },
          {
            title: words.origin,
            cell: ({ origin, kind, unseen }) => (
              <span className="stack">
                <code className="break">{origin}</code>
                <small className="faint">{wordOf(words.kinds, kind)}</small>
                {unseen.length === 0 ? null : <small className="needs">{words.unseen(unseen.join(', '))}</small>}
              </span>
            ),
          },
          {
            title: words.transforms,
            cell: ({ transforms, format }) => [...transforms, ...(format === null ? [] : [format])].join(', '),
          },
          { title: words.whenEmpty, cell: ({ whenEmpty }) => wordOf(words.empties, whenEmpty) },
          { title: words.write, cell: ({ write }) => wordOf(words.writes, write) },
          {
            title: words.fill,
            cell: ({ fillRate }) =>
              fillRate === null ? null : (
                <span className="fill">
                  <meter min={0} max={1} value={fillRate} aria-label={words.fill} />
                  {percent(fillRate)}
                </span>
              ),
          },
        ]}
      />
      <Samples sync={sync} />
      <MappingEdit mapping={mapping} />
    </Section>
  );
}

/** Tries an edit of the mapping: a plan without effect shows whom it changes. The configuration stays as it is. */
function MappingEdit({ mapping: { sync, yaml } }: { readonly mapping: Mapping }) {
  const { api, t } = usePage();
  const words = t.mapping.edit;
  const { navigate } = useRouter();
  const [text, setText] = useState(yaml);
  const order = useMutation({
    mutationFn: () =>
      answerOf(api.POST('/api/syncs/{sync}/mapping/preview', { params: { path: { sync } }, body: { mapping: text } })),
    onSuccess: ({ id }) => navigate(pathTo('previews', id)),
  });
  if (!useMay('samples', sync)) return null;
  return (
    <details className="stretch edit">
      <summary>{words.title}</summary>
      <p className="why faint">{words.hint}</p>
      <textarea
        value={text}
        onChange={(event) => setText(event.target.value)}
        rows={Math.min(30, text.split('\n').length + 1)}
        aria-label={words.title}
        spellCheck={false}
        autoComplete="off"
      />
      <ProblemBox error={order.error} onDismiss={() => order.reset()} />
      <div className="actions">
        <Button look="main" isBusy={order.isPending} disabled={text === yaml} onClick={() => order.mutate()}>
          {words.preview}
        </Button>
        <CopyButton text={text} />
      </div>
    </details>
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
  const maySee = useMay('samples', sync);
  const read = useMutation({
    mutationFn: () => answerOf(api.GET('/api/syncs/{sync}/mapping/samples', { params: { path: { sync } } })),
  });
  if (!maySee) return null;
  return (
    <div className="samples">
      <Button isBusy={read.isPending} title={words.samplesMeans} onClick={() => read.mutate()}>
        {words.showSamples}
      </Button>
      <ProblemBox error={read.error} onDismiss={() => read.reset()} />
      {read.data === undefined ? null : <SampleTable records={read.data.records} />}
    </div>
  );
}

/** One row for each field, one column for each record. */
function SampleTable({ records }: Schemas['MappingSamples']) {
  const { t } = usePage();
  const fields = records[0]?.values.map(({ field }) => field) ?? [];
  const cellOf = (values: (typeof records)[number]['values'], field: string) => {
    const found = values.find((value) => value.field === field);
    return <span className={found?.effect === 'set' ? undefined : 'faint'}>{found?.value ?? ''}</span>;
  };
  return (
    <DataTable
      look="wide"
      caption={t.mapping.samples}
      rows={fields}
      keyOf={(field) => field}
      columns={[
        { title: '', kind: 'head', cell: (field) => wordOf(t.words.field, field) },
        ...records.map(({ at, values }) => ({
          title: at,
          className: 'break',
          cell: (field: string) => cellOf(values, field),
        })),
      ]}
    />
  );
}
