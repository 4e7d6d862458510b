export { migrateStore, openStore, type StoreBase } from './open-store.ts';
