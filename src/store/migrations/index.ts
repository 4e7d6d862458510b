import type { Migration } from 'kysely/migration';
import { first } from './001-first.ts';
import { approvalsOnce } from './002-approvals-once.ts';
import { alerts } from './004-alerts.ts';
import { pausesAndAudit } from './004-pauses-and-audit.ts';
import { fieldSight } from './005-field-sight.ts';
import { auditOfConnections } from './006-audit-of-connections.ts';
import { watermarks } from './007-watermarks.ts';

/**
 * Every migration by name, in order. One that was ever released is never changed, only followed by another; and each
 * only adds, because while a deployment is replaced the program of before works on the tables of after.
 */
export const migrations: Readonly<Record<string, Migration>> = {
  '001-first': first,
  '002-approvals-once': approvalsOnce,
  '004-pauses-and-audit': pausesAndAudit,
  '004-alerts': alerts,
  '005-field-sight': fieldSight,
  '006-audit-of-connections': auditOfConnections,
  '007-watermarks': watermarks,
};
