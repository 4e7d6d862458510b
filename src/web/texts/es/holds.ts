import type { Texts } from '../en.ts';

export const holds: Texts['holds'] = { title: 'Retenciones' };
