export { backUpStore, previewRestore, restoreStore } from './backup/index.ts';
export { migrateStore, openStore, openStoreWithClock, type StoreBase } from './open-store.ts';
export type { StoreClock } from './store-clock.ts';
