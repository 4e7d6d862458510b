import { RollcallError } from '../../../core/run/errors.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import { lacking } from '../../kit/answer-failure.ts';
import type { Refusal } from '../../kit/http/failure.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import { xmlAttribute, xmlText } from '../../kit/xml-text.ts';
import type { SoapConfig } from '../config.ts';

/** The people of one series of pages. */
export interface WorkerQuery {
  readonly excludeEmployees: boolean;
  readonly excludeContingent: boolean;
  /** Only people whose data changed: when it was entered, or when it takes effect. ISO instants. */
  readonly changed?: { readonly by: 'Updated' | 'Effective'; readonly from: string; readonly through: string };
  /** Only these people, by one of their ids. */
  readonly ids?: { readonly type: string; readonly values: readonly string[] };
}

interface PageRequest {
  readonly query: WorkerQuery;
  /** Starts at 1. */
  readonly page: number;
  /** Later entries are not visible, so all pages are of one instant. */
  readonly asOf: string;
}

const wsse = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd';
const passwordText = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#PasswordText';

/** Builds the envelope of one Get_Workers request. It holds the password, if Rollcall authenticates with one. */
function getWorkersEnvelope(config: SoapConfig, request: PageRequest): string {
  const { auth, url } = config;
  const version = url.slice(url.lastIndexOf('/') + 1);
  const header = auth.kind === 'basic' ? security(auth.username, auth.password) : '';
  return (
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:bsvc="urn:com.workday/bsvc">' +
    `<soapenv:Header>${header}</soapenv:Header><soapenv:Body>` +
    `<bsvc:Get_Workers_Request bsvc:version="${xmlAttribute(version)}">` +
    (request.query.ids === undefined ? criteria(request.query) : references(request.query.ids)) +
    responseFilter(request, config.pageSize) +
    responseGroup(config) +
    '</bsvc:Get_Workers_Request></soapenv:Body></soapenv:Envelope>'
  );
}

/** WS-Security UsernameToken Profile 1.0, PasswordText, because Workday has no digest. */
function security(username: string, password: string): string {
  return (
    `<wsse:Security soapenv:mustUnderstand="1" xmlns:wsse="${wsse}"><wsse:UsernameToken>` +
    `<wsse:Username>${xmlText(username)}</wsse:Username>` +
    `<wsse:Password Type="${passwordText}">${xmlText(password)}</wsse:Password>` +
    '</wsse:UsernameToken></wsse:Security>'
  );
}

/** An unknown id returns no worker and is not a fault. */
function references({ type, values }: NonNullable<WorkerQuery['ids']>): string {
  const one = (id: string): string =>
    `<bsvc:Worker_Reference><bsvc:ID bsvc:type="${xmlAttribute(type)}">${xmlText(id)}</bsvc:ID></bsvc:Worker_Reference>`;
  const all = values.map(one).join('');
  return `<bsvc:Request_References bsvc:Skip_Non_Existing_Instances="true">${all}</bsvc:Request_References>`;
}

/** Every flag is written, so that the version's default does not matter. */
function criteria({ changed, excludeEmployees, excludeContingent }: WorkerQuery): string {
  const range =
    changed === undefined
      ? ''
      : '<bsvc:Transaction_Log_Criteria_Data><bsvc:Transaction_Date_Range_Data>' +
        element(`${changed.by}_From`, changed.from) +
        element(`${changed.by}_Through`, changed.through) +
        '</bsvc:Transaction_Date_Range_Data></bsvc:Transaction_Log_Criteria_Data>';
  return (
    `<bsvc:Request_Criteria>${range}` +
    element('Exclude_Inactive_Workers', 'false') +
    element('Exclude_Employees', String(excludeEmployees)) +
    element('Exclude_Contingent_Workers', String(excludeContingent)) +
    '</bsvc:Request_Criteria>'
  );
}

function responseFilter({ asOf, page }: PageRequest, count: number): string {
  const places = element('Page', String(page)) + element('Count', String(count));
  return `<bsvc:Response_Filter>${element('As_Of_Entry_DateTime', asOf)}${places}</bsvc:Response_Filter>`;
}

function responseGroup({ include }: SoapConfig): string {
  const parts = ['Reference', 'Personal_Information', 'Employment_Information'];
  if (include.includes('organizations')) parts.push('Organizations');
  if (include.includes('managementChain')) parts.push('Management_Chain_Data');
  const all = parts.map((part) => element(`Include_${part}`, 'true')).join('');
  return `<bsvc:Response_Group>${all}</bsvc:Response_Group>`;
}

function element(name: string, text: string): string {
  return `<bsvc:${name}>${xmlText(text)}</bsvc:${name}>`;
}

/** One element: text alone, or attributes as `@name`, text as `#text`, children by name. Repeated names are a list. */
export type Element = unknown;

/** Returns the first element at the path; undefined where a step is missing. */
export function at(element: Element, ...path: readonly string[]): Element {
  let current = element;
  for (const step of path) {
    const [first] = all(current);
    if (typeof first !== 'object' || first === null || !Object.hasOwn(first, step)) return undefined;
    current = (first as Readonly<Record<string, unknown>>)[step];
  }
  return current;
}

/** Returns one element or many as a list. */
export function all(element: Element): readonly Element[] {
  if (element === undefined) return [];
  return Array.isArray(element) ? element : [element];
}

/** Returns the trimmed text of the first element at the path; undefined when it is missing or blank. */
export function textAt(element: Element, ...path: readonly string[]): string | undefined {
  const [found] = all(at(element, ...path));
  const text = typeof found === 'object' ? at(found, '#text') : found;
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  return text.trim();
}

/** Returns the `ID` of a reference with this type: `WID`, `Employee_ID`. */
export function referenceId(reference: Element, type: string): string | undefined {
  const found = all(at(reference, 'ID')).find((id) => at(id, '@type') === type);
  return found === undefined ? undefined : textAt(found);
}

const requestName = 'POST Human_Resources/Get_Workers';

/** Requests one page. Throws SOURCE_UNAVAILABLE for a fault, and for an answer that is not one of Get_Workers. */
export async function getWorkersPage(config: SoapConfig, client: SourceClient, request: PageRequest) {
  const parseXml = await openXmlParser();
  const { bytes } = await client.send({
    name: requestName,
    method: 'POST',
    url: config.url,
    expects: 'XML',
    headers: { 'content-type': 'text/xml;charset=UTF-8', accept: 'text/xml' },
    body: { kind: 'text', text: getWorkersEnvelope(config, request) },
    refusal: (status, body) => (status === 500 ? refusalOf(() => parseXml(requestName, body)) : undefined),
  });
  const body = at(parseXml(requestName, bytes), 'Envelope', 'Body');
  const response = at(body, 'Get_Workers_Response');
  const results = at(response, 'Response_Results');
  const [total, pages] = [countAt(results, 'Total_Results'), countAt(results, 'Total_Pages')];
  const data = at(response, 'Response_Data');
  if (total === undefined || pages === undefined || (data === undefined && total > 0)) throw noWorkers(body);
  const workers = all(at(data, 'Worker'));
  return {
    workers,
    total,
    pages,
    /** Reasons why the page is inconsistent. */
    doubts: doubtsOf(results, request.page, workers.length),
  };
}

/** Page number and size, as Workday reports them. */
function doubtsOf(results: Element, page: number, count: number): readonly string[] {
  const [answered, promised] = [countAt(results, 'Page'), countAt(results, 'Page_Results')];
  const doubts: string[] = [];
  if (answered !== undefined && answered !== page)
    doubts.push(`page ${page} was requested, but page ${answered} arrived`);
  if (promised !== undefined && promised !== count) {
    doubts.push(`page ${page} should have ${promised} workers, but ${count} arrived`);
  }
  return doubts;
}

function countAt(results: Element, name: string): number | undefined {
  const text = textAt(results, name);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A Client fault concerns the request or its sender, so it recurs. Its texts may hold ids, so only codes are shown. */
function refusalOf(parse: () => Element): Refusal | undefined {
  let fault: Element;
  try {
    fault = at(parse(), 'Envelope', 'Body', 'Fault');
  } catch {
    return undefined;
  }
  const code = textAt(fault, 'faultcode') ?? '';
  const known = /^(?:[\w-]+:)?(Client(?:\.(?:authenticationError|validationError|processingFault))?)(?:\.\w+)*$/.exec(
    code,
  );
  if (known === null) return undefined;
  const isLogin = code.endsWith('authenticationError');
  const advice = isLogin
    ? 'Check user (ISU@tenant) and password, and that the integration user is neither locked nor expired.'
    : "Check the version in the address, and the integration user's right to Get_Workers (domain Worker Data: Public Worker Reports, and those of the requested parts).";
  return { what: `${requestName} was refused: ${known[1]}`, advice, isRefusal: isLogin };
}

function noWorkers(body: Element): RollcallError {
  const what = `workers and their totals${isRecord(body) && 'Fault' in body ? ', with a fault' : ''}`;
  return lacking(requestName, what, 'Check the address, and that Workday still supports its version.');
}

/**
 * Returns a parser of complete documents. It refuses document types, because their entities may expand without end. It
 * throws SOURCE_UNAVAILABLE, which may be retried, without quoting the document.
 */
export async function openXmlParser(): Promise<(name: string, bytes: Uint8Array) => unknown> {
  // Large, so it is loaded only where it is used.
  const { XMLParser, XMLValidator } = await import('fast-xml-parser');
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    removeNSPrefix: true,
    // Ids keep their zeros and digits.
    parseTagValue: false,
    parseAttributeValue: false,
    htmlEntities: true,
    // Only entities of XML and HTML. A document's own entities are refused below, and could not expand here.
    processEntities: { maxEntitySize: 1, maxEntityCount: 1 },
  });
  return (name, bytes) => {
    const text = decode(bytes);
    if (text === undefined || hasDocumentType(text) || XMLValidator.validate(text) !== true) {
      throw noXml(name, bytes.length);
    }
    try {
      return parser.parse(text);
    } catch {
      throw noXml(name, bytes.length);
    }
  };
}

/** Returns whether a `<!DOCTYPE` comes before the root element, after any comments and instructions. */
function hasDocumentType(text: string): boolean {
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const [open, close] = aside.find(([begin]) => text.startsWith(begin, at)) ?? [];
    if (open === undefined || close === undefined) return text.startsWith('<!', at);
    const end = text.indexOf(close, at + open.length);
    if (end < 0) return false;
    at = end + close.length;
  }
  return false;
}

/** What may precede the root element. */
const aside = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Returns undefined for invalid UTF-8, because half a name is worse than none. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function noXml(name: string, length: number): RollcallError {
  const message = `the answer to ${name} is not complete XML (${length} bytes arrived). Check that the address is the web service itself.`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
