import { Link } from '../../router/router.tsx';
import type { Overview } from '../../state/live.ts';
import { usePage } from '../../state/page-context.tsx';
import { Badge } from '../../ui/badge.tsx';

export function WorkCard({ work }: { readonly work: Overview['work'] }) {
  const { t, f } = usePage();
  const words = t.overview.work;
  const isUnscheduled = work.workers === 'alive';
  return (
    <section className="card" aria-labelledby="work-title">
      <h2 id="work-title">{words.title}</h2>
      <dl className="pairs">
        <div>
          <dt>{words.deployment}</dt>
          <dd>
            {work.isDeploymentRunning ? (
              <Badge tone="good" icon="ok">
                {words.running}
              </Badge>
            ) : (
              <Badge tone="warn" icon="pause">
                {isUnscheduled ? words.unscheduled : words.stopped}
              </Badge>
            )}
          </dd>
        </div>
        <div>
          <dt>{words.workers}</dt>
          <dd className={work.workers === 'none' ? 'needs' : ''}>{words.workerStates[work.workers]}</dd>
        </div>
        <div>
          <dt>{words.runs}</dt>
          <dd>{f.number(work.runs)}</dd>
        </div>
        <div>
          <dt>{words.requests}</dt>
          <dd>{f.number(work.requests)}</dd>
        </div>
      </dl>
      {work.isDeploymentRunning ? null : (
        <p className="faint small">{isUnscheduled ? words.unscheduledHint : words.stoppedHint}</p>
      )}
      {work.workers === 'none' ? <p className="faint small">{words.noWorkersHint}</p> : null}
    </section>
  );
}

export function AlertsCard({ alerts }: { readonly alerts: Overview['alerts'] }) {
  const { t } = usePage();
  const words = t.overview.alerts;
  const { open, acknowledged, muted } = alerts;
  return (
    <section className="card" aria-labelledby="alerts-title">
      <h2 id="alerts-title">{words.title}</h2>
      {open === 0 ? (
        <Badge tone="good" icon="ok">
          {words.none}
        </Badge>
      ) : (
        <Link to="/alerts">
          <Badge tone={alerts.worst === 'info' ? 'warn' : 'bad'} icon="bell">
            {words.open(open)}
          </Badge>
        </Link>
      )}
      <p className="faint small">
        {[acknowledged > 0 ? words.acknowledged(acknowledged) : '', muted > 0 ? words.muted(muted) : '']
          .filter((one) => one !== '')
          .join(' · ')}
      </p>
    </section>
  );
}
