import type { Texts } from '../en.ts';
import { counter } from '../plural.ts';

const count = counter('es-MX');

export const overview: Texts['overview'] = {
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
    fresh: 'Datos de',
    days: 'Cambios, 7 días',
    next: 'Próxima',
    manual: 'a pedido',
    paused: 'en pausa',
    failures: (runs) => `${runs}×`,
    since: (when) => `desde ${when}`,
    pausedBy: (name) => `por ${name}`,
    frozenUntil: (end) => `sin desactivaciones ni bajas hasta ${end}`,
    pausedUntil: (end) => `hasta ${end}`,
    stale: 'atrasada',
    step: (phase, step, steps) => `${phase}, paso ${step} de ${steps}`,
    done: (done, total) => `${done} de ${total}`,
    interrupted: (since, sync) =>
      `Interrumpida: ningún proceso trabaja en la ejecución${since === null ? '' : ` desde ${since}`}. Para continuarla: rollcall apply ${sync}`,
    problem: (at, reason) => `Último problema, a las ${at}: ${reason}`,
    eta: (time) => `faltan unos ${time}`,
    requests: (requests) => count(requests, 'solicitud espera', 'solicitudes esperan'),
    freshTitle: 'Inicio de la última ejecución correcta sobre todos los empleados',
    chart: (changes, days, failed) =>
      `${count(changes, 'cambio', 'cambios')} en ${days} días${failed === 0 ? '' : `, ${count(failed, 'ejecución fallida', 'ejecuciones fallidas')}`}`,
    day: (day, runs, parts) =>
      `${day}: ${count(runs, 'ejecución', 'ejecuciones')}${parts === '' ? ', sin cambios' : `; ${parts}`}`,
    runs: (runs) => count(runs, 'ejecución', 'ejecuciones'),
    failedRuns: (runs) => count(runs, 'ejecución fallida', 'ejecuciones fallidas'),
  },
  people: {
    title: 'Personas',
    source: 'En RR. HH.',
    matched: 'Con cuenta',
    platform: 'Cuentas',
    owned: 'Propias',
    unknown: 'Desconocidas',
    skipped: 'Omitidas',
    reasons: {
      'out-of-scope': 'fuera del alcance',
      'no-account': 'no necesitan cuenta',
      'row-refused': 'con un registro incorrecto',
      'status-unknown': 'con un estado desconocido',
      conflict: 'en conflicto',
      unresolved: 'esperan un cambio anterior',
    },
  },
  month: {
    title: 'Últimos 30 días',
    counts: {
      joiners: (people) => count(people, 'alta', 'altas'),
      movers: (people) => count(people, 'modificación', 'modificaciones'),
      leavers: (people) => count(people, 'baja', 'bajas'),
    },
    hint: 'Cambios que la plataforma ha mostrado. Quien cambia dos veces cuenta dos veces. Las marcas rojas son fallos.',
    lastDay: 'Últimas 24 horas:',
  },
  connections: {
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
    storeFull: 'Almacén lleno',
    inDays: (days: number) => `en unos ${count(days, 'día', 'días')}`,
    noWorkersHint: 'Las ejecuciones esperan hasta que inicie un proceso: rollcall start --role worker',
    runs: 'Ejecuciones en curso',
    requests: 'Solicitudes en espera',
  },
  alerts: {
    open: (alerts) => count(alerts, 'alerta abierta', 'alertas abiertas'),
    none: 'No hay alertas abiertas',
    acknowledged: (alerts) => count(alerts, 'reconocida', 'reconocidas'),
    muted: (subjects) => count(subjects, 'elemento silenciado', 'elementos silenciados'),
  },
};

export const holds: Texts['holds'] = {
  noneHint: 'Los límites de seguridad retienen los cambios que los superan. Aquí esperan 24 horas.',
  closed: 'Decididas y vencidas',
  read: 'La fuente parece incorrecta',
  heldSince: 'retenida',
  expires: 'vence',
  partly: (changes, given, of, by) =>
    `${changes} ${changes === 1 ? 'cambio tiene' : 'cambios tienen'} ${given} de ${of} aprobaciones: ${by}. Otra persona también debe aprobar.`,
  peopleHidden: 'Su rol no muestra personas: los cambios solo se cuentan.',
  expiredHint: 'Esta retención venció sin decisión. La próxima ejecución vuelve a preguntar.',
  run: 'Ejecución',
  replacedBy: 'Revisarlos en la retención más reciente',
  list: 'Cambios que esperan aprobación',
  noEstimate: 'Sin estimación: la sincronización ya no está configurada.',
  effect: (files, requests, time) =>
    `${count(files, 'archivo', 'archivos')}, unas ${count(requests, 'solicitud', 'solicitudes')}, ${time === undefined ? 'menos de un minuto' : `unos ${time}`}`,
  chosen: (changes, all) =>
    `${count(changes, 'cambio seleccionado', 'cambios seleccionados')} de ${all.toLocaleString('es-MX')}`,
  chooseHint: 'Seleccione los cambios sobre los que decide.',
  tooMany: (most) => `En una orden caben ${most.toLocaleString('es-MX')} nombres como máximo. Use el filtro.`,
  undeliverable: (changes) =>
    `${count(changes, 'cambio no se puede', 'cambios no se pueden')} enviar con esta forma de entrega`,
  approve: (what) => `Aprobar ${what}`,
  reject: 'Rechazar…',
  rejectTitle: (what) => `Rechazar ${what}`,
  approveMeans: 'La próxima ejecución envía estos cambios a la plataforma, si siguen siendo los mismos.',
  rejectMeans: 'Ninguna ejecución envía estos cambios mientras dure su motivo.',
  looked: (people) => `Revisé a estas ${people.toLocaleString('es-MX')} personas`,
  takes: 'Entrega',
  approved: (changes) => count(changes, 'cambio aprobado', 'cambios aprobados'),
  rejected: (changes) => count(changes, 'cambio rechazado', 'cambios rechazados'),
  pending: (changes) =>
    `${count(changes, 'cambio tiene', 'cambios tienen')} su aprobación. Otra persona también debe aprobar.`,
  approvedHint: 'La próxima ejecución los entrega. Puede seguirla aquí.',
  rejectedHint: 'Ninguna ejecución los envía mientras dure su motivo.',
  reduced: (changes) =>
    `${count(changes, 'de ellos tiene', 'de ellos tienen')} también otros campos. La próxima ejecución los planifica sin los rechazados.`,
  frozen: 'Las desactivaciones y eliminaciones esperan el fin de la congelación:',
  noDeployment: 'Ningún despliegue está en marcha: todavía no se entrega nada. Inícielo con: rollcall start',
};

export const changes: Texts['changes'] = {
  none: 'Aquí no hay cambios.',
  noMatch: 'Ningún cambio coincide con el filtro.',
  filter: 'Filtrar por nombre, correo o cualquier valor',
  before: 'Antes',
  after: 'Después',
  blank: '(vacío)',
  classes: 'Clases',
  decided: 'Decisión',
  person: 'Persona',
  why: 'Por qué, e historial',
  details: 'Detalles',
  show: (person) => `Detalles de ${person}`,
  choose: (person) => `Seleccionar a ${person}`,
  chooseAll: 'Seleccionar todos los que coinciden con el filtro',
  groupBy: 'Agrupar por',
  cut: 'Solo se muestran los 200 grupos más grandes.',
  shown: (matching, all) =>
    matching === all
      ? count(all, 'cambio', 'cambios')
      : `${count(matching, 'cambio', 'cambios')} de ${all.toLocaleString('es-MX')}`,
  account: { yes: 'sí', no: 'no', gone: 'eliminado' },
  columns: {
    kind: 'Cambio',
    name: 'Nombre',
    identification: 'Identificación',
    email: 'Correo',
    area: 'Área',
    reason: 'Motivo',
  },
  groupings: {
    reason: 'Motivo',
    field: 'Campo',
    kind: 'Tipo',
    class: 'Clase',
    state: 'Estado',
    'value:area': 'Área',
    'value:office': 'Oficina',
    'value:job': 'Puesto',
  },
};

export const recent: Texts['recent'] = {
  title: 'Cambios de los últimos 30 días',
  none: 'Ninguna ejecución planificó cambios en los últimos 30 días.',
  fields: 'Campos',
  class: 'Clase',
  runOf: (sync) => `Ejecución de ${sync}`,
  report: 'Quién se fue o llegó',
  who: 'Informe',
  kinds: { leavers: 'Bajas', joiners: 'Altas' },
  found: (people) => count(people, 'persona', 'personas'),
  nobody: 'Nadie en estos días.',
  said: 'RR. HH. lo dijo',
  hired: 'Primer día',
  leaves: 'Último día',
  shown: 'La plataforma lo mostró',
  notYet: 'todavía no',
  approved: 'Aprobado por',
};
