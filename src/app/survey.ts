import { type Drift, findDrift } from '../core/setup/drift.ts';
import { type Proposal, propose } from '../core/setup/proposal.ts';
import { openSurvey } from '../core/setup/survey.ts';
import type { AppIo, WatchOptions } from './app-io.ts';
import { findConnection, findSync } from './find-named.ts';

/** Whether the platform is asked too. */
export type SurveySides = 'both' | 'source';

/**
 * Reads the source of a sync, and the users of its platform, and proposes the configuration that fits them. Compares
 * it with the present one. Reads only; memory is bounded. Throws the errors of both sides, `USAGE` for an unknown sync.
 */
export async function surveySync(
  app: AppIo,
  name: string,
  sides: SurveySides,
  { signal, progress }: WatchOptions,
): Promise<{ readonly proposal: Proposal; readonly drift: Drift }> {
  const { clock, logger } = app.engine;
  const sync = findSync(name, app.engine.syncs);
  const survey = openSurvey(sides === 'both');
  if (sides === 'both') {
    let users = 0;
    for await (const page of findConnection(sync.settings.connection, app.connections).platform.scan(signal)) {
      for (const user of page.users) survey.seeUser(user);
      users += page.users.length;
      progress({ step: 'scanning', users, total: page.total });
    }
  }
  const reading = sync.source.read({ kind: 'full' }, { clock, logger, signal, previous: undefined });
  let rows = 0;
  for await (const { records, broken } of reading) {
    for (const { fields } of records) survey.see(fields);
    rows += records.length + broken.length;
    progress({ step: 'reading', rows });
  }
  const result = survey.result();
  const proposal = propose(result);
  return { proposal, drift: findDrift(result, proposal, sync.settings) };
}
