import type { Texts } from '../en.ts';

export const runs: Texts['runs'] = { title: 'Ejecuciones' };
