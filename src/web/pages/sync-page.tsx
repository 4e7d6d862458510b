import { useMutation } from '@tanstack/react-query';
import { type ComponentType, useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { type SyncOverview, useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, navigate, pathTo, withFilters } from '../state/router.tsx';
import { classWord, wordOf } from '../texts/plural.ts';
import { ActionButton, Button, CopyButton, ProblemBox } from '../ui/actions.tsx';
import { HealthBadge } from '../ui/badges.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Empty, Loaded, PageHead, Pair, Section } from '../ui/frame.tsx';
import { Ago } from '../ui/time.tsx';
import { WaitingList } from './overview-page.tsx';
import { PreviewButton } from './preview-orders.tsx';
import { PreviewsSection } from './preview-page.tsx';
import { RunTable, useRuns } from './runs-page.tsx';
import { ActivityCell, DayBars, isCharted, NextSlot, useDays } from './sync-table.tsx';

/** One sync: how it goes, what it did, and what can be done with it. */
export function SyncPage({ name }: { readonly name: string }) {
  const { t } = usePage();
  const overview = useOverview();
  return (
    <Loaded query={overview}>
      {(data) => {
        const sync = data.syncs.find((one) => one.name === name);
        if (sync === undefined) {
          return (
            <>
              <PageHead title={name} />
              <Empty title={t.syncs.unknown} />
            </>
          );
        }
        return (
          <>
            <PageHead
              title={name}
              beside={<HealthBadge health={sync.health} />}
              actions={<SyncActions sync={sync} />}
            />
            {sync.holds.changes + sync.holds.expired.changes + sync.holds.reads === 0 ? null : (
              <WaitingList overview={{ ...data, syncs: [sync] }} />
            )}
            <Facts sync={sync} />
            <p className="stretch">
              <Link to={pathTo('syncs', name, 'accounts')}>{t.accounts.link}</Link>
              {' · '}
              <Link to={pathTo('syncs', name, 'data-quality')}>{t.corrections.link}</Link>
            </p>
            <MappingPart sync={name} of={Fields} />
            <LastRuns name={name} />
            <MappingPart sync={name} of={Guards} />
            <PreviewsSection sync={name} />
          </>
        );
      }}
    </Loaded>
  );
}

function Facts({ sync }: { readonly sync: SyncOverview }) {
  const { t } = usePage();
  const days = useDays(30, sync.name);
  const words = t.overview.syncs;
  const own = days.data?.syncs[0]?.days;
  return (
    <section className="cards">
      <div className="card">
        <dl className="pairs">
          <Pair name={t.runs.state}>
            <ActivityCell sync={sync} />
          </Pair>
          <Pair name={words.fresh}>
            <Ago at={sync.freshAt} />
          </Pair>
          <Pair name={words.next}>
            <NextSlot sync={sync} />
          </Pair>
          <Pair name={t.syncs.schedule}>{sync.schedule === null ? words.manual : <code>{sync.schedule}</code>}</Pair>
          <Pair name={t.syncs.policy}>
            <code>{sync.policy}</code>
          </Pair>
          <Pair name={t.syncs.connection}>
            <Link to="/connections">{sync.connection}</Link>
          </Pair>
        </dl>
      </div>
      {sync.health.reason === null && !isCharted(own ?? []) ? null : (
        <div className="card">
          <h2>{t.syncs.days}</h2>
          <DayBars days={own} />
          {sync.health.reason === null ? null : <p className="needs break">{sync.health.reason}</p>}
        </div>
      )}
    </section>
  );
}

function LastRuns({ name }: { readonly name: string }) {
  const { t } = usePage();
  const runs = useRuns({ sync: name }, 10);
  return (
    <Section name="last-runs" title={t.syncs.lastRuns}>
      <Loaded query={{ ...runs, hasNextPage: false }}>{({ rows }) => <RunTable runs={rows} isOfOneSync />}</Loaded>
      <p className="faint small">
        <Link to={withFilters('/runs', { sync: name })}>{t.syncs.allRuns}</Link>
      </p>
    </Section>
  );
}

function SyncActions({ sync: { name: sync, health } }: { readonly sync: SyncOverview }) {
  const { api, t } = usePage();
  const mayAct = useMay('act', sync);
  if (!mayAct) return null;
  const action = (name: 'pause' | 'resume' | 'full' | 'run', onAct: () => Promise<unknown>) => (
    <ActionButton
      label={t.syncs[name]}
      means={t.syncs[`${name}Means`]}
      reason="none"
      look={name === 'run' ? 'main' : 'plain'}
      onAct={onAct}
    />
  );
  return (
    <>
      <PreviewButton sync={sync} />
      {health.state === 'paused'
        ? action('resume', () => api.post('/api/syncs/{sync}/resume', { sync }, undefined))
        : action('pause', () => api.post('/api/syncs/{sync}/pause', { sync }, {}))}
      {action('full', () => api.post('/api/syncs/{sync}/runs', { sync }, { full: true }))}
      {action('run', () => api.post('/api/syncs/{sync}/runs', { sync }, {}))}
    </>
  );
}

type Mapping = Schemas['SyncMapping'];

interface MappingProps {
  readonly mapping: Mapping;
}

/** A part of what the server says about the mapping and the guards of a sync. */
function MappingPart({ sync, of: Part }: { readonly sync: string; readonly of: ComponentType<MappingProps> }) {
  const mapping = useAnswer('/api/syncs/{sync}/mapping', { sync });
  return <Loaded query={mapping}>{(data) => <Part mapping={data} />}</Loaded>;
}

/** How much of each guard is used. Those of which nothing is used are folded. */
function Guards({ mapping: { guards, managed, enabled } }: MappingProps) {
  const { t, f } = usePage();
  const words = t.mapping;
  const [isAll, setAll] = useState(false);
  const shown = guards.filter(({ used }) => isAll || used > 0);
  return (
    <Section name="guards" title={words.guards}>
      <p className="why faint">{words.managed(f.number(managed), f.number(enabled))}</p>
      <ul className="list guards">
        {shown.map(({ class: name, allowed, used }) => (
          <li key={name}>
            <span className="grow">{classWord(t.words.classes, name)}</span>
            <span className={used > allowed ? 'needs' : used === 0 ? 'faint' : ''}>
              {words.usedOf(f.number(used), f.number(allowed))}
            </span>
            <meter
              min={0}
              max={Math.max(1, allowed)}
              value={Math.min(used, allowed)}
              aria-label={classWord(t.words.classes, name)}
            />
          </li>
        ))}
      </ul>
      {shown.length === guards.length ? null : (
        <Button look="bare" onClick={() => setAll(true)}>
          {words.unused(guards.length - shown.length)}
        </Button>
      )}
    </Section>
  );
}

/** The mapping as a table with fill-rates. */
function Fields({ mapping }: MappingProps) {
  const { t } = usePage();
  const words = t.mapping;
  const { fields, readAt, scope, sync } = mapping;
  const maySetUp = useMay('samples', sync);
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
                  {/* Rounded down, so that 100 % means everybody. */}
                  {Math.floor(fillRate * 100)} %
                </span>
              ),
          },
        ]}
      />
      {maySetUp ? (
        <p>
          <Link className="button" to={pathTo('syncs', sync, 'set-up')}>
            {t.setUp.link}
          </Link>
        </p>
      ) : null}
      <MappingTrial mapping={mapping} />
    </Section>
  );
}

/** Tries another mapping: a plan without effect shows whom it changes. The configuration stays as it is. */
function MappingTrial({ mapping: { sync, yaml } }: MappingProps) {
  const { api, t } = usePage();
  const words = t.mapping.trial;
  const [text, setText] = useState(yaml);
  const order = useMutation({
    mutationFn: () => api.post('/api/syncs/{sync}/mapping/preview', { sync }, { mapping: text }),
    onSuccess: ({ id }) => navigate(pathTo('previews', id)),
  });
  if (!useMay('samples', sync)) return null;
  return (
    <details className="stretch trial">
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
