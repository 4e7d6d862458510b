import type { AlertState } from '../../src/ports/alerts.ts';
import { openTestServer, operatorToken, viewerToken } from '../server/open-test-server.ts';
import { openOffice } from './office.ts';

export const adminToken = 'admin-token-of-a-test-1';

/** A server over a deployment with an open alert of the sync `people`. */
export async function openAlerted() {
  const office = await openOffice();
  const now = office.clock.now();
  const state: AlertState = {
    subject: { kind: 'sync', name: 'people' },
    version: 1,
    problems: {
      run: {
        topic: 'run',
        code: 'run-failed',
        severity: 'critical',
        worst: 'critical',
        key: 'failed',
        summary: 'The run failed',
        details: ['the source has no row'],
        unaffected: undefined,
        action: 'rollcall show run_1',
        run: 'run_1',
        since: now,
        newsAt: now,
        told: {},
        times: 1,
      },
    },
    firstSeenAt: now,
    judgedUntil: now,
    judgedRuns: [],
  };
  await office.engine.io.store.alerts.save(0, state, []);
  const tokens = [
    { name: 'ops', role: 'operator', token: operatorToken },
    { name: 'auditor', role: 'viewer', token: viewerToken },
    { name: 'root', role: 'admin', token: adminToken },
  ] as const;
  return { office, server: await openTestServer(office.app, { settings: { tokens } }) };
}
