import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf } from '../../api/client.ts';
import type { Schemas } from '../../api/schema.ts';
import { Link, pathTo } from '../../router/router.tsx';
import { usePage } from '../../state/page-context.tsx';
import { useMay } from '../../state/session.ts';
import { wordOf } from '../../texts/plural.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Ago, At } from '../../ui/time.tsx';
import { Notices } from './notices.tsx';

type Alerts = Schemas['AlertList'];
type Alert = Alerts['open'][number];

/** Open alerts with what to do, muted subjects, and what was sent to whom. */
export function AlertsPage() {
  const { api, t } = usePage();
  const alerts = useQuery({
    queryKey: ['alerts'],
    queryFn: ({ signal }) => answerOf(api.GET('/api/alerts', { signal, params: { query: { limit: 50 } } })),
    refetchInterval: 15_000,
  });
  return (
    <>
      <PageHead title={t.alerts.title} />
      <Loaded query={alerts}>
        {(data) => (
          <>
            <section aria-labelledby="open-title">
              <h2 id="open-title">{t.alerts.open}</h2>
              {data.open.length === 0 ? (
                <Empty title={t.alerts.none}>
                  <p>{t.alerts.noneHint}</p>
                </Empty>
              ) : (
                <ul className="list">
                  {data.open.map((alert) => (
                    <AlertEntry
                      key={`${alert.subject.kind} ${alert.subject.name} ${alert.topic}`}
                      alert={alert}
                      isMuted={data.muted.some(({ subject }) => subject.name === alert.subject.name)}
                    />
                  ))}
                </ul>
              )}
            </section>
            {data.muted.length === 0 ? null : <Muted muted={data.muted} />}
            <Notices alerts={data} />
          </>
        )}
      </Loaded>
    </>
  );
}

function AlertEntry({ alert, isMuted }: { readonly alert: Alert; readonly isMuted: boolean }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  const { subject, severity, summary, details, unaffected, action, run, since, acknowledged, topic } = alert;
  const params = { path: { name: subject.name } };
  return (
    <li>
      <Badge tone={severity === 'info' ? 'warn' : 'bad'} icon={severity === 'info' ? 'bell' : 'warn'}>
        {wordOf(t.words.severity, severity)}
      </Badge>
      <div className="grow">
        <strong>{summary}</strong>
        <div className="faint small">
          {wordOf(t.words.subject, subject.kind)}{' '}
          {subject.kind === 'sync' ? <Link to={pathTo('syncs', subject.name)}>{subject.name}</Link> : subject.name} ·{' '}
          <Ago at={since} />
          {acknowledged === null ? null : (
            <>
              {' · '}
              {t.alerts.acknowledgedBy(acknowledged.by)} <Ago at={acknowledged.at} />
            </>
          )}
          {isMuted ? ` · ${t.alerts.isMuted}` : ''}
        </div>
        {details.map((line) => (
          <div key={line} className="break">
            {line}
          </div>
        ))}
        {unaffected === null ? null : <div className="faint">{unaffected}</div>}
        <div className="todo">
          <span className="faint">{t.alerts.todo}</span>{' '}
          {action.split('\n').map((line) => (
            <div key={line}>
              <code className="break">{line}</code>
            </div>
          ))}
          <a href={`/runbook#${encodeURIComponent(topic)}`}>{t.menu.runbook}</a>
          {run === null ? null : (
            <>
              {' · '}
              <Link to={pathTo('runs', run)}>{t.holds.run}</Link>
            </>
          )}
        </div>
      </div>
      {mayAct ? (
        <div className="actions">
          {acknowledged === null ? (
            <ActionButton
              label={t.alerts.ack}
              means={t.alerts.ackMeans(subject.name)}
              hasReason
              onAct={(body) => answerOf(api.POST('/api/alerts/{name}/ack', { params, body }))}
            />
          ) : null}
          {isMuted ? null : <MuteButton name={subject.name} />}
        </div>
      ) : null}
    </li>
  );
}

const spans = [60, 240, 1440, 10_080] as const;

function MuteButton({ name }: { readonly name: string }) {
  const { api, t, f } = usePage();
  const [minutes, setMinutes] = useState<number>(spans[0]);
  return (
    <ActionButton
      label={t.alerts.mute}
      means={t.alerts.muteMeans(name)}
      hasReason
      onAct={(body) =>
        answerOf(api.POST('/api/alerts/{name}/mute', { params: { path: { name } }, body: { minutes, ...body } }))
      }
    >
      <label className="field">
        {t.alerts.muteFor}
        <select value={minutes} onChange={(event) => setMinutes(Number(event.target.value))}>
          {spans.map((one) => (
            <option key={one} value={one}>
              {f.duration(one * 60_000)}
            </option>
          ))}
        </select>
      </label>
    </ActionButton>
  );
}

function Muted({ muted }: { readonly muted: Alerts['muted'] }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  return (
    <section aria-labelledby="muted-title">
      <h2 id="muted-title">{t.alerts.muted}</h2>
      <ul className="list">
        {muted.map(({ subject, until, by }) => (
          <li key={`${subject.kind} ${subject.name}`}>
            <div className="grow">
              <strong>{subject.name}</strong>{' '}
              <span className="faint">
                {t.alerts.mutedBy(by)} · {t.alerts.until} <At at={until} />
              </span>
            </div>
            {mayAct ? (
              <ActionButton
                label={t.alerts.unmute}
                means={t.alerts.unmuteMeans(subject.name)}
                hasReason
                onAct={(body) =>
                  answerOf(api.POST('/api/alerts/{name}/unmute', { params: { path: { name: subject.name } }, body }))
                }
              />
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
