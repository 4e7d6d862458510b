import type { watch as english } from '../en/watch.ts';

export const watch: typeof english = {
  alerts: { title: 'Alertas' },
  audit: { title: 'Auditoría' },
  connections: { title: 'Conexiones' },
};
