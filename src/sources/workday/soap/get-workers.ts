import { RollcallError } from '../../../core/run/errors.ts';
import { isRecord } from '../../../drivers/http/json-text.ts';
import type { Refusal } from '../../kit/http/failure.ts';
import type { SourceClient } from '../../kit/http/source-client.ts';
import type { SoapConfig } from '../config.ts';
import { all, at, type Element, getWorkersEnvelope, type PageRequest, textAt } from './envelope.ts';

const requestName = 'POST Human_Resources/Get_Workers';

/** One page of workers, as Workday counts it. */
export interface WorkersPage {
  readonly workers: readonly Element[];
  readonly total: number;
  readonly pages: number;
  /** Reasons why the page is inconsistent. */
  readonly doubts: readonly string[];
}

/** Requests one page. Throws SOURCE_UNAVAILABLE for a fault, and for an answer that is not one of Get_Workers. */
export async function getWorkersPage(
  config: SoapConfig,
  client: SourceClient,
  request: PageRequest,
): Promise<WorkersPage> {
  // The XML parser is large, so it is loaded only when it is needed.
  const { parseXml } = await import('./parse-xml.ts');
  const { bytes } = await client.send({
    name: requestName,
    method: 'POST',
    url: config.url,
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
  return { workers, total, pages, doubts: doubtsOf(results, request.page, workers.length) };
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
  const what = isRecord(body) && 'Fault' in body ? 'is a fault' : 'holds no list of workers with its totals';
  const message = `the answer to ${requestName} ${what}. Check the address, and that Workday still supports its version.`;
  return new RollcallError(message, { code: 'SOURCE_UNAVAILABLE', retry: 'backoff' });
}
