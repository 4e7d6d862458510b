import { openStore } from '../../src/store/index.ts';
import { describeStore } from '../contracts/store.ts';
import { failOnLeaks } from '../support/leak-check.ts';

failOnLeaks();

describeStore('store in SQLite', () => openStore('sqlite::memory:', { folder: '.' }));
