import { join } from 'node:path';
import type { Config, SyncConfig } from '../config/config.ts';
import type { ExpressionThread } from '../config/expression-thread.ts';
import { createExpressions } from '../config/expressions.ts';
import { fingerprintOf } from '../config/fingerprint.ts';
import { compileMapping } from '../core/person/mapping.ts';
import { defaultExpressionLimits } from '../core/run/settings.ts';
import { deliveryKinds } from '../delivery/registry.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { SourceBase } from '../ports/source.ts';
import type { Sync } from '../run/engine-io.ts';
import type { Connection } from './open-connection.ts';

/** Opens one sync over its connection. Sends no request. */
export function openSync(
  settings: SyncConfig,
  config: Config,
  { connections, thread }: { readonly connections: ReadonlyMap<string, Connection>; readonly thread: ExpressionThread },
  base: SourceBase,
): Sync {
  const connection = connections.get(settings.connection);
  if (connection === undefined) throw new RangeError(`sync ${settings.name} names no known connection`);
  const { platform } = connection;
  const { dialect, limits: callLimits } = connection.settings;
  const blacklist = settings.remove !== 'never' && settings.remove.blacklist;
  const outboxFolder = settings.outbox?.folder ?? join(config.folder, 'outbox');
  const { expressions: limits = defaultExpressionLimits } = settings;
  const expressions = createExpressions({ thread, limits });
  const opened = deliveryKinds.map(({ kind, open }) => [kind, open({ platform, dialect, blacklist, outboxFolder })]);
  return {
    settings,
    source: settings.source.open(base),
    mapping: compileMapping(settings.mapping, settings.lifecycle, settings, { expressions }),
    platform,
    dialect,
    limits: callLimits,
    fingerprint: fingerprintOf(settings, connection.settings),
    deliveries: Object.fromEntries(opened) as Record<Delivery['kind'], Delivery>,
  };
}
