export { passingFault } from './db/errors.ts';
export type { StoreClock } from './db/store-clock.ts';
export { migrateStore, openStore, openStoreWithClock, type StoreBase } from './open-store.ts';
