// The operations on the audit.
import type { AuditEvent, AuditEventName } from '../../core/operators/audit-event.ts';
import { list, resource, text, time } from '../../json-schema.ts';
import {
  type AuditFilter,
  listAuditEvents,
  type StoredAuditEvent,
} from '../../storage/operators/audit-event.ts';
import {
  auditAnswer,
  auditEventSchema,
  eventField,
  eventIdField,
  nextField,
  resultField,
} from './audit-answer.ts';
import { type Fields, onService, onTenant, tenantField } from './define.ts';
import { limitField, pageOf } from './fields.ts';
import { linesFile, linesMediaType, linesSchema, mostLinesField } from './lines-file.ts';
import type { FileAnswer, Operation, OperationContext } from './operation.ts';

/** What narrows a list of events, and where it goes on. */
interface FilterInput {
  readonly event?: AuditEventName;
  readonly actorId?: string;
  readonly target?: string;
  readonly clientId?: string;
  readonly result?: AuditEvent['result'];
  readonly from?: string;
  readonly until?: string;
  readonly before?: number;
}

interface PageInput extends FilterInput {
  readonly limit: number;
}

interface FileInput extends FilterInput {
  readonly limit?: number;
}

const filterFields: Fields = {
  event: eventField,
  actorId: text(
    'Who did it: the id or address of a member, the id of a token, or a client_id',
    'example-app',
  ),
  target: text('What it was done to: such as the id or address of a member, or a client_id', 'example-app'),
  clientId: text('The client it went through', 'example-app'),
  result: resultField,
  from: time('From this moment on', '2026-01-01T00:00:00.000Z'),
  until: time('Before this moment', '2036-01-01T00:00:00.000Z'),
  before: eventIdField,
};

const exportFields: Fields = {
  ...filterFields,
  limit: mostLinesField,
};

function filterOf(input: FilterInput): AuditFilter {
  const { event, actorId, target, clientId, result, from, until, before } = input;
  return {
    ...(event === undefined ? {} : { event }),
    ...(actorId === undefined ? {} : { actorId }),
    ...(target === undefined ? {} : { target }),
    ...(clientId === undefined ? {} : { clientId }),
    ...(result === undefined ? {} : { result }),
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
    ...(before === undefined ? {} : { before }),
  };
}

const pageSchema = resource('AuditEvents', 'A page of events, newest first', {
  events: list('Events', auditEventSchema),
  next: nextField,
});

/** A page of the events of one tenant, or of all. */
async function pageFor({ tx, tenant, actor }: OperationContext, input: PageInput): Promise<object> {
  const filter = { ...filterOf(input), ...(tenant === null ? {} : { tenantId: tenant.id }) };
  const { page, last } = pageOf(await listAuditEvents(tx, filter, input.limit + 1), input.limit);
  return { events: page.map((event) => auditAnswer(event, actor)), next: last?.id ?? null };
}

/** The events as a file, newest first. What happens after its first part was read is not in it. */
function fileFor({ tx, tenant, actor }: OperationContext, input: FileInput): Promise<FileAnswer> {
  const filter = { ...filterOf(input), ...(tenant === null ? {} : { tenantId: tenant.id }) };
  return linesFile<StoredAuditEvent>(tx, {
    read: (own, before, atMost) =>
      listAuditEvents(own, before === null ? filter : { ...filter, before }, atMost),
    lineOf: (event) => auditAnswer(event, actor),
    most: input.limit,
  });
}

const columns = ['at', 'event', 'actorKind', 'actorId', 'target', 'clientId', 'result', 'reason', 'changes'];

const listed = onTenant<PageInput>({
  name: 'audit.list',
  summary: 'List what happened on a tenant, the newest first',
  portal: {
    list: {
      title: 'Audit',
      columns,
      lead: 'Everything worth knowing afterwards, newest first.',
    },
  },
  permission: 'audit:read',
  method: 'GET',
  path: '/audit',
  optional: { ...filterFields, limit: limitField },
  output: pageSchema,
  run: pageFor,
});

const exported = onTenant<FileInput>({
  name: 'audit.export',
  summary: 'Write what happened on a tenant to a file, one JSON object a line',
  portal: { page: 'audit.list' },
  permission: 'audit:read',
  method: 'GET',
  path: '/audit/export',
  optional: exportFields,
  output: linesSchema,
  mediaType: linesMediaType,
  run: fileFor,
});

const ofOneTenant = { tenant: { ...tenantField, description: 'Only what happened on this tenant' } };

const serviceListed = onService<PageInput>({
  name: 'serviceAudit.list',
  summary: 'List what happened on every tenant and to the service, the newest first',
  portal: {
    list: {
      title: 'Audit of everything',
      columns,
      lead: 'Everything worth knowing afterwards, on every tenant and of the service itself, newest first.',
    },
  },
  permission: 'audit:read',
  method: 'GET',
  path: '/audit',
  optional: { ...ofOneTenant, ...filterFields, limit: limitField },
  output: pageSchema,
  run: pageFor,
});

const serviceExported = onService<FileInput>({
  name: 'serviceAudit.export',
  summary: 'Write what happened on every tenant and to the service to a file',
  portal: { page: 'serviceAudit.list' },
  permission: 'audit:read',
  method: 'GET',
  path: '/audit/export',
  optional: { ...ofOneTenant, ...exportFields },
  output: linesSchema,
  mediaType: linesMediaType,
  run: fileFor,
});

export const auditOperations: readonly Operation[] = [listed, exported, serviceListed, serviceExported];
