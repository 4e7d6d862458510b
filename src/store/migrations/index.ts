import type { Migration } from 'kysely/migration';
import { first } from './001-first.ts';
import { approvalsOnce } from './002-approvals-once.ts';
import { alerts } from './004-alerts.ts';
import { pausesAndAudit } from './004-pauses-and-audit.ts';
import { fieldSight } from './005-field-sight.ts';
import { auditOfConnections } from './006-audit-of-connections.ts';
import { watermarks } from './007-watermarks.ts';
import { compatibility } from './008-compatibility.ts';
import { decisions } from './009-decisions.ts';
import { blocked } from './010-blocked.ts';
import { rosters } from './011-rosters.ts';
import { emailChains } from './012-email-chains.ts';
import { handOvers } from './013-hand-overs.ts';
import { tokenRetries } from './014-token-retries.ts';
import { rawTexts } from './015-raw-texts.ts';
import { forgotten } from './016-forgotten.ts';
import { runsByEnd } from './018-runs-by-end.ts';
import { turns } from './019-turns.ts';
import { clockJumps } from './020-clock-jumps.ts';
import { alertThreads } from './021-alert-threads.ts';
import { runRequests } from './022-run-requests.ts';
import { restores } from './023-restores.ts';
import { sessions } from './030-sessions.ts';
import { runPhases } from './031-run-phases.ts';
import { previews } from './032-previews.ts';
import { directories } from './033-directories.ts';
import { holdPages } from './034-hold-pages.ts';
import { batchesByState } from './035-batches-by-state.ts';

export interface SchemaMigration extends Migration {
  /** The first release that has it, such as `0.2.0`: messages ask for this release or a later one. */
  readonly since: string;
  /**
   * Why a version that does not know this migration must not use the store. Absent when the migration only adds:
   * tables, and columns that may be empty or have a default. Such a store stays usable for the version before.
   */
  readonly breaks?: string;
}

/**
 * Every migration by name; they run in order of their names. A released migration never changes, and neither does its
 * name: a test pins the list. A new phase, outcome or batch state needs no `breaks`, because older versions do not touch
 * such runs. A renamed state does, and so does a new batch state in which changes may have been sent.
 */
export const migrations: Readonly<Record<string, SchemaMigration>> = {
  '001-first': { ...first, since: '0.1.0' },
  '002-approvals-once': { ...approvalsOnce, since: '0.1.0' },
  '004-alerts': { ...alerts, since: '0.1.0' },
  '004-pauses-and-audit': { ...pausesAndAudit, since: '0.1.0' },
  '005-field-sight': { ...fieldSight, since: '0.1.0' },
  '006-audit-of-connections': { ...auditOfConnections, since: '0.1.0' },
  '007-watermarks': { ...watermarks, since: '0.1.0' },
  '008-compatibility': { ...compatibility, since: '0.1.0' },
  '009-decisions': { ...decisions, since: '0.1.0' },
  '010-blocked': { ...blocked, since: '0.1.0' },
  '011-rosters': { ...rosters, since: '0.1.0' },
  '012-email-chains': { ...emailChains, since: '0.1.0' },
  '013-hand-overs': { ...handOvers, since: '0.1.0' },
  '014-token-retries': { ...tokenRetries, since: '0.1.0' },
  '015-raw-texts': { ...rawTexts, since: '0.1.0' },
  '016-forgotten': {
    ...forgotten,
    since: '0.1.0',
    breaks: 'personal fields in it may be sealed, and people may be kept under a keyed hash only',
  },
  '018-runs-by-end': { ...runsByEnd, since: '0.1.0' },
  '019-turns': { ...turns, since: '0.1.0' },
  '020-clock-jumps': { ...clockJumps, since: '0.1.0' },
  '021-alert-threads': { ...alertThreads, since: '0.1.0' },
  '022-run-requests': { ...runRequests, since: '0.1.0' },
  '023-restores': { ...restores, since: '0.1.0' },
  '030-sessions': { ...sessions, since: '0.1.0' },
  '031-run-phases': { ...runPhases, since: '0.1.0' },
  '032-previews': { ...previews, since: '0.1.0' },
  '033-directories': { ...directories, since: '0.1.0' },
  '034-hold-pages': { ...holdPages, since: '0.1.0' },
  '035-batches-by-state': { ...batchesByState, since: '0.1.0' },
};
