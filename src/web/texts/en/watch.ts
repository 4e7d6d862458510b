/** Alerts, audit, connections and syncs. */
export const watch = { alerts: { title: 'Alerts' }, audit: { title: 'Audit' }, connections: { title: 'Connections' } };
