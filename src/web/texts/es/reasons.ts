import { words as english } from '../en/words.ts';
import { classWord } from '../plural.ts';
import { people } from './people.ts';
import { words } from './words.ts';

/** A sentence of the server with a gap for each of its values, and the same in Spanish, with the gaps in equal order. */
type Phrase = readonly [english: string, spanish: string];

const classes: readonly Phrase[] = Object.keys(words.classes).flatMap((name) => [
  [`{} ${classWord(english.classes, name)}`, `{} ${classWord(words.classes, name)}`],
  [`1 ${classWord(english.classes, name, 1)}`, `1 ${classWord(words.classes, name, 1)}`],
]);

/** The reasons that the server gives, the most specific first. A sentence that is not here stays in English. */
const phrases: readonly Phrase[] = [
  // Why a person is changed.
  ['active, and not on the platform', 'activo, y no está en la plataforma'],
  ['differs in {}', 'difiere en {}'],
  ['first write of {}, not shown by the platform', 'primera escritura de {}, que la plataforma no muestra'],
  [
    'left, and {} needs the e-mail, so the account gets its parking address',
    'se fue, y {} necesita el correo: la cuenta recibe una dirección provisional',
  ],
  ['left: {}', 'se fue: {}'],
  ['{} was {}; HR now calls {}: {}', '{} era {}; según RR. HH. ahora es {}: {}'],
  ['born {}', 'nacimiento {}'],
  [
    'the record of another identification is about {}, whose account this is: {}',
    'el registro de otra identificación es de {}, a quien pertenece esta cuenta: {}',
  ],
  ["{} decided that HR's record is about another person", '{} decidió que el registro de RR. HH. es de otra persona'],
  [
    'is not the account of the record, so the account gets its parking address',
    'no es la cuenta del registro: recibe una dirección provisional',
  ],
  ['out of scope by rule', 'fuera del alcance por regla'],
  ['missing, and replaced by {}', 'ausente, y reemplazado por {}'],
  ['missing, and {} decided to disable the account: {}', 'ausente, y {} decidió inhabilitar la cuenta: {}'],
  ['missing in {} complete reads since {}', 'ausente en {} lecturas completas desde {}'],
  ['disabled and gone since {}', 'inhabilitado y ausente desde {}'],
  ['active, and disabled when first seen', 'activo, y la cuenta estaba inhabilitada desde el principio'],
  ['active again, and disabled by us before', 'activo de nuevo, y antes inhabilitado por Rollcall'],
  ['active, and disabled outside Rollcall', 'activo, y la cuenta fue inhabilitada fuera de Rollcall'],
  ['the last day of work has passed', 'el último día de trabajo ya pasó'],
  ['{} is in leaver', '{} está en leaver'],
  ['{} is in active', '{} está en active'],
  ['although the last day of work has not passed', 'aunque el último día de trabajo no ha pasado'],
  [
    'sync {} has the person as active and did not take the user over',
    'la sincronización {} tiene a la persona como activa y no tomó el usuario',
  ],
  ['sent after the change of {}', 'se envía después del cambio de {}'],
  ['because the configuration was edited ({})', 'porque se editó la configuración ({})'],
  ['the source names a main leader', 'la fuente nombra un líder principal'],
  ['the source names another main leader', 'la fuente nombra otro líder principal'],
  ['the source names no main leader any longer', 'la fuente ya no nombra un líder principal'],
  ['the source names other secondary leaders', 'la fuente nombra otros líderes secundarios'],
  ['undoes run {}', 'deshace la ejecución {}'],
  [
    'waits: the account of {} is not there yet. The next run tries again',
    'espera: la cuenta de {} aún no existe. La próxima ejecución lo intenta de nuevo',
  ],
  ['{} was changed by someone else', 'otra persona cambió {}'],
  // The state of an account.
  ['HR does not name the person', 'RR. HH. no nombra a la persona'],
  ['HR does not name the person (missing in {})', 'RR. HH. no nombra a la persona (ausente en {})'],
  ...Object.entries(people.standings).map(([standing, inSpanish]): Phrase => {
    return [`HR has the person (${standing})`, `RR. HH. tiene a la persona (${inSpanish.toLowerCase()})`];
  }),
  [
    '{} ({}) has the e-mail of user {}, which may be a rename',
    '{} ({}) tiene el correo del usuario {}, quizá por un cambio de identificación',
  ],
  ['Neither is changed', 'No se cambia ninguno'],
  ['Correct one identification, or run "{}"', 'Corrija una identificación, o ejecute "{}"'],
  ['and no sync owns the account yet', 'y la cuenta aún no es de ninguna sincronización'],
  ['and no sync owns the account', 'y la cuenta no es de ninguna sincronización'],
  ['and sync {} owns the account', 'y la cuenta es de la sincronización {}'],
  ['it belongs to sync {}, which is not configured', 'es de la sincronización {}, que no está configurada'],
  ['it belongs to sync {}', 'es de la sincronización {}'],
  ['Rollcall disabled it at {}', 'Rollcall la inhabilitó el {}'],
  ['{} left it as it is until {} ({})', '{} la dejó como está hasta {} ({})'],
  ['{} left it as it is ({})', '{} la dejó como está ({})'],
  ['{} decided to disable it until {} ({})', '{} decidió inhabilitarla, hasta {} ({})'],
  ['{} decided to disable it ({})', '{} decidió inhabilitarla ({})'],
  ['which has no effect: HR has the person now', 'sin efecto: RR. HH. ya tiene a la persona'],
  // Why a guard holds.
  ...['', ' ({})'].flatMap((names): Phrase[] => [
    [
      `1 identification comes with another person than the account${names}`,
      `1 identificación viene con otra persona que la cuenta${names}`,
    ],
    [
      `{} identifications come with another person than the account${names}`,
      `{} identificaciones vienen con otra persona que la cuenta${names}`,
    ],
  ]),
  [
    'Rows of the export may be shifted or sorted in part, or made anonymous',
    'Las filas de la exportación pueden estar corridas, ordenadas en parte o anonimizadas',
  ],
  ...[
    ['1 person has lost the account', '1 persona perdió la cuenta'],
    ['{} people have lost the accounts', '{} personas perdieron las cuentas'],
  ].map(
    ([en, es]): Phrase => [
      `${en} that Rollcall manages: neither the search nor single reads show them`,
      `${es} que Rollcall administra: ni la búsqueda ni las lecturas individuales las muestran`,
    ],
  ),
  ['Approve if they were deleted, to create them again', 'Apruebe si fueron eliminadas, para crearlas de nuevo'],
  ['Approve those who are the same person', 'Apruebe a quienes son la misma persona'],
  [
    'For another person, run "{}": the account is disabled, and its e-mail gets its parking address',
    'Para otra persona, ejecute "{}": la cuenta se inhabilita y su correo pasa a la dirección provisional',
  ],
  [
    'For another person, run "{}": the account is disabled, and its e-mail stays on it',
    'Para otra persona, ejecute "{}": la cuenta se inhabilita y conserva su correo',
  ],
  ['{}: the limit without approval is {} in 24 hours ({})', '{}: el límite sin aprobación es {} en 24 horas ({})'],
  ['after {} made without approval in the last 24 hours', 'después de {} sin aprobación en las últimas 24 horas'],
  ['1 enabled managed user', '1 usuario administrado habilitado'],
  ['{} enabled managed users', '{} usuarios administrados habilitados'],
  ['first run', 'primera ejecución'],
  [
    'source rows fell from {} to {} ({} % down, {} % allowed)',
    'las filas de la fuente bajaron de {} a {} ({} % menos, se permite {} %)',
  ],
  ['{} is filled for {} of the people, down from {}', '{} tiene valor para el {} de las personas, antes {}'],
  [
    'Check whether a permission or a column was removed in the HR system',
    'Revise si se quitó un permiso o una columna en el sistema de RR. HH.',
  ],
  [
    '{} has one new value for {} people, who had different ones',
    '{} tiene un mismo valor nuevo para {} personas que tenían valores distintos',
  ],
  [
    'Check whether the HR system hides it, or a template was not filled',
    'Revise si el sistema de RR. HH. lo oculta o si una plantilla quedó sin completar',
  ],
  ['{} is written otherwise for {} people: {}', '{} está escrito de otra forma para {} personas: {}'],
  [
    '{} has the same values as before, but on other people: rows of the export may be shifted or sorted in part',
    '{} tiene los mismos valores que antes, pero en otras personas: quizá se desplazó o se ordenó una parte de las filas',
  ],
  ['{} has values in {} rows that it never had before', '{} tiene en {} filas valores que nunca tuvo'],
  ['{} has one value in every row now', '{} tiene ahora un solo valor en todas las filas'],
  ['Check the export, and scope', 'Revise la exportación y scope'],
  [
    '{} ({} people are blocked, {} in the last accepted read)',
    '{} ({} personas sin decisión posible, {} en la última lectura aceptada)',
  ],
  ['{} must approve each one', '{} debe aprobar cada uno'],
  ['The limit without approval is {} people in 24 hours', 'El límite sin aprobación es de {} personas en 24 horas'],
  ['{}: needs its own decision (held before: {})', '{}: necesita su propia decisión (retenido antes: {})'],
  ['{}: needs its own decision', '{}: necesita su propia decisión'],
  [
    'not part of an earlier approval or rejection (by {} at {})',
    'no fue parte de una aprobación o un rechazo anterior (de {} a las {})',
  ],
  ['not part of an earlier approval or rejection', 'no fue parte de una aprobación o un rechazo anterior'],
  // Why a run ended so.
  ['{}: approve the run if the source is right', '{}: apruebe la ejecución si la fuente es correcta'],
  ['1 change failed', '1 cambio falló'],
  ['{} changes failed', '{} cambios fallaron'],
  ['1 change has an unknown outcome', '1 cambio tiene un resultado desconocido'],
  ['{} changes have an unknown outcome', '{} cambios tienen un resultado desconocido'],
  [
    '1 person waits until the outcome of an earlier change is known',
    '1 persona espera el resultado de un cambio anterior',
  ],
  [
    '{} people wait until the outcome of an earlier change is known',
    '{} personas esperan el resultado de un cambio anterior',
  ],
  ['1 change waits for approval', '1 cambio espera aprobación'],
  ['{} changes wait for approval', '{} cambios esperan aprobación'],
  ['the source does not know 1 named person', 'la fuente no conoce a 1 persona nombrada'],
  ['the source does not know {} named people', 'la fuente no conoce a {} personas nombradas'],
  ['the source was not read completely ({})', 'la fuente no se leyó por completo ({})'],
  ['the source looks wrong (see the findings)', 'la fuente parece incorrecta (vea los hallazgos)'],
  ['{} access because of trouble with their records ({})', '{} el acceso por problemas con sus registros ({})'],
  ['{} access because of trouble with their records', '{} el acceso por problemas con sus registros'],
  ['1 person keeps', '1 persona conserva'],
  ['{} people keep', '{} personas conservan'],
  ['1 person lacks', 'a 1 persona le falta'],
  ['{} people lack', 'a {} personas les falta'],
  ['cancelled: {}', 'cancelada: {}'],
  ['{} changes not sent', '{} cambios no enviados'],
  ['1 change not sent', '1 cambio no enviado'],
  ['1 change was written to files', '1 cambio se escribió en archivos'],
  ['{} changes were written to files', '{} cambios se escribieron en archivos'],
  ['{} approved', '{} aprobados'],
  ['{} rejected', '{} rechazados'],
  ...classes,
];

const gap = '{}';

const patterns = phrases.map(([source, target]) => {
  const parts = source.split(gap).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return { pattern: new RegExp(`^${parts.join('(.+?)')}$`, 's'), target };
});

/** What joins sentences in one reason. The longest parts are tried first. */
const joints = ['. ', '; ', ', '] as const;

/** Returns a reason of the server in Spanish. The parts that are not known stay as they are. */
export function reasonInSpanish(text: string): string {
  for (const { pattern, target } of patterns) {
    const found = pattern.exec(text);
    if (found === null) continue;
    const values = found.slice(1).map(reasonInSpanish);
    return target.split(gap).reduce((done, part, i) => `${done}${values[i - 1] ?? ''}${part}`);
  }
  const joint = joints.find((one) => text.includes(one));
  return joint === undefined ? text : text.split(joint).map(reasonInSpanish).join(joint);
}
