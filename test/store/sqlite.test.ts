import { openStore } from '../../src/store/index.ts';
import { describeStore } from '../contracts/store.ts';

describeStore('store in SQLite', () => openStore('sqlite::memory:', { folder: '.' }));
