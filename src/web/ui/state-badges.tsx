import type { SyncOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { wordOf } from '../texts/plural.ts';
import { Badge, type Tone } from './badge.tsx';
import type { IconName } from './icon.tsx';
import { Ago } from './time.tsx';

type Look = readonly [Tone, IconName];

const healthLooks: Readonly<Record<SyncOverview['health']['state'], Look>> = {
  succeeding: ['good', 'ok'],
  failing: ['bad', 'bad'],
  stale: ['bad', 'clock'],
  'never-ran': ['quiet', 'none'],
  paused: ['warn', 'pause'],
};

/** How the runs of a sync go, whatever it does now. */
export function HealthBadge({ health }: { readonly health: SyncOverview['health'] }) {
  const { t, f } = usePage();
  const [tone, icon] = healthLooks[health.state];
  const isFailing = health.state === 'failing';
  return (
    <span className="stack">
      <Badge tone={tone} icon={icon} {...(health.reason === null ? {} : { title: health.reason })}>
        {wordOf(t.words.health, health.state)}
        {isFailing && health.failures > 1 ? ` ${t.overview.syncs.failures(health.failures)}` : ''}
      </Badge>
      {health.since !== null && health.state !== 'succeeding' ? (
        <small className="faint" title={f.fullInstant(health.since)}>
          <Ago at={health.since} />
          {health.by === null ? '' : ` ${t.overview.syncs.pausedBy(health.by)}`}
          {isFailing && health.isStale ? ` · ${t.overview.syncs.stale}` : ''}
        </small>
      ) : null}
    </span>
  );
}

const outcomeLooks: Readonly<Record<string, Look>> = {
  succeeded: ['good', 'ok'],
  'nothing-to-do': ['quiet', 'none'],
  held: ['warn', 'hand'],
  partial: ['bad', 'warn'],
  failed: ['bad', 'bad'],
  cancelled: ['quiet', 'bad'],
  exported: ['good', 'ok'],
};

/** How a run ended; null: it is in progress. */
export function OutcomeBadge({ outcome, phase }: { readonly outcome: string | null; readonly phase: string }) {
  const { t } = usePage();
  if (outcome === null) {
    return (
      <Badge tone="busy" icon="run">
        {wordOf(t.words.phase, phase)}
      </Badge>
    );
  }
  const [tone, icon] = outcomeLooks[outcome] ?? ['quiet', 'none'];
  return (
    <Badge tone={tone} icon={icon}>
      {wordOf(t.words.outcome, outcome)}
    </Badge>
  );
}
