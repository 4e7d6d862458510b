import { foldText } from '../person/text.ts';

/**
 * How HR systems call the columns that Rollcall can use, in English, Spanish, Portuguese and German, and in the
 * technical names of SAP. A name is only a hint: values that agree with the platform outrank it.
 */

/** What a column can be. `fullName`: first and last name in one. `private…`: never what the platform should have. */
export type Meaning =
  | 'identification'
  | 'firstName'
  | 'lastName'
  | 'secondLastName'
  | 'fullName'
  | 'email'
  | 'privateEmail'
  | 'area'
  | 'job'
  | 'phoneNumber'
  | 'seniority'
  | 'project'
  | 'account'
  | 'birthDate'
  | 'office'
  | 'orgEntryDate'
  | 'leaveDate'
  | 'status';

/** Names without case, accents and separators. `part`: a name that contains it is a weaker hint. */
const known: Readonly<Record<Meaning, { readonly whole: string; readonly part: string }>> = {
  identification: {
    whole: `employeeid employeenumber employeeno employeecode personid personnelnumber personnelno persno pernr id userid
      workerid staffid staffnumber payrollnumber payrollid badge badgenumber identification legajo nrolegajo numerolegajo numlegajo
      numerodeempleado nroempleado numempleado idempleado codigoempleado codempleado codigodeempleado matricula nrofuncionario
      numerodefuncionario ficha nroficha idfuncionario chapa registro re personalnummer persnr mitarbeiternummer documento cedula ci dni rut cpf`,
    part: 'employeeid employeenumber legajo matricula empleadoid personnel pernr mitarbeiter',
  },
  firstName: {
    whole: `firstname givenname given givennames forename forenames nombre nombres primernombre nombredepila prenombre prenome
      primeironome nome nomeproprio vorname vorna`,
    part: 'firstname givenname nombre forename vorname prenome',
  },
  lastName: {
    whole: `lastname surname surnames familyname family apellido apellidos primerapellido apellidopaterno paterno sobrenome ultimonome
      apelido apelidos nachname familienname nachn`,
    part: 'lastname surname apellido sobrenome nachname familyname',
  },
  secondLastName: {
    whole: 'segundoapellido apellidomaterno materno secondlastname secondsurname nach2 name2',
    part: '',
  },
  fullName: {
    whole: `name fullname displayname employeename completename nombrecompleto apellidosynombres apellidosynombre
      apellidoynombre nombreyapellido nombreyapellidos nombresyapellidos apellidosnombres nomecompleto nomedofuncionario funcionario
      colaborador empleado employee ename sname cname vollername`,
    part: 'fullname nombrecompleto nomecompleto apellidosynombre',
  },
  email: {
    whole: `workemail workmail businessemail companyemail officialemail corporateemail primaryemail correocorporativo correolaboral correoempresa correoinstitucional correotrabajo
      mailcorporativo mailempresa mailinstitucional maillaboral emailcorporativo emailprofissional emailempresa emaillaboral
      emailinstitucional emaildetrabajo emailtrabajo smtpaddr usridlong useridlong email mail emailaddress emailid correo
      correoelectronico commid upn userprincipalname`,
    part: 'email mail correo',
  },
  privateEmail: {
    whole: '',
    part: 'personalemail personalmail privateemail homeemail emailpersonal mailpersonal correopersonal correoparticular emailparticular mailparticular emailpessoal correoprivado emailprivado alternateemail secondaryemail emailalternativo',
  },
  area: {
    whole: `area department dept departmentname departament departamento division businessunit unit organizationalunit orgunit team
      sector gerencia direccion unidad unidadorganizativa seccion areadetrabajo setor diretoria unidade abteilung orgtx orgehtx orgeh`,
    part: 'department departamento division businessunit gerencia orgunit abteilung setor',
  },
  job: {
    whole: `job jobtitle title position positiontitle positionname role jobname designation puesto cargo posicion funcion ocupacion
      puestodetrabajo funcao posicao stelle stltx plstx stell plans`,
    part: 'jobtitle position puesto cargo funcao',
  },
  phoneNumber: {
    whole: `phone phonenumber mobile mobilephone mobilenumber cellphone workphone telephone telefono telefonomovil movil celular
      telefonocelular nrocelular telefone telefonecelular telemovel telefon telnr`,
    part: 'phone mobile telefono celular telefone',
  },
  seniority: {
    whole: 'seniority level joblevel grade jobgrade nivel categoria senioridad nivelsalarial trfgr',
    part: 'seniority joblevel nivel',
  },
  project: { whole: 'project projectname proyecto projeto projekt', part: 'project proyecto projeto' },
  account: {
    whole:
      'account company companyname legalentity employer client customer empresa razonsocial sociedad compania cliente cuenta conta firma butxt bukrs',
    part: 'company empresa sociedad legalentity',
  },
  birthDate: {
    whole:
      'birthdate dateofbirth dob birthday fechanacimiento fechadenacimiento fecnacimiento fnacimiento nacimiento datanascimento datadenascimento nascimento geburtsdatum gbdat',
    part: 'birth nacimiento nascimento geburt',
  },
  office: {
    whole:
      'office location worklocation site workplace branch city officename oficina sede sucursal ubicacion lugardetrabajo localidad ciudad local filial escritorio cidade lokation standort btext btrtl werks',
    part: 'office location oficina sucursal sede escritorio',
  },
  orgEntryDate: {
    whole: `hiredate startdate dateofhire dateofjoining joiningdate joindate entrydate employmentdate employmentstartdate
      orgentrydate originalhiredate fechaingreso fechadeingreso fecingreso fingreso ingreso fechaalta fechadealta alta
      fechainicio fechacontratacion dataadmissao datadeadmissao admissao datainicio eintrittsdatum eintritt begda`,
    part: 'hiredate startdate entrydate ingreso admissao fechaalta eintritt joining',
  },
  leaveDate: {
    whole: `enddate leavedate terminationdate dateofleaving exitdate lastday lastworkingday lastdayofwork separationdate
      contractend fechabaja fechadebaja fecbaja fbaja baja fechaegreso fechadeegreso egreso fechacese fechasalida fechafin
      datademissao datadedemissao demissao datadesligamento datadedesligamento desligamento datasaida austrittsdatum austritt endda`,
    part: 'terminationdate enddate lastday egreso fechabaja demissao desligamento austritt',
  },
  status: {
    whole: `status employmentstatus employeestatus workerstatus state active isactive estado estatus estadoempleado estadolaboral
      situacion situacionlaboral situacao situacaofuncional activo ativo vigente stat2 statustext stat2text beschaeftigungsstatus`,
    part: 'status situacion situacao estado',
  },
};

const listOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((name) => name !== ''));

/**
 * Compiles the names. `like` returns nearly 2 for a known name of the meaning (less for those that are written last in
 * the list), 1 for a name that contains one, else 0.
 */
export function compileNames() {
  const names = new Map(
    Object.entries(known).map(([meaning, { whole, part }]) => [
      meaning as Meaning,
      { whole: [...listOf(whole)], part: [...listOf(part)] },
    ]),
  );
  return {
    like(meaning: Meaning, path: string): number {
      const { whole = [], part = [] } = names.get(meaning) ?? {};
      const name = foldText(/\.([^.\s]+)$/.exec(path)?.[1] ?? path).replace(/[^a-z0-9]+/g, '');
      const place = whole.indexOf(name);
      if (place !== -1) return 2 - place / 1000;
      return part.some((one) => name.includes(one)) ? 1 : 0;
    },
  };
}

const labels = new Set(Object.values(known).flatMap(({ whole }) => [...listOf(whole)]));

/** Returns whether a cell is how HR systems label a column: `Employee ID`, `Vorname`. */
export function isColumnLabel(cell: string): boolean {
  return labels.has(foldText(cell).replace(/[^a-z0-9]+/g, ''));
}

export type KnownNames = ReturnType<typeof compileNames>;

/** What the values of a status column mean, in the same languages. `STAT2` of SAP: 0 left, 1 inactive, 2 retired, 3 active. */
const statusWords = {
  active: `active activo activa ativo ativa aktiv a employed working trabajando vigente alta probation enprueba periododeprueba
    leave onleave licencia delicencia conlicencia licenca delicenca ferias vacaciones vacation maternity maternidad afastado
    enactivo normal yes si sim true y s permanent fulltime parttime`,
  leaver: `terminated inactive inactivo inactiva inativo inativa left leaver resigned retired dismissed exited former baja debaja
    debajadefinitiva egresado egresada desvinculado desvinculada cesado cesada jubilado jubilada retirado retirada renuncio despedido
    desligado desligada demitido demitida aposentado ausgetreten inaktiv withdrawn deceased fallecido no nao false n b i t`,
} as const;

const sapStatuses: Readonly<Record<string, 'active' | 'leaver'>> = { '0': 'leaver', '2': 'leaver', '3': 'active' };

/** Returns what the word says about the person; undefined for an unknown one. `path`: the column that has it. */
export function statusMeaning(value: string, path: string): 'active' | 'leaver' | undefined {
  const word = foldText(value).replace(/[^a-z0-9]+/g, '');
  if (/^stat2$/i.test(path)) return sapStatuses[word];
  for (const meaning of ['active', 'leaver'] as const) if (listOf(statusWords[meaning]).has(word)) return meaning;
  return undefined;
}
