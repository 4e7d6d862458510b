import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import type { Preview } from './use-preview.ts';

const looks: Readonly<Record<Preview['state'], readonly [Tone, IconName]>> = {
  waiting: ['quiet', 'clock'],
  working: ['busy', 'run'],
  done: ['good', 'ok'],
  failed: ['bad', 'bad'],
};

export function PreviewBadge({ state }: { readonly state: Preview['state'] }) {
  const { t } = usePage();
  const [tone, icon] = looks[state];
  return (
    <Badge tone={tone} icon={icon}>
      {wordOf(t.previews.states, state)}
    </Badge>
  );
}

/** How far a preview is, and why it does not go on. */
export function PreviewProgress({ preview }: { readonly preview: Preview }) {
  const { t, f } = usePage();
  const { state, progress, reason, isDeploymentRunning } = preview;
  if (state === 'done') return null;
  if (state === 'failed') {
    return (
      <div className="box bad" role="alert">
        <Icon name="warn" />
        <p className="break">{reason ?? t.previews.failed}</p>
      </div>
    );
  }
  if (state === 'waiting' && !isDeploymentRunning) {
    return (
      <div className="box warn">
        <Icon name="pause" />
        <p>{t.previews.noDeployment}</p>
      </div>
    );
  }
  const { step, done, total } = progress ?? { step: undefined, done: 0, total: null };
  return (
    <p className="box progress" role="status">
      {step === undefined ? wordOf(t.previews.states, state) : t.previews.progress(step, f.number(done))}
      <progress
        {...(total === null || total === 0 ? {} : { max: total, value: done })}
        aria-label={t.previews.making}
      />
    </p>
  );
}
