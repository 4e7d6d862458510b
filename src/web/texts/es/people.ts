import type { Texts } from '../en.ts';
import { counter } from '../plural.ts';

const count = counter('es-MX');

export const people: Texts['people'] = {
  title: 'Personas',
  identification: 'Identificación',
  lookUp: 'Buscar',
  why: 'Por qué',
  source: 'Fuente',
  platform: 'Plataforma',
  decision: 'Decisión',
  next: 'Próxima ejecución',
  finding: 'Hallazgo',
  everything: 'Todo, en JSON',
  nothingDecided: 'de esta lectura no se decide nada',
  records: (records) => count(records, 'registro', 'registros'),
  enabled: 'un usuario habilitado',
  disabled: 'un usuario inhabilitado',
  noUser: 'no existe el usuario',
  neverWritten: 'nunca escribió este usuario',
  ownedBy: (sync) => `pertenece a ${sync}`,
  noChange: 'sin cambios',
  forbidden: (kind) => `nada: aquí no se permite ${kind}`,
  history: 'Historial',
  noHistory: 'Ninguna ejecución cambió a este usuario.',
};
