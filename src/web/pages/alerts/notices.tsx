import type { Schemas } from '../../api/schema.ts';
import { usePage } from '../../state/page-context.tsx';
import { wordOf } from '../../texts/plural.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { At } from '../../ui/time.tsx';

/** What was sent to whom, and the channels. */
export function Notices({ alerts }: { readonly alerts: Schemas['AlertList'] }) {
  const { t } = usePage();
  return (
    <section aria-labelledby="notices-title">
      <h2 id="notices-title">{t.alerts.notices}</h2>
      {alerts.channels.length === 0 ? (
        <Empty title={t.alerts.noChannel}>
          <p>{t.alerts.noChannelHint}</p>
        </Empty>
      ) : alerts.notices.length === 0 ? (
        <Empty title={t.alerts.noNotice(alerts.channels.map(({ name }) => name).join(', '))} />
      ) : (
        <div className="table">
          <table className="folding">
            <thead>
              <tr>
                <th scope="col">{t.alerts.at}</th>
                <th scope="col">{t.alerts.subject}</th>
                <th scope="col">{t.alerts.severity}</th>
                <th scope="col">{t.alerts.channel}</th>
                <th scope="col">{t.alerts.delivery}</th>
              </tr>
            </thead>
            <tbody>
              {alerts.notices.map(({ id, at, subject, severity, channel, state, tries, error, kind }) => (
                <tr key={`${id} ${channel}`}>
                  <td data-label={t.alerts.at}>
                    <At at={at} />
                  </td>
                  <td data-label={t.alerts.subject}>
                    {subject.name} <span className="faint">{kind}</span>
                  </td>
                  <td data-label={t.alerts.severity}>{wordOf(t.words.severity, severity)}</td>
                  <td data-label={t.alerts.channel}>{channel}</td>
                  <td data-label={t.alerts.delivery}>
                    <Badge
                      tone={state === 'delivered' ? 'good' : state === 'waiting' ? 'quiet' : 'bad'}
                      icon={state === 'delivered' ? 'ok' : state === 'waiting' ? 'clock' : 'warn'}
                    >
                      {wordOf(t.alerts.states, state)}
                    </Badge>{' '}
                    <span className="faint break">{error ?? (tries > 1 ? t.alerts.tries(tries) : '')}</span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
