import { useState } from 'react';
import type { Schemas } from '../api/schema.d.ts';
import { useMay } from '../shell/session.tsx';
import { useOverview } from '../state/live.ts';
import { usePage } from '../state/page-context.tsx';
import { useAnswer } from '../state/queries.ts';
import { Link, pathTo, withFilters } from '../state/router.tsx';
import { wordOf } from '../texts/plural.ts';
import { ActionButton } from '../ui/actions.tsx';
import { Badge, StateBadge } from '../ui/badges.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Select } from '../ui/filters.tsx';
import { Dots, Empty, Loaded, PageHead, Section } from '../ui/frame.tsx';
import { Ago, At } from '../ui/time.tsx';

type Alerts = Schemas['AlertList'];
type Alert = Alerts['open'][number];

/** Open alerts with what to do, muted subjects, and what was sent to whom. */
export function AlertsPage() {
  const { t } = usePage();
  const alerts = useAnswer('/api/alerts', { limit: 50 }, { refetchInterval: 15_000 });
  return (
    <>
      <PageHead title={t.nav.alerts} />
      <Loaded query={alerts}>
        {(data) => (
          <>
            <Section name="open" title={t.alerts.open}>
              {data.open.length === 0 ? (
                <Empty title={t.alerts.none} hint={t.alerts.noneHint} />
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
            </Section>
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
  const { subject, severity, summary, details, unaffected, action, since, acknowledged, code } = alert;
  const { name } = subject;
  return (
    <li>
      <Badge look={severity === 'info' ? ['warn', 'bell'] : ['bad', 'warn']}>
        {wordOf(t.words.severity, severity)}
      </Badge>
      <div className="grow">
        <strong>{summary}</strong>
        <div className="faint small">
          {wordOf(t.words.subject, subject.kind)}{' '}
          <Dots>
            {subject.kind === 'sync' ? <Link to={pathTo('syncs', name)}>{name}</Link> : name}
            <Ago at={since} />
            {acknowledged === null ? null : (
              <span>
                {t.alerts.acknowledgedBy(acknowledged.by)} <Ago at={acknowledged.at} />
              </span>
            )}
            {isMuted ? t.alerts.isMuted : null}
          </Dots>
        </div>
        {details.map((line) => (
          <div key={line} className="break">
            {line}
          </div>
        ))}
        {unaffected === null ? null : <div className="faint">{unaffected}</div>}
        <div className="todo">
          <span className="faint">{t.alerts.todo}</span> <NextOfAlert alert={alert} />
          <details>
            <summary>{t.alerts.command}</summary>
            {action.split('\n').map((line) => (
              <div key={line}>
                <code className="break">{line}</code>
              </div>
            ))}
          </details>
          <a href={`/runbook#${encodeURIComponent(code)}`}>{t.menu.runbook}</a>
        </div>
      </div>
      {mayAct ? (
        <div className="actions">
          {acknowledged === null ? (
            <ActionButton
              label={t.alerts.ack}
              means={t.alerts.ackMeans(name)}
              onAct={(body) => api.post('/api/alerts/{name}/ack', { name }, body)}
            />
          ) : null}
          {isMuted ? null : <MuteButton name={name} />}
        </div>
      ) : null}
    </li>
  );
}

/** Where on this page an operator acts on the alert. */
function NextOfAlert({ alert: { subject, run, code } }: { readonly alert: Alert }) {
  const { t } = usePage();
  const sync = useOverview().data?.syncs.find(({ name }) => name === subject.name);
  if (code === 'changes-held' && sync !== undefined && sync.holds.changes > 0) {
    return (
      <Link className="button main" to={withFilters('/holds', { sync: sync.name })}>
        {t.overview.waiting.review(sync.holds.changes)}
      </Link>
    );
  }
  if (run !== null) return <Link to={pathTo('runs', run)}>{t.overview.waiting.look}</Link>;
  if (subject.kind === 'connection') return <Link to="/connections">{t.nav.connections}</Link>;
  return subject.kind === 'sync' ? <Link to={pathTo('syncs', subject.name)}>{subject.name}</Link> : null;
}

const spans: readonly number[] = [60, 240, 1440, 10_080];

function MuteButton({ name }: { readonly name: string }) {
  const { api, t, f } = usePage();
  const [minutes, setMinutes] = useState(60);
  return (
    <ActionButton
      label={t.alerts.mute}
      means={t.alerts.muteMeans(name)}
      onAct={(body) => api.post('/api/alerts/{name}/mute', { name }, { minutes, ...body })}
    >
      <Select
        look="field"
        label={t.alerts.muteFor}
        value={String(minutes)}
        options={spans.map((one) => [String(one), f.duration(one * 60_000)])}
        onChange={(chosen) => setMinutes(Number(chosen))}
      />
    </ActionButton>
  );
}

function Muted({ muted }: { readonly muted: Alerts['muted'] }) {
  const { api, t } = usePage();
  const mayAct = useMay('act');
  return (
    <Section name="muted" title={t.alerts.muted}>
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
                onAct={(body) => api.post('/api/alerts/{name}/unmute', { name: subject.name }, body)}
              />
            ) : null}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What was sent to whom, and the channels. */
function Notices({ alerts: { channels, notices } }: { readonly alerts: Alerts }) {
  const { t } = usePage();
  const words = t.alerts;
  const empty =
    channels.length === 0 ? (
      <Empty title={words.noChannel} hint={words.noChannelHint} />
    ) : (
      <Empty title={words.noNotice(channels.map(({ name }) => name).join(', '))} />
    );
  return (
    <Section name="notices" title={words.notices}>
      <DataTable
        rows={channels.length === 0 ? [] : notices}
        keyOf={({ id, channel }) => `${id} ${channel}`}
        empty={empty}
        columns={[
          { title: words.at, cell: ({ at }) => <At at={at} /> },
          {
            title: t.audit.about,
            cell: ({ subject, kind }) => (
              <>
                {subject.name} <span className="faint">{kind}</span>
              </>
            ),
          },
          { title: words.severity, cell: ({ severity }) => wordOf(t.words.severity, severity) },
          { title: words.channel, cell: ({ channel }) => channel },
          {
            title: words.delivery,
            cell: ({ state, error, tries }) => (
              <>
                <StateBadge of="notice" state={state} />{' '}
                <span className="faint break">{error ?? (tries > 1 ? words.tries(tries) : '')}</span>
              </>
            ),
          },
        ]}
      />
    </Section>
  );
}
