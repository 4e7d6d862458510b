import type { Texts } from '../en.ts';
import { counter } from '../plural.ts';

const count = counter('es-MX');

export const holds: Texts['holds'] = {
  title: 'Retenciones',
  noneHint: 'Los límites de seguridad retienen los cambios que los superan. Aquí esperan 24 horas.',
  read: 'La fuente parece incorrecta',
  heldSince: 'retenida',
  expires: 'vence',
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
  changes: 'Cambios',
  takes: 'Entrega',
  approved: (changes) => count(changes, 'cambio aprobado', 'cambios aprobados'),
  rejected: (changes) => count(changes, 'cambio rechazado', 'cambios rechazados'),
  approvedHint: 'La próxima ejecución los entrega. Puede seguirla aquí.',
  rejectedHint: 'Ninguna ejecución los envía mientras dure su motivo.',
  noDeployment: 'Ningún despliegue está en marcha: todavía no se entrega nada. Inícielo con: rollcall start',
};

export const changes: Texts['changes'] = {
  none: 'Aquí no hay cambios.',
  noMatch: 'Ningún cambio coincide con el filtro.',
  filter: 'Filtrar por nombre, correo o cualquier valor',
  field: 'Campo',
  before: 'Antes',
  after: 'Después',
  blank: '(vacío)',
  state: 'Estado',
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
