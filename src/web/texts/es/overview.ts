import type { Texts } from '../en.ts';
import { counter } from '../plural.ts';

const count = counter('es-MX');

export const overview: Texts['overview'] = {
  title: 'Resumen',
  waiting: {
    title: 'Esperan su decisión',
    none: 'Ningún cambio espera aprobación.',
    held: (changes, classes) => `${count(changes, 'cambio retenido', 'cambios retenidos')} · ${classes}`,
    expired: (changes) =>
      `${count(changes, 'cambio venció', 'cambios vencieron')} sin decisión: la próxima ejecución vuelve a preguntar`,
    reads: (runs) => `${count(runs, 'ejecución espera', 'ejecuciones esperan')} porque la fuente parece incorrecta`,
    since: (ago) => `la más antigua, ${ago}`,
    expires: (when) => `vence ${when}`,
    review: (changes) => `Revisar ${count(changes, 'cambio', 'cambios')}`,
    look: 'Ver la ejecución',
  },
  syncs: {
    title: 'Sincronizaciones',
    none: 'No hay ninguna sincronización configurada.',
    noneHint: 'Una sincronización dice qué empleados son qué usuarios. Agregue una a "syncs" de la configuración.',
    name: 'Sincronización',
    health: 'Salud',
    state: 'Estado',
    fresh: 'Datos de',
    days: 'Cambios, 7 días',
    next: 'Próxima',
    manual: 'a pedido',
    paused: 'en pausa',
    failures: (runs) => `${runs}×`,
    since: (when) => `desde ${when}`,
    pausedBy: (name) => `por ${name}`,
    stale: 'atrasada',
    step: (phase, step, steps) => `${phase}, paso ${step} de ${steps}`,
    done: (done, total) => `${done} de ${total}`,
    interrupted: (since, sync) =>
      `Interrumpida: ningún proceso trabaja en la ejecución${since === null ? '' : ` desde ${since}`}. Para continuarla: rollcall apply ${sync}`,
    problem: (at, reason) => `Último problema, a las ${at}: ${reason}`,
    eta: (time) => `faltan unos ${time}`,
    requests: (requests) => count(requests, 'solicitud espera', 'solicitudes esperan'),
    freshTitle: 'Inicio de la última ejecución correcta sobre todos los empleados',
    chart: (changes, failed) =>
      `${count(changes, 'cambio', 'cambios')} en 7 días${failed === 0 ? '' : `, ${count(failed, 'ejecución fallida', 'ejecuciones fallidas')}`}`,
    day: (day, changes, runs) =>
      `${day}: ${count(changes, 'cambio', 'cambios')}, ${count(runs, 'ejecución', 'ejecuciones')}`,
  },
  connections: {
    title: 'Conexiones',
    syncs: 'Sincronizaciones',
    token: 'Token',
    expires: 'Válido hasta',
  },
  work: {
    title: 'Trabajo',
    deployment: 'Despliegue',
    running: 'En marcha',
    stopped: 'Detenido',
    stoppedHint: 'Ninguna programación inicia ejecuciones. Inicie el despliegue con: rollcall start',
    unscheduled: 'Sin planificador',
    unscheduledHint:
      'Ninguna programación ni solicitud inicia ejecuciones. Inicie un planificador con: rollcall start --role scheduler',
    workers: 'Procesos de trabajo',
    workerStates: {
      alive: 'Activos',
      none: 'Ninguno',
      'in-process': 'En el despliegue',
    },
    noWorkersHint: 'Las ejecuciones esperan hasta que inicie un proceso: rollcall start --role worker',
    runs: 'Ejecuciones en curso',
    requests: 'Solicitudes en espera',
  },
  alerts: {
    title: 'Alertas',
    open: (alerts) => count(alerts, 'alerta abierta', 'alertas abiertas'),
    none: 'No hay alertas abiertas',
    acknowledged: (alerts) => count(alerts, 'reconocida', 'reconocidas'),
    muted: (subjects) => count(subjects, 'elemento silenciado', 'elementos silenciados'),
  },
};
