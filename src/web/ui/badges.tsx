import type { ReactNode } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import type { SyncOverview } from '../state/live.ts';
import { classCount, usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Ago } from './time.tsx';

/** Small line icons, 16 by 16. Each is beside a word, so assistive technology skips it. */
const paths = {
  ok: 'M3.5 8.5l3 3 6-7',
  bad: 'M4.5 4.5l7 7M11.5 4.5l-7 7',
  warn: 'M8 2.8l6 10.4H2L8 2.8zM8 6.6v3M8 11.4v.2',
  pause: 'M6 4v8M10 4v8',
  none: 'M4 8h8',
  clock: 'M8 4.5V8l2.3 1.6M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11z',
  run: 'M5.5 3.8l6 4.2-6 4.2z',
  hand: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM6.3 5.8v4.4M9.7 5.8v4.4',
  down: 'M4.5 6.5L8 10l3.5-3.5',
  right: 'M6.5 4.5L10 8l-3.5 3.5',
  search: 'M7 3a4 4 0 100 8 4 4 0 000-8zM10 10l3.2 3.2',
  user: 'M8 3a2.5 2.5 0 100 5 2.5 2.5 0 000-5zM3.5 13.2c.6-2.4 2.3-3.6 4.5-3.6s3.9 1.2 4.5 3.6',
  plus: 'M8 4v8M4 8h8',
  wave: 'M3 9.2c1.6-3.2 3.3-3.2 5 0s3.4 3.2 5 0',
  minus: 'M4 8h8',
  bell: 'M4.5 11V7.5a3.5 3.5 0 017 0V11l1 1.2h-9l1-1.2zM7 13.8h2',
  download: 'M8 3v6.5M5.2 7L8 9.8 10.8 7M3.5 13h9',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** Color and icon of a state. `bad` is for what needs a person. */
export type Look = readonly ['good' | 'bad' | 'warn' | 'busy' | 'quiet', IconName];

interface BadgeProps {
  readonly look: Look;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A state with an icon and a word: color never speaks alone. */
export function Badge({ look: [tone, icon], title, children }: BadgeProps) {
  return (
    <span className={`badge ${tone}`} title={title}>
      <Icon name={icon} />
      {children}
    </span>
  );
}

const icons: Readonly<Record<string, IconName>> = {
  create: 'plus',
  update: 'wave',
  enable: 'ok',
  disable: 'minus',
  remove: 'bad',
  lead: 'user',
  unlead: 'minus',
};

/** What a change may do, in the order in which counts show it. */
export const changeKinds = ['create', 'update', 'enable', 'disable', 'remove', 'lead', 'unlead'] as const;

/** What a change does, or how many changes do it. */
export function KindMark({ kind, count }: { readonly kind: string; readonly count?: number }) {
  const { t, f } = usePage();
  return (
    <span className={`kind-mark ${kind}`}>
      <Icon name={icons[kind] ?? 'wave'} />
      {count === undefined ? wordOf(t.words.kind, kind) : classCount({ t, f }, `${kind}s`, count)}
    </span>
  );
}

/** What a run decided and what became of it, without the zeros. */
export function Counts({ counts }: { readonly counts: Schemas['Run']['counts'] }) {
  const { t, f } = usePage();
  const kinds = changeKinds.filter((kind) => counts[kind] > 0);
  const bad = (['held', 'failed', 'unverified', 'unresolved'] as const).filter((state) => counts[state] > 0);
  if (kinds.length + bad.length === 0) return <span className="faint">–</span>;
  return (
    <span className="counts">
      {kinds.map((kind) => (
        <KindMark key={kind} kind={kind} count={counts[kind]} />
      ))}
      {bad.map((state) => (
        <span key={state} className={state === 'held' ? 'held' : 'needs'}>
          {f.number(counts[state])} {t.runs.counts[state]}
        </span>
      ))}
    </span>
  );
}

const good: Look = ['good', 'ok'];
const bad: Look = ['bad', 'bad'];
const alarm: Look = ['bad', 'warn'];
const waits: Look = ['quiet', 'clock'];
const unknown: Look = ['quiet', 'none'];

type Looks = Readonly<Record<string, Look>>;

const looks = {
  health: {
    ...{ succeeding: good, failing: bad, stale: ['bad', 'clock'] },
    ...{ 'needs-approval': ['warn', 'hand'], paused: ['warn', 'pause'] },
  } as Looks,
  /** How a run ended. */
  outcome: {
    ...{ succeeded: good, exported: good, held: ['warn', 'hand'] },
    ...{ partial: alarm, failed: bad, cancelled: ['quiet', 'bad'] },
  } as Looks,
  token: {
    ...{ ready: good, static: good, refreshing: ['warn', 'clock'] },
    ...{ none: alarm, sealed: alarm, restored: alarm, 'reauth-required': alarm, revoked: alarm },
  } as Looks,
  holdState: {
    ...{ open: ['warn', 'hand'], approved: good },
    ...{ rejected: waits, decided: waits, expired: waits, replaced: waits },
  } as Looks,
  preview: { waiting: waits, working: ['busy', 'run'], done: good, failed: bad } as Looks,
  notice: { waiting: waits, delivered: good, unconfirmed: alarm, 'given-up': alarm } as Looks,
  /** A step on the way of a person. */
  step: { ok: good, partly: ['warn', 'warn'], stopped: bad } as Looks,
} as const;

/** The state of something, by its word and its look. */
export function StateBadge({ of, state }: { readonly of: keyof typeof looks; readonly state: string }) {
  const { t } = usePage();
  return <Badge look={looks[of][state] ?? unknown}>{wordOf(t.words[of], state)}</Badge>;
}

/** How the runs of a sync go, whatever it does now. */
export function HealthBadge({ health }: { readonly health: SyncOverview['health'] }) {
  const { t, f } = usePage();
  const isFailing = health.state === 'failing';
  return (
    <span className="stack">
      <Badge look={looks.health[health.state] ?? unknown} {...(health.reason === null ? {} : { title: health.reason })}>
        {wordOf(t.words.health, health.state)}
        {isFailing && health.failures > 1 ? ` ${t.overview.syncs.failures(health.failures)}` : ''}
      </Badge>
      {health.since !== null && health.state !== 'succeeding' ? (
        <small className="faint" title={f.fullInstant(health.since)}>
          <Ago at={health.since} />
          {health.by === null ? '' : ` ${t.overview.syncs.pausedBy(health.by)}`}
          {health.until === null ? '' : ` · ${t.overview.syncs.pausedUntil(f.fullInstant(health.until))}`}
          {isFailing && health.isStale ? ` · ${t.overview.syncs.stale}` : ''}
        </small>
      ) : null}
    </span>
  );
}

/** How a run ended; without an outcome: it is in progress. */
export function OutcomeBadge({ run }: { readonly run: Pick<Schemas['Run'], 'outcome' | 'phase' | 'isSuccess'> }) {
  const { outcome, phase, isSuccess } = run;
  const { t } = usePage();
  if (outcome === null) return <Badge look={['busy', 'run']}>{wordOf(t.words.phase, phase)}</Badge>;
  // A bad record alone is work for HR, not a failure.
  if (outcome === 'partial' && isSuccess)
    return <Badge look={['warn', 'warn']}>{wordOf(t.words.outcome, outcome)}</Badge>;
  return <StateBadge of="outcome" state={outcome} />;
}
