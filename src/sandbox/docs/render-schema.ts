import type { JsonObject } from '../../platform/table/index.ts';
import { type Html, html } from './html.ts';

/** Renders a schema as a table of its members. Members of object members follow below their names. */
export function renderSchema(schema: JsonObject): Html {
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
export function renderType(schema: JsonObject): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (Array.isArray(schema.anyOf)) {
    const kinds = schema.anyOf.filter((one: JsonObject) => one.type !== 'null' && one.const !== '');
    return joined(kinds.map(renderType));
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

function joined(parts: readonly Html[]): Html {
  return { html: parts.map((part) => part.html).join(' or ') };
}
