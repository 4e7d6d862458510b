import { expect, test } from 'vitest';
import { key32, problemsOf } from './support.ts';

const base = `store: sqlite:./db
encryptionKey: ${key32}
connections:
  acme:
    baseUrl: https://platform.example.com
    applicationToken: app-token
    refreshToken: first-token
    limits: { requestsPerSecond: 5, concurrency: 2, pageSize: 900, timeout: 20s }
    dialect: { put: merges }
syncs:
  people:
    connection: acme
    schedule: { cron: "*/15 * * * *", timezone: America/Montevideo }
    source: { kind: csv, path: ./employees.csv }
    policy: sync
    delivery: auto
    batchRows: 1000
    mapping:
      identification: employee_id
      firstName: first_name
      lastName: last_name
      email: { from: work_email, transform: [trim, lowercase] }
      orgEntryDate: { from: hire_date, format: dd/MM/yyyy }
      customFields: { 1: cost_center }
    scope: country = 'UY'
    match: [identification, email]
    lifecycle: { status: status, active: [active, leave], leaver: [terminated] }
    missing: { afterReads: 2, minAge: 24h }
    outOfScope: ignore
    firstSight: write
    foreignDisable: report
    protected: [admin]
    remove: { afterDays: 30 }
    settle: { every: 5s }
    guards: { disables: { absolute: 5 } }
log: { level: info }
`;

/** By what is replaced in the configuration above: each replacement, and the problems that come of it. */
const wrong: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // the file
  'store: sqlite:./db': {
    'store: mysql://x':
      '1 store: must be sqlite: and a path, such as sqlite:./.rollcall/rollcall.db, or postgres://user:password@host/database',
    'store: postgres:db':
      '1 store: must be sqlite: and a path, such as sqlite:./.rollcall/rollcall.db, or postgres://user:password@host/database',
    'store: /nonexistent/x.db':
      '1 store: must be sqlite: and a path, such as sqlite:./.rollcall/rollcall.db, or postgres://user:password@host/database; did you mean sqlite:/nonexistent/x.db?',
    'store: 5': '1 store: must be text; put it in quotes',
    'store:': '1 store: has no value; set one, or delete the key',
    'stor: sqlite:./db':
      '1 stor: is not a known key; did you mean store? Known here: store, redis, encryptionKey, formerEncryptionKeys, retention, workers, deployment, commandPrefix, traceUrl, approvals, reports, connections, syncs, server, alerts, log',
    'store: sqlite:./db\nworkers: { concurrency: 0 }': '2 workers.concurrency: must be a whole number from 1 to 64',
    'store: sqlite:./db\nworkers: { lock: 1s }':
      '2 workers.lock: must be a duration from 3s to 5m: a whole number and ms, s, m, h or d',
    'store: sqlite:./db\nworkers: { storeConnections: 1 }':
      '2 workers.storeConnections: must be a whole number from 2 to 100',
    'store: sqlite:./db\nredis: http://127.0.0.1':
      '2 redis: must be redis://host:6379, or rediss:// for TLS; add user:password@ before the host and /number for the database if needed',
    'store: sqlite:./db\nredis: { url: "redis://127.0.0.1/x", tls: true, db: 1 }':
      '2 redis.url: must be redis://host:6379, or rediss:// for TLS; add user:password@ before the host and /number for the database if needed\n2 redis.tls: belongs in the url: write rediss://\n2 redis.db: belongs in the url: redis://host/2',
    'store: sqlite:./db\nredis: { sentinels: ["127.0.0.1"], prefix: "a:b", pasword: x }':
      '2 redis.sentinels: is valid only with both sentinels and master\n2 redis.sentinels[0]: must be host:port, such as redis-1.example.com:6379\n2 redis.prefix: must be 1 to 40 letters, digits, dots, dashes and underscores\n2 redis.pasword: is not a known key; did you mean password? Known here: url, sentinels, master, cluster, username, password, sentinelUsername, sentinelPassword, db, tls, ca, prefix',
    'store: sqlite:./db\nredis: { cluster: ["127.0.0.1:6379"], sentinels: ["127.0.0.1:26379"], db: 3, ca: none }':
      '2 redis: must have exactly one of url, sentinels and cluster\n2 redis.sentinels: is valid only with both sentinels and master\n2 redis.db: must be 0 with cluster\n2 redis.ca: must be a certificate in PEM',
    'store: sqlite:./db\nalerts: [{ kind: slack, url: "http://example.com/x", secret: abc }, { kind: email, url: "https://example.com", to: [ops] }, { kind: pager }]':
      '2 alerts[0].url: must begin with https://; http:// is accepted for this machine only, or with insecure: true beside it\n2 alerts[0].secret: is not used for slack; delete this key\n2 alerts[1].url: must be smtps://user:password@host:465, or smtp://host:587\n2 alerts[1].from: is required for email\n2 alerts[1].to[0]: must be an e-mail address such as ops@example.com\n2 alerts[2].kind: must be one of webhook, slack, teams, email, pagerduty, opsgenie, alertmanager',
    'store: sqlite:./db\nalerts: [{ kind: slack, token: abc, remind: sometimes }, { kind: slack, token: abc }, { kind: opsgenie, after: 31d, remind: 31d }]':
      '2 alerts[0].remind: must be never, or a duration from 1m to 30d: a whole number and m, h or d\n2 alerts[0].channel: is required for slack with a token\n2 alerts[1].channel: is required for slack with a token\n2 alerts[2].after: must be a duration from 0s to 7d: a whole number and ms, s, m, h or d\n2 alerts[2].remind: must be never, or a duration from 1m to 30d: a whole number and m, h or d',
    'store: sqlite:./db\nalerts: [{ kind: slack, name: a, url: "https://example.com/x", syncs: [peple] }, { kind: pagerduty, name: a, routingKey: abc, severities: [] }]':
      '2 alerts[0].syncs[0]: is not the name of a sync; the syncs are: people\n2 alerts[1].severities: must not be empty; delete it to mean all\n2 alerts[1].name: appears twice in the list; give each channel its own name',
    'store: sqlite:./db\napprovals: { disables: { by: [hr-leads, group:hr] }, removes: { by: [ana@example.com] } }':
      '2 approvals.disables.by[0]: must be group:hr-leads, token:hr-leads (a name in "server.tokens") or user:SUBJECT, because a group, a token and a user can have the same name\n2 approvals.removes.by[0]: must be group:ana@example.com, token:ana@example.com (a name in "server.tokens") or user:SUBJECT, because a group, a token and a user can have the same name',
    'store: sqlite:./db\nserver: { tokens: [{ name: ops, role: operator, token: 0123456789abcdef }] }\napprovals: { disables: { by: [token:nope, user:ana] }, removes: { approvers: 2, by: [token:ops] }, enables: { approvers: 2, by: [group:hr] }, creates: { by: [shell:root] } }':
      '3 approvals.disables.by[0]: is not a token of server.tokens; they are: token:ops\n3 approvals.removes.by: names 1 of the 2 approvers that each change needs; name more, or lower approvers\n3 approvals.creates.by[0]: names a user of a shell, who never approves; name a group:, a token: or a user:SUBJECT',
    'store: sqlite:./db\nserver: { port: 80000, token: x, tokens: [{ name: ops, role: root, token: short }], webhooks: { peple: { secret: 0123456789abcdef } } }':
      '2 server.port: must be a whole number from 0 to 65535\n2 server.tokens[0].role: must be one of monitor, viewer, operator, admin\n2 server.tokens[0].token: must have at least 16 characters; create one with: openssl rand -base64 32\n2 server.token: is not a known key; did you mean tokens? Known here: host, port, metricsPort, metrics, publicUrl, tokens, signInLink, openId, sessions, webhooks, trustedProxies, requestsPerMinute\n2 server.webhooks.peple: is not the name of a sync; the syncs are: people',
    'store: sqlite:./db\nserver: { openId: { issuer: "http://login.example.com", clientId: rollcall, roles: {} }, sessions: { idle: 2d } }':
      '2 server.openId.issuer: must be the address of an OpenID Connect provider with https, such as https://login.example.com/tenant\n2 server.openId.roles: must name at least one group: without one, no user may sign in\n2 server.sessions.idle: must be a duration from 1m to 24h: a whole number and ms, s, m, h or d',
    'store: sqlite:./db\nserver: { openId: { issuer: "https://login.example.com", clientId: rollcall, roles: { viewer: ["*"] } } }':
      '2 server.openId: needs "server.publicUrl": the provider sends users back to <publicUrl>/auth/callback',
  },
  [key32]: {
    'c2hvcnQ=':
      '2 encryptionKey: must be 32 random bytes in base64 (44 characters); create one with: openssl rand -base64 32',
  },
  [`encryptionKey: ${key32}`]: {
    'store2: x':
      '2 store2: is not a known key; did you mean store? Known here: store, redis, encryptionKey, formerEncryptionKeys, retention, workers, deployment, commandPrefix, traceUrl, approvals, reports, connections, syncs, server, alerts, log\n1 encryptionKey: is required, because the tokens of connections.acme are kept in the store; create one with: openssl rand -base64 32',
  },
  'log:': {
    'traceUrl: https://traces.example/\nlog:':
      '36 traceUrl: must be an address with {traceId} in it, such as https://grafana.example.com/explore/{traceId}',
  },
  'level: info': {
    'level: inof': '36 log.level: must be one of debug, info, warn, error; did you mean info?',
    'lvel: info': '36 log.lvel: is not a known key; did you mean level? Known here: level',
  },
  // connections
  '  acme:\n': {
    '  "ac me":\n':
      '4 connections.ac me: must be a name of letters, digits, dots, dashes and underscores, at most 63\n12 syncs.people.connection: is not a connection in this file; it must be ac me',
  },
  'https://platform': {
    'http://platform':
      '5 connections.acme.baseUrl: must begin with https://; http:// is accepted for this machine only, or with insecure: true beside it',
    'https://joe:word@platform':
      '5 connections.acme.baseUrl: must not contain a user name or password; tokens have keys of their own',
  },
  'https://platform.example.com': {
    'platform.example.com':
      '5 connections.acme.baseUrl: must be an address that begins with https://, such as https://platform.example.com',
  },
  'example.com\n': {
    'example.com/os-api\n': '5 connections.acme.baseUrl: must not contain /os-api or /growth; they are added',
    'example.com?a=1\n': '5 connections.acme.baseUrl: must not contain ? or #',
  },
  '    baseUrl: https://platform.example.com\n': {
    '': '4 connections.acme.baseUrl: is required; it must be the address of the platform, such as https://platform.example.com',
  },
  'app-token': {
    '"app token"':
      '6 connections.acme.applicationToken: must be one line without blanks or accents; check for characters copied along with it',
  },
  '    applicationToken: app-token\n': {
    '': '4 connections.acme.applicationToken: is required with refreshToken, because the platform exchanges a refresh token only together with it',
  },
  'applicationToken: app-token\n': {
    'applicationToken: app-token\n    accessToken: fixed\n':
      '7 connections.acme.accessToken: cannot be combined with refreshToken; keep refreshToken to have tokens refreshed',
  },
  '    applicationToken: app-token\n    refreshToken: first-token\n': {
    '': '4 connections.acme: has no token; set applicationToken and refreshToken, or a fixed accessToken',
  },
  'concurrency: 2': {
    'concurrency: 0': '8 connections.acme.limits.concurrency: must be a whole number from 1 to 64',
    'concurrency: 1.5': '8 connections.acme.limits.concurrency: must be a whole number from 1 to 64',
  },
  'pageSize: 900': {
    'pageSize: 0': '8 connections.acme.limits.pageSize: must be a whole number from 1 to 10000',
  },
  'requestsPerSecond: 5': {
    'requestsPerSecond: 0': '8 connections.acme.limits.requestsPerSecond: must be a number above 0',
  },
  'timeout: 20s': {
    'timeout: 20':
      '8 connections.acme.limits.timeout: must be a duration from 100ms to 10m: a whole number and ms, s, m, h or d',
  },
  'limits: {': {
    'limit: {':
      '8 connections.acme.limit: is not a known key; did you mean limits? Known here: baseUrl, insecure, applicationToken, refreshToken, accessToken, proxy, ca, limits, dialect',
  },
  // dialect
  'put: merges': {
    'put: merge': '9 connections.acme.dialect.put: must be one of merges, replaces; did you mean merges?',
    'search: { pageSize: 0 }': '9 connections.acme.dialect.search.pageSize: must be a whole number from 1 to 10000',
    'search: { parameters: header }': '9 connections.acme.dialect.search.parameters: must be one of query, body',
    'upload: { encoding: base64 }':
      '9 connections.acme.dialect.upload.encoding: must be one of multipart, json, json-base64; did you mean json-base64?',
    'status: { path: /files }':
      '9 connections.acme.dialect.status.path: must be a path that begins with / and contains {id}',
    'status: { done: [] }': '9 connections.acme.dialect.status.done: must not be empty',
    'status: { done: [Ok], failed: [OK] }':
      '9 connections.acme.dialect.status.failed[0]: is also listed in done; a status can mean only one thing',
    'busyStatuses: [200]': '9 connections.acme.dialect.busyStatuses[0]: must be a whole number from 400 to 599',
    'refusedStatuses: [409]': '9 connections.acme.dialect.refusedStatuses[0]: must be a whole number from 500 to 599',
    'busyStatuses: 409': '9 connections.acme.dialect.busyStatuses: must be a list',
    'expiresIn: ms': '9 connections.acme.dialect.expiresIn: must be one of seconds, milliseconds',
    'enableBy: D': '9 connections.acme.dialect.enableBy: must be one of U, I',
    'csv: { delimiter: "::" }': '9 connections.acme.dialect.csv.delimiter: must be one of "," ";" "|" tab',
    'csv: { lineEnd: cr }': '9 connections.acme.dialect.csv.lineEnd: must be one of lf, crlf',
    'csv: { dateFormat: MM/dd }':
      '9 connections.acme.dialect.csv.dateFormat: must contain yyyy, MM and dd once each and no other letters, such as yyyy-MM-dd',
    'csv: { bom: "yes" }': '9 connections.acme.dialect.csv.bom: must be true or false',
    'userId: ident': '9 connections.acme.dialect.userId: must be one of id, uid, identification, created',
    'customFieldLimit: { direct: 31 }':
      '9 connections.acme.dialect.customFieldLimit.direct: must be a whole number from 0 to 30',
    'customFieldLimit: { csv: 10 }':
      '9 connections.acme.dialect.customFieldLimit.direct: is higher than customFieldLimit.csv; a file accepts at least as many custom fields as a direct call',
    'customFieldLimit: { direct: 0, csv: 0 }':
      "24 syncs.people.mapping.customFields.1: is above the connection's dialect.customFieldLimit.csv (0); the platform would refuse it",
    'mayClear: [email]': '9 connections.acme.dialect.mayClear[0]: must be one of job, phoneNumber, seniority',
    'mayClear: [job, job]': '9 connections.acme.dialect.mayClear[1]: is a duplicate; it is first listed as [0]',
    'put: replaces':
      '18 syncs.people.mapping: does not name job, phoneNumber, seniority: every write would clear it, and the platform does not return it (dialect.put is replaces); map it, or list it in dialect.mayClear',
    'csv: { header: full }, mayClear: [job, seniority]':
      '18 syncs.people.mapping: does not name phoneNumber: every write would clear it, and the platform does not return it (dialect.csv.header is full and an empty cell clears); map it, or list it in dialect.mayClear',
  },
  'dialect: { put: merges }': {
    'dialect: nothing': '9 connections.acme.dialect: must be a mapping of keys and values',
  },
  // syncs
  '  people:\n': {
    '  -people:\n': '11 syncs.-people: must be a name of letters, digits, dots, dashes and underscores, at most 63',
  },
  'connection: acme': {
    'connection: acm': '12 syncs.people.connection: is not a connection in this file; it must be acme',
  },
  '"*/15 * * * *"': {
    '"61 * * * *"':
      '13 syncs.people.schedule.cron: has an invalid minute (0 to 59); write minute hour day month weekday, such as "*/15 * * * *"',
    '"0 0 31 2 *"':
      '13 syncs.people.schedule.cron: has an invalid day of month (1 to 31, and it must exist in the month); write minute hour day month weekday, such as "*/15 * * * *"',
    '"*/5 * * * * *"':
      '13 syncs.people.schedule.cron: must have five fields (minute hour day month weekday), such as "*/15 * * * *"; it has 6',
    hourly:
      '13 syncs.people.schedule.cron: must have five fields (minute hour day month weekday), such as "*/15 * * * *"; it has 1',
  },
  'America/Montevideo': {
    'America/Montevide':
      '13 syncs.people.schedule.timezone: must be an IANA time zone such as America/Montevideo or UTC',
  },
  'kind: csv': {
    'kind: cvs': '14 syncs.people.source.kind: must be csv',
  },
  'kind: csv, ': {
    '': '14 syncs.people.source.kind: is required',
  },
  'path: ./employees.csv': {
    'pth: ./employees.csv': '14 syncs.people.source.path: is required',
  },
  '    policy: sync\n': {
    '': '11 syncs.people.policy: is required and has no default; choose sync (create, update, enable, disable and remove), upsert-only (create, update and enable; never disables a user) or create-only (create only)',
  },
  'policy: sync': {
    'policy: upsert':
      '15 syncs.people.policy: must be sync (create, update, enable, disable and remove), upsert-only (create, update and enable; never disables a user) or create-only (create only)',
    'policy: upsert-only':
      '33 syncs.people.remove: deletes accounts, but policy upsert-only does not allow it; use policy: sync, or delete this key',
    'policy: sync\n    policy: sync': '16 syncs.people.policy: is a duplicate key; it is first defined on line 15',
    'policy: *sync': '15 syncs.people.policy: is an alias (*) of an anchor (&) that is not defined before it',
    '\tpolicy: sync': '15 : YAML: a tab is used for indentation; use spaces',
    'policy: "sync': '37 : YAML: a quote that was opened above is not closed',
    'policy: [sync': '16 : YAML: the indentation of this line does not match, or a bracket is not closed',
    'policy: !sync x':
      '15 : YAML: tags (!name) are not supported; quote the value if it begins with an exclamation mark',
    'policy: @sync': '15 : YAML: a value cannot begin with this character; put the value in quotes',
  },
  'delivery: auto': {
    'delivery: mail': '16 syncs.people.delivery: must be one of auto, csv, direct, outbox',
    'delivery: direct':
      '16 syncs.people.delivery: direct cannot disable or enable users, which policy: sync requires; use auto or csv, or policy: upsert-only',
    'delivery: outbox':
      '33 syncs.people.remove: is not possible with an outbox: a CSV file has no row that deletes an account',
    'outbox: { folder: ./out }':
      '16 syncs.people.outbox: has no effect with delivery: auto; write delivery: outbox, or delete this key',
  },
  'batchRows: 1000': {
    'batchRows: 0': '17 syncs.people.batchRows: must be a whole number from 1 to 100000',
  },
  // mapping
  '      identification: employee_id\n': {
    '': '18 syncs.people.mapping.identification: is required',
  },
  '      lastName: last_name\n': {
    '': '18 syncs.people.mapping.lastName: is required',
  },
  'firstName: first_name': {
    'firstName: 7':
      "20 syncs.people.mapping.firstName: must be a source field's name (text) or a mapping with one of from, value, expression",
    'firstName: { from: a, whenEmpty: clear }':
      '20 syncs.people.mapping.firstName.whenEmpty: cannot be clear here, because identification, first and last name are required',
    'firstName: { from: a, format: dd/MM/yyyy }':
      '20 syncs.people.mapping.firstName.format: is for dates only: orgEntryDate and birthDate',
  },
  'identification: employee_id': {
    'identification: { from: employee_id, write: onCreate }':
      '19 syncs.people.mapping.identification.write: is not for the identification, which is never changed',
  },
  'from: work_email, ': {
    'from: work_email, write: onCreate, keepLocalEdits: true, ':
      '22 syncs.people.mapping.email.keepLocalEdits: has no effect with write: onCreate or ifEmpty, which never overwrite a value; remove one of the two',
    'from: work_email, write: ifEmpty, whenEmpty: clear, ':
      '22 syncs.people.mapping.email.whenEmpty: cannot be clear with write: onCreate or ifEmpty, which never overwrite a value; remove one of the two',
    'from: work_email, write: never, ': '22 syncs.people.mapping.email.write: must be one of always, onCreate, ifEmpty',
    '': '22 syncs.people.mapping.email: needs exactly one of from, value, expression',
    'from: a, value: b, ': '22 syncs.people.mapping.email: needs exactly one of from, value, expression',
    'form: work_email, ':
      '22 syncs.people.mapping.email.form: is not a known key; did you mean from? Known here: from, value, expression, transform, format, whenEmpty, write, keepLocalEdits',
    'value: 5, ': '22 syncs.people.mapping.email.value: must be text; put it in quotes',
  },
  '[trim, lowercase]': {
    '[trim, lower]':
      '22 syncs.people.mapping.email.transform[1]: must be one of trim, lowercase, uppercase, capitalize, collapseSpaces, digits, ascii',
  },
  'dd/MM/yyyy': {
    'dd/mm/yyyy':
      '23 syncs.people.mapping.orgEntryDate.format: is not a date format: date format dd/mm/yyyy names the month 0 times, expected once; mm is minutes, MM is months',
    'dd/MM/yy':
      "23 syncs.people.mapping.orgEntryDate.format: is not a date format: date format dd/MM/yy: yy is a two-digit year, which is ambiguous (1955 or 2055); the letters are yyyy, MMMM, MMM, MM, M, dd, d, HH, H, hh, h, a, mm, ss, X, XX, XXX, Z, S; quote other letters like 'T'",
  },
  '{ 1: cost_center }': {
    '{ 61: cost_center }': '24 syncs.people.mapping.customFields.61: must be the number of a custom field, 1 to 60',
    '{ 1: [a] }':
      "24 syncs.people.mapping.customFields.1: must be a source field's name (text) or a mapping with one of from, value, expression",
  },
  'customFields: { 1: cost_center }': {
    'customField1: cost_center':
      '24 syncs.people.mapping.customField1: is not a known key; did you mean customFields? Known here: identification, firstName, lastName, email, area, orgEntryDate, job, phoneNumber, seniority, project, account, birthDate, office, customFields, manager, secondaryLeaders',
  },
  '      customFields: { 1: cost_center }\n': {
    '      manager: [a]\n':
      "24 syncs.people.mapping.manager: must be a source field's name (text) or a mapping with one of from, value, expression",
    '      manager: { by: email }\n': '24 syncs.people.mapping.manager: needs exactly one of from, value, expression',
    '      manager: { from: a, by: name }\n':
      '24 syncs.people.mapping.manager.by: must be one of identification, email',
    '      manager: { from: a, takeover: true }\n':
      '24 syncs.people.mapping.manager.takeover: is not a known key; did you mean takeOver? Known here: from, value, expression, transform, whenEmpty, by, takeOver',
    '      manager: { from: a, takeOver: sometimes }\n':
      '24 syncs.people.mapping.manager.takeOver: must be true or false',
    '      manager: { expression: "a +" }\n':
      '24 syncs.people.mapping.manager.expression: does not compile: not a JSONata expression at character 3: Unexpected end of expression',
    '      secondaryLeaders: a\n': '24 syncs.people.mapping.secondaryLeaders: must be a list',
    '      secondaryLeaders: []\n': '24 syncs.people.mapping.secondaryLeaders: must not be empty',
    '      secondaryLeaders: [a, { from: b, whenEmpty: drop }]\n':
      '24 syncs.people.mapping.secondaryLeaders[1].whenEmpty: must be one of keep, clear',
    '      manger: a\n':
      '24 syncs.people.mapping.manger: is not a known key; did you mean manager? Known here: identification, firstName, lastName, email, area, orgEntryDate, job, phoneNumber, seniority, project, account, birthDate, office, customFields, manager, secondaryLeaders',
  },
  "scope: country = 'UY'": {
    "scope: country = 'UY":
      '25 syncs.people.scope: does not compile: not a JSONata expression at character 13: String literal must be terminated by a matching quote',
    'prefer: status =':
      '25 syncs.people.prefer: does not compile: not a JSONata expression at character 8: Unexpected end of expression',
    'prefer: [{ latest: hired }, { latest: { expression: "a +" } }]':
      '25 syncs.people.prefer[1].latest.expression: does not compile: not a JSONata expression at character 3: Unexpected end of expression',
    'prefer: { latest: hired, formt: x }':
      '25 syncs.people.prefer.formt: is not a known key; did you mean format? Known here: latest, format, future',
    'prefer: []': '25 syncs.people.prefer: must not be empty',
  },
  'email: { from: work_email, transform: [trim, lowercase] }': {
    'email: { expression: "$lowercase(work email)" }':
      '22 syncs.people.mapping.email.expression: does not compile: not a JSONata expression at character 21: Expected ")", got "email"; a name with spaces needs backticks: `work email`',
    'email: { expression: "a +", transfrm: [trim] }':
      '22 syncs.people.mapping.email.expression: does not compile: not a JSONata expression at character 3: Unexpected end of expression\n22 syncs.people.mapping.email.transfrm: is not a known key; did you mean transform? Known here: from, value, expression, transform, format, whenEmpty, write, keepLocalEdits',
    'email: { expression: "a +" }':
      '22 syncs.people.mapping.email.expression: does not compile: not a JSONata expression at character 3: Unexpected end of expression',
  },
  'lifecycle: { status: status,': {
    'lifecycle: { status: { expression: "a +" },':
      '27 syncs.people.lifecycle.status.expression: does not compile: not a JSONata expression at character 3: Unexpected end of expression',
    'lifecycle: { dateTimes: utc, status: status,':
      '27 syncs.people.lifecycle.dateTimes: must be one of auto, written, local',
  },
  // rules
  'match: [identification, email]': {
    'match: [email]': '26 syncs.people.match: must include identification, which is always compared',
    'match: [identification, mail]':
      '26 syncs.people.match[1]: must be one of identification, email; did you mean email?',
  },
  '      email: { from: work_email, transform: [trim, lowercase] }\n': {
    '': '25 syncs.people.match[1]: names email, but mapping has no email; map it, or remove it from match',
  },
  'leaver: [terminated]': {
    'leaver: [terminated, Leave]':
      '27 syncs.people.lifecycle.leaver[1]: is also listed in active; a status can mean only one of the two',
    'leaver: [terminated], leavesBy: both, leaveDate: out':
      '27 syncs.people.lifecycle.leavesBy: must be one of status, date, first, last',
    'leaver: [terminated], leavesBy: first':
      '27 syncs.people.lifecycle.leavesBy: chooses between status and leaveDate; name both, or delete this key',
  },
  'status: status, ': {
    '': '27 syncs.people.lifecycle: is empty; name a source field in status, hireDate or leaveDate, or delete lifecycle\n27 syncs.people.lifecycle: lists statuses, but no source field; name it in status',
  },
  'active: [active, leave]': {
    'active: []': '27 syncs.people.lifecycle.active: lists no status, so no employee would ever be active',
    'active: [1]': '27 syncs.people.lifecycle.active[0]: must be text; put it in quotes',
  },
  'missing: { afterReads: 2, minAge: 24h }': {
    'missing: always': '28 syncs.people.missing: must be never or a mapping with afterReads and minAge',
    'deltas: always': '28 syncs.people.deltas: must be never or a mapping with fullEvery and overlap',
    'deltas: { fullEvery: 1y }':
      '28 syncs.people.deltas.fullEvery: must be a duration from 1m to 31d: a whole number and ms, s, m, h or d',
    'deltas: { fullEvery: 1h, overlap: 1h }':
      '28 syncs.people.deltas.overlap: must be shorter than fullEvery; otherwise a delta reads as much as a full read',
    'deltas: { fullEvery: 12h }':
      '28 syncs.people.deltas: needs a source that can report changes, and csv cannot (docs/sources/csv.md): delete this key, and every read is full',
  },
  'afterReads: 2': {
    'afterReads: 0': '28 syncs.people.missing.afterReads: must be a whole number from 1 to 1000',
  },
  'minAge: 24h': {
    'minAge: 1y':
      '28 syncs.people.missing.minAge: must be a duration from 0s to 365d: a whole number and ms, s, m, h or d',
  },
  'outOfScope: ignore': {
    'outOfScope: ignore\n    freeze: { cron: "0 18 * * *", for: 60h }':
      '30 syncs.people.freeze.for: never ends: the next window begins before this one is over. Make it shorter, or begin it less often',
    'outOfScope: ignore\n    leavers: { within: 4h, warn: 3h }':
      '30 syncs.people.leavers.warn: must be at most half of within. Absent, it is 2h. Write a shorter warn, or a longer within',
    'outOfScope: ignore\n    leavers: { within: 5m, warn: 1m }':
      '30 syncs.people.leavers.within: is shorter than the time between two slots of schedule; run the sync more often, or use a longer time',
    'outOfScope: ignore\n    freeze: { cron: "0 18 * * 5", for: 40d }':
      '30 syncs.people.freeze.for: must be a duration from 1m to 31d: a whole number and ms, s, m, h or d',
    'outOfScope: ignore\n    freeze: { cron: "0 18 * *", for: 60h, timezone: Berlin }':
      '30 syncs.people.freeze.cron: must have five fields (minute hour day month weekday), such as "*/15 * * * *"; it has 4\n30 syncs.people.freeze.timezone: must be an IANA time zone such as America/Montevideo or UTC',
    'outOfScope: remove': '29 syncs.people.outOfScope: must be one of ignore, disable',
  },
  'firstSight: write': {
    'firstSight: guess': '30 syncs.people.firstSight: must be one of write, assume',
  },
  'foreignDisable: report': {
    'foreignDisable: reprot': '31 syncs.people.foreignDisable: must be one of report, enable; did you mean report?',
  },
  'protected: [admin]': {
    'protected: [admin, admin]': '32 syncs.people.protected[1]: is a duplicate; it is first listed as [0]',
    'protected: [007]': '32 syncs.people.protected[0]: must be text; put it in quotes',
    'parkEmail: parked@example.com':
      '32 syncs.people.parkEmail: must contain {identification} and make an e-mail address, such as "{identification}@parked.example"',
    'parkEmail: "{identification}@nowhere"':
      '32 syncs.people.parkEmail: must contain {identification} and make an e-mail address, such as "{identification}@parked.example"',
  },
  'afterDays: 30': {
    'blacklist: true': '33 syncs.people.remove.afterDays: is required; it must be a whole number from 1 to 3650',
  },
  'remove: { afterDays: 30 }': {
    'remove: true': '33 syncs.people.remove: must be never or a mapping with afterDays',
  },
  'every: 5s': {
    'every: 1h': '34 syncs.people.settle.every: is longer than deadline; the status would never be polled',
    'maxSplits: -1': '34 syncs.people.settle.maxSplits: must be a whole number from 0 to 100',
  },
  'absolute: 5': {
    'percent: 101': '35 syncs.people.guards.disables.percent: must be a percentage from 0 to 100',
    'cap: all': '35 syncs.people.guards.disables.cap: must be none or a whole number from 0 to 1000000',
  },
  'disables: {': {
    'disable: {':
      '35 syncs.people.guards.disable: is not a known key; did you mean disables? Known here: disables, enables, removes, creates, emailChanges, updates, firstSight, handOvers, configuration, leads, unleads, blocked, segments, rowsDownPercent, fillRateDownPoints',
  },
  'log: { level': {
    '---\nlog: { level': '36 : YAML: a second document begins here (---); a file has one configuration',
  },
};

const cases = Object.entries(wrong).flatMap(([from, all]) =>
  Object.entries(all).map(([to, problems]) => [from, to, problems] as const),
);

test.each(cases)('%s → %s', async (from, to, expected) => {
  expect(base.split(from)).toHaveLength(2);

  const problems = await problemsOf(base.replace(from, () => to));

  const found = problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
  expect(found.sort()).toEqual(expected.split('\n').sort());
});
