import type { Texts } from '../en.ts';
import { counter } from '../plural.ts';

const count = counter('es-MX');

export const runs: Texts['runs'] = {
  title: 'Ejecuciones',
  none: 'Todavía no hubo ninguna ejecución.',
  noneHint: 'Una ejecución empieza según su programación, o desde la página de una sincronización.',
  noMatch: 'Ninguna ejecución coincide con el filtro.',
  run: (sync) => `Ejecución de ${sync}`,
  outcome: 'Resultado',
  trigger: 'Origen',
  since: 'Desde',
  until: 'Hasta',
  started: 'Inicio',
  changes: 'Cambios',
  read: 'Lectura',
  duration: 'Duración',
  named: (people) => count(people, 'empleado indicado', 'empleados indicados'),
  counts: { held: 'retenidos', failed: 'fallidos', unverified: 'sin verificar', unresolved: 'sin resolver' },
  applied: (changes) => count(changes, 'cambio aplicado', 'cambios aplicados'),
  showChanges: 'Ver todos los cambios',
  showHold: 'Ver la retención',
  changesOf: (sync) => `Cambios de ${sync}`,
  matching: (changes) => count(changes, 'cambio', 'cambios'),
  cancelAsked:
    'La ejecución no envía nada más. Termina cuando se conoce el resultado de cada archivo enviado, a más tardar en settle.deadline.',
  cancel: 'Cancelar la ejecución',
  cancelMeans:
    'La ejecución se detiene en su próximo punto seguro. Lo enviado queda. La próxima ejecución continúa desde ahí.',
  retry: 'Ejecutar de nuevo',
  retryMeans: 'Solicita otra ejecución sobre los mismos empleados. Los límites de seguridad rigen como siempre.',
  timeline: 'Línea de tiempo',
  findings: (findings) => `Hallazgos (${findings.toLocaleString('es-MX')})`,
  allFindings: (findings) => `Mostrar los ${findings.toLocaleString('es-MX')}`,
  failed: (people) => `Con falla: ${count(people, 'persona', 'personas')}`,
  files: 'Archivos y lotes',
  file: 'Archivo',
  state: 'Estado',
  rows: 'Filas',
  results: 'Cambios por estado',
  sent: 'Enviado',
  final: 'Estado final',
  splitFrom: (number) => `parte de ${number}`,
  requests: 'Solicitudes a la plataforma',
  facts: 'Números de la lectura',
  figures: {
    sourceRows: 'Filas de la fuente',
    platformUsers: 'Usuarios en la plataforma',
    managedUsers: 'Usuarios gestionados',
    unchanged: 'Usuarios sin cambios',
    unmanaged: 'Usuarios solo en la plataforma',
    postponed: 'Aplazados a una ejecución posterior',
    rejected: 'Descartados por rechazo',
    repeated: 'Cambios enviados de nuevo',
    splits: 'Archivos divididos',
  },
  raw: 'Textos de otros sistemas',
  showRaw: 'Mostrar lo que enviaron otros sistemas',
  noRaw: 'No hay textos guardados. Solo se conservan con una encryptionKey en la configuración.',
  doubted: 'Un límite de seguridad duda de lo que dice la fuente',
  doubtedHint: 'Corrija la fuente y ejecute de nuevo. O acepte la lectura si es correcta.',
  acceptRead: 'Aceptar la lectura',
  acceptMeans: (changes) =>
    changes === 0
      ? 'La lectura cuenta como completa. La próxima ejecución actúa según ella: los empleados ausentes cuentan como ausentes.'
      : `La lectura cuenta como completa, y con ella se ${changes === 1 ? 'aprueba' : 'aprueban'} ${count(changes, 'cambio retenido', 'cambios retenidos')} de esta ejecución.`,
};
