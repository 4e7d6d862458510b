import { newUlid, systemClock } from '../../../src/main/process.ts';
import { silentLogger } from '../../../src/ports/runtime.ts';
import { openStore } from '../../../src/store/index.ts';
import { openAlerts } from '../../../src/watch/alerts/open-alerts.ts';

/** Looks once at the store in the folder, and tells the receiver. A process of its own, to be killed. */
const [, , folder = '', url = ''] = process.argv;
const store = await openStore('sqlite:rollcall.db', { folder });
const alerts = openAlerts({
  channels: [{ kind: 'webhook', name: 'hook', url: { reveal: () => url }, afterMs: 0, remindMs: undefined }],
  place: { deployment: 'rollcall', publicUrl: undefined },
  syncs: [{ name: 'people', connection: 'acme', staleBefore: () => undefined }],
  connections: [],
  store,
  clock: systemClock,
  logger: silentLogger,
  newId: newUlid,
  random: () => 0.5,
});
const { signal } = new AbortController();
await alerts.evaluate(signal);
await alerts.send(signal);
await store.close();
