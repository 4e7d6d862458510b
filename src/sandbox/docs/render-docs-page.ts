import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../platform/table/index.ts';
import { type Html, html } from './html.ts';

/** Initial tokens of the forms. Without an application token, its form field is left out. */
export interface DocsTokens {
  readonly accessToken: string;
  readonly applicationToken?: string;
  readonly refreshToken?: string;
}

/** The parts of an OpenAPI document that the page uses. */
interface ShownDocument {
  readonly info: JsonObject;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonObject>> };
}

interface ShownOperation extends JsonObject {
  readonly operationId: string;
  /** A shorter name of the operation, where it has one. */
  readonly 'x-operation'?: string;
  readonly responses: Readonly<Record<string, JsonObject>>;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: ShownOperation;
}

/** Renders the document as one self-contained page: operations by part, schemas, and a form to try each operation. */
export function renderDocsPage(document: ShownDocument, tokens: DocsTokens): string {
  const entries = Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
    .sort((a, b) => safeOrder.indexOf(a.method) - safeOrder.indexOf(b.method));
  const parts = partsOf(entries);
  const { schemas } = document.components;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${String(document.info.title)}</title>
<link rel="icon" href="data:,">
<style>${asset('docs.css')}</style>
</head>
<body>
<nav aria-label="Operations">
<h1>${String(document.info.title)}</h1>
<p><a href="/">start</a> · <a href="/openapi.json">openapi.json</a> · ${entries.length} operations</p>
${parts.map((part) => renderContents(part, entries))}
<h2><a href="#schemas">schemas</a></h2>
</nav>
<main>
<section class="tokens" aria-label="Tokens">
<label>Access token <input id="accessToken" value="${tokens.accessToken}" spellcheck="false" autocomplete="off"></label>
${
  tokens.applicationToken === undefined
    ? undefined
    : html`<label>Application token <input id="applicationToken" value="${tokens.applicationToken}" spellcheck="false" autocomplete="off"></label>`
}
</section>
${parts.map(
  (part) => html`<h2 class="part">${part}</h2>
${entries.filter((entry) => String(entry.operation.tags) === part).map((entry) => renderEntry(entry, schemas, tokens))}`,
)}
<h2 class="part" id="schemas">schemas</h2>
${Object.entries(schemas).map(
  ([name, schema]) =>
    html`<details class="schema" id="schema-${name}"><summary><code>${name}</code></summary>${renderSchema(schema)}</details>`,
)}
</main>
<script>${asset('docs.js')}</script>
</body>
</html>
`;
  return page.html;
}

/** Style and script stand in the page, so that it needs no other file. */
function asset(name: string): Html {
  return { html: readFileSync(join(import.meta.dirname, name), 'utf8') };
}

function nameOf(operation: ShownOperation): string {
  return operation['x-operation'] ?? operation.operationId;
}

/** What reads comes first, and what deletes last, because a page is tried from the top. */
const safeOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Tokens last: their calls end the tokens of this page. */
function partsOf(entries: readonly Entry[]): readonly string[] {
  const parts = [...new Set(entries.map(({ operation }) => String(operation.tags)))];
  return [...parts.filter((part) => part !== 'tokens'), ...parts.filter((part) => part === 'tokens')];
}

function renderContents(part: string, entries: readonly Entry[]): Html {
  const own = entries.filter(({ operation }) => String(operation.tags) === part);
  return html`<h2>${part}</h2>
<ul>${own.map(
    ({ method, operation }) =>
      html`<li><a href="#${nameOf(operation)}"><b class="method ${method}">${method}</b> ${nameOf(operation)}</a></li>`,
  )}</ul>`;
}

function renderEntry({ method, path, operation }: Entry, schemas: Schemas, tokens: DocsTokens): Html {
  const id = nameOf(operation);
  const parameters = operation.parameters as readonly JsonObject[];
  return html`<article id="${id}">
<h3><b class="method ${method}">${method}</b> <code>${path}</code></h3>
<p>${String(operation.summary)}.${operation.description === undefined ? undefined : html` <em>${String(operation.description)}</em>`}</p>
<table class="answers"><caption>Answers</caption>${Object.entries(operation.responses).map(renderAnswer)}</table>
<form data-method="${method}" data-path="${path}" data-token="${tokenOf(operation)}">
${parameters.map((parameter) => renderParameter(parameter, id))}
${renderBody(operation, schemas, tokens)}
<button type="submit">Try it</button>
<output for="${id}" hidden></output>
</form>
</article>`;
}

type Schemas = ShownDocument['components']['schemas'];

function tokenOf(operation: ShownOperation): string {
  return JSON.stringify(operation.security).includes('applicationToken') ? 'applicationToken' : 'accessToken';
}

function renderAnswer([status, answer]: [string, JsonObject]): Html {
  const content = answer.content as Readonly<Record<string, { readonly schema: JsonObject }>> | undefined;
  const schema = Object.values(content ?? {})[0]?.schema;
  return html`<tr>
<th><b class="status s${status.slice(0, 1)}">${status}</b></th>
<td>${String(answer.description)}</td>
<td>${schema === undefined ? 'no body' : renderType(schema)}</td>
</tr>`;
}

function renderParameter(parameter: JsonObject, operationId: string): Html {
  const {
    name,
    in: place,
    description,
    schema,
    required,
    example,
  } = parameter as {
    name: string;
    in: string;
    description?: string;
    schema: JsonObject;
    required: boolean;
    example?: string;
  };
  const sample = place === 'path' ? sampleParameter(name, operationId) : place === 'header' ? 'en' : '';
  const value = example ?? sample;
  const hint = schema.default === undefined ? '' : `default ${String(schema.default)}`;
  return html`<label class="field"><span><code>${name}</code>${required ? html` <b class="need">*</b>` : undefined} <small>${place}, ${renderType(schema)}</small></span>
<input name="${name}" data-in="${place}" value="${value}" placeholder="${hint}" autocomplete="off">
<small>${description}</small></label>`;
}

function renderBody(operation: ShownOperation, schemas: Schemas, { refreshToken }: DocsTokens): Html | undefined {
  const body = operation.requestBody as { content: Record<string, ShownContent> } | undefined;
  const content = body?.content['application/json'];
  if (content === undefined) return undefined;
  const { schema, example } = content;
  const resolve = ({ $ref, ...rest }: JsonObject): JsonObject => schemas[String($ref).split('/').at(-1) ?? ''] ?? rest;
  const sample: JsonObject = {
    ...(example ?? sampleBody(schema, resolve)),
    ...ownSample(nameOf(operation), refreshToken),
  };
  return html`<label class="field body"><span><code>body</code> <b class="need">*</b> <small>${Object.keys(body?.content ?? {}).join(' or ')}, ${renderType(schema)}</small></span>
<textarea name="body" rows="${Object.keys(sample).length + 2}" spellcheck="false">${JSON.stringify(sample, undefined, 2)}</textarea></label>`;
}

interface ShownContent {
  readonly schema: JsonObject;
  readonly example?: JsonObject;
}

/** A sample that needs a valid refresh token. */
function ownSample(operationId: string, refreshToken: string | undefined): JsonObject {
  return operationId === 'token' && refreshToken !== undefined ? { refresh_token: refreshToken } : {};
}

/** Returns a sample body with the required members, for a request without an example. `resolve` follows a `$ref`. */
function sampleBody(schema: JsonObject, resolve: (schema: JsonObject) => JsonObject): JsonObject {
  const { properties = {}, required = [] } = resolve(schema) as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  const entries = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(entries.map(([name, member]) => [name, firstOf(member)]));
}

function firstOf(member: JsonObject): unknown {
  if (Array.isArray(member.enum)) return member.enum[0];
  if (member.const !== undefined) return member.const;
  if (member.type === 'integer' || member.type === 'number') return 1;
  if (member.type === 'array') return [];
  return '';
}

/** Returns a path parameter that exists in a sandbox with users. */
function sampleParameter(name: string, operationId: string): string {
  if (name === 'id') return operationId === 'evaluation' ? '5001' : '1';
  if (name === 'customAclCode') return 'ROLE_ADMIN';
  if (name === 'code') return 'GOAL-1';
  return name === 'identification' ? 'E000001' : '1';
}

/** Renders a schema as a table of its members. Members of object members follow below their names. */
function renderSchema(schema: JsonObject): Html {
  const { properties, required = [] } = schema as {
    properties?: Record<string, JsonObject>;
    required?: readonly string[];
  };
  if (properties === undefined) return html`<p>${renderType(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, member]) => {
    const inner = innerObject(member);
    const mark = required.includes(name) ? html` <b class="need" title="required">*</b>` : undefined;
    const rule = typeof member.pattern === 'string' && member.pattern === '\\S' ? ', not blank' : undefined;
    const note = typeof member.description === 'string' ? html` <small>${member.description}</small>` : undefined;
    return html`<tr>
      <th>${name}${mark}</th>
      <td>${renderType(member)}${rule}${note}${inner === undefined ? undefined : renderSchema(inner)}</td>
    </tr>`;
  });
  return html`<table class="members">${rows}</table>`;
}

function innerObject(member: JsonObject): JsonObject | undefined {
  if (member.properties !== undefined) return member;
  if (Array.isArray(member.anyOf)) {
    return member.anyOf.map((one: JsonObject) => innerObject(one)).find((one) => one !== undefined);
  }
  return typeof member.items === 'object' && member.items !== null
    ? innerObject(member.items as JsonObject)
    : undefined;
}

/** Renders the type in words: `text`, `UserRecord`, `list of Role`, `one of A, B`. Nullable means optional in this API. */
function renderType(schema: JsonObject): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(schema.anyOf)) {
    const kinds = schema.anyOf.filter((one: JsonObject) => one.type !== 'null' && one.const !== '');
    return { html: kinds.map((kind) => renderType(kind).html).join(' or ') };
  }
  if (Array.isArray(schema.enum)) return html`one of <code>${schema.enum.join(', ')}</code>`;
  if (schema.const !== undefined) return html`<code>${String(schema.const)}</code>`;
  if (schema.type === 'array') return html`list of ${renderType((schema.items ?? {}) as JsonObject)}`;
  const kind = [schema.type].flat().find((one) => one !== 'null');
  const words: Readonly<Record<string, string>> = {
    string: schema.format === 'date' ? 'date, YYYY-MM-DD' : 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'true or false',
    object: 'object',
  };
  return html`${words[String(kind)] ?? 'anything: the contract does not define it'}`;
}
