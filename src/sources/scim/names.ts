import { isRecord } from '../../drivers/http/json-text.ts';
import type { ScimConfig } from './config.ts';

/** The names of RFC 7643 (sections 3, 4.1 and 4.3), RFC 7644 (3.4.2) and RFC 9865, as they spell them. */
const registered =
  'schemas id externalId meta resourceType created lastModified location version userName name formatted familyName givenName ' +
  'middleName honorificPrefix honorificSuffix displayName nickName profileUrl title userType preferredLanguage locale timezone ' +
  'active emails phoneNumbers ims photos addresses groups entitlements roles x509Certificates value display type primary ' +
  'streetAddress locality region postalCode country employeeNumber costCenter organization division department manager $ref ' +
  'totalResults itemsPerPage startIndex Resources nextCursor previousCursor';

/**
 * Returns a function that gives the names of an answer their usual spelling, because names ignore case (RFC 7643, 2.1).
 * Names that neither a standard nor the configuration has stay as they are.
 */
export function openNames({ attributes = [], extensions }: Pick<ScimConfig, 'attributes' | 'extensions'>) {
  const known = [
    ...registered.split(' '),
    ...attributes.flatMap((path) => path.split('.')),
    ...Object.values(extensions),
  ];
  const spelled = new Map(known.map((name) => [name.toLowerCase(), name]));
  const asSpelled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(asSpelled);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [spelled.get(name.toLowerCase()) ?? name, asSpelled(inner)]),
    );
  };
  return asSpelled;
}
