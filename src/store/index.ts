export { openStore, type StoreBase } from './open-store.ts';
