// The operation that says why a request was refused: by which rule, what was sent, what is registered, and how to mend it.
import { isoTime } from '../../core/access/iso-time.ts';
import type { Client } from '../../core/client.ts';
import { mayGrant } from '../../core/operators/permission.ts';
import { differenceOf, type Mend, mendKinds, mendOf } from '../../core/refusals/mend.ts';
import type { ComparedSetting } from '../../core/refusals/reason.ts';
import { isRule, type Rule } from '../../core/refusals/rule.ts';
import { citedIn } from '../../core/refusals/section.ts';
import { type SentRequest, type SentValues, wholeValue } from '../../core/refusals/sent.ts';
import { documentOf, type Refused, reasonOf } from '../../core/refusals/why.ts';
import { isUnverified } from '../../core/registration/unverified-client.ts';
import { findRegisteredClient } from '../../storage/clients/client.ts';
import { listAuditEvents } from '../../storage/operators/audit-list.ts';
import * as s from '../json-schema.ts';
import { unknown } from '../refusal.ts';
import { auditAnswers, auditEventSchema } from './audit.ts';
import { clientAnswer } from './clients/client.ts';
import { type OnTenant, onTenant } from './define.ts';
import type { Operation, OperationContext } from './operation.ts';

/** So many events of one reference are told of: a request seldom has two. */
const toldMost = 5;

const valuesSchema = (description: string) =>
  s.list(
    description,
    s.exactly('A value', {
      name: s.text('Its name', 'redirect_uri'),
      values: s.texts('Without secrets', 'https://app.test/'),
    }),
  );

const sentSchema = s.resource('SentRequest', 'A request as a development tenant remembers it', {
  at: s.time('When it came'),
  method: s.text('Its method', 'GET'),
  path: s.text('Its address', '/api/oidc/auth'),
  status: s.wholeNumber('The status of its answer', 400),
  parameters: valuesSchema('Its parameters'),
  headers: valuesSchema('Those of its headers that matter'),
});

const mendSchema = s.resource('Mend', 'What one click in the rehearsal room changes', {
  kind: s.oneOf('MendKind', 'What it adds or turns on', mendKinds),
  clientId: s.text('Of which client', 'example-app'),
  value: s.textOrNull('What is added; null where something is turned on', null),
});

const reasonSchema = s.resource('RefusalReason', 'A reason why a request was refused', {
  rule: s.textOrNull('The rule by its name; null where the event says it all', 'redirect_uri_unregistered'),
  error: s.textOrNull(
    'The code that the client was told; null where a person was told, on a page',
    'invalid_grant',
  ),
  refused: s.text('What the rule refuses', 'The redirect_uri is not registered.'),
  because: s.textOrNull('Why, in the words of the audit', 'the redirect_uri is not registered'),
  mend: s.text('What to do', 'Register it for the client, or send one that is.'),
  differs: s.textOrNull('What alone differs from what is registered, where it is little', null),
  sections: s.list(
    'Where the rule is written',
    s.exactly('A section', {
      text: s.text('As it is cited', 'decision 8'),
      href: s.text('An address, or a file of the documents', 'docs/decisions.md#decision-8'),
    }),
  ),
  document: s.text('What it means to a client', 'docs/errors.md#invalid_grant'),
  registered: s.list(
    'What is registered of what the rule compares; empty for callers who may not read clients',
    s.exactly('A setting of the client', {
      setting: s.text('Its name', 'redirectUris'),
      values: s.texts('Its values', 'https://app.test/'),
    }),
  ),
  offered: s.orNull(mendSchema),
});

const outputSchema = s.exactly('Why a request was refused', {
  reference: s.text('What the answer or the page showed', 'k7p293qd'),
  clientId: s.textOrNull('The client that it was of', 'example-app'),
  clientName: s.textOrNull(
    'What members read; null where no operator registered it, or it may not be read',
    'Example',
  ),
  reasons: s.list('The reasons; empty where nothing was refused', reasonSchema),
  sent: s.orNull(sentSchema),
  events: s.list('What the audit has of it', auditEventSchema),
});

/** What `refusals.why` answers, as its faces read it. */
export interface WhyAnswer {
  readonly reference: string;
  readonly clientId: string | null;
  readonly clientName: string | null;
  readonly reasons: readonly WhyReason[];
  readonly sent: WhySent | null;
  readonly events: readonly { readonly at: string; readonly address: string | null }[];
}

/** A request as a development tenant remembers it, without secrets. */
export interface WhySent {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly parameters: readonly WhyValue[];
  readonly headers: readonly WhyValue[];
}

export interface WhyValue {
  readonly name: string;
  readonly values: readonly string[];
}

/** A reason why the request was refused. */
export interface WhyReason {
  readonly rule: string | null;
  readonly error: string | null;
  readonly refused: string;
  readonly because: string | null;
  readonly mend: string;
  readonly differs: string | null;
  readonly sections: readonly { readonly text: string; readonly href: string }[];
  readonly document: string;
  readonly registered: readonly { readonly setting: string; readonly values: readonly string[] }[];
  readonly offered: Mend | null;
}

type Context = OnTenant<OperationContext>;

const why = onTenant({
  name: 'refusals.why',
  summary: 'Say why a request was refused, by the reference that its answer or page showed',
  permission: 'audit:read',
  route: 'GET /refusals/{reference}',
  fields: {
    reference: {
      ...s.text('What the header Request-Id of the answer, or the page, showed', 'k7p293qd'),
      maxLength: 40,
    },
  },
  output: outputSchema,
  run: async (context, { reference: given }) => {
    const { tx, tenant, actor } = context;
    const reference = given.toLowerCase().replaceAll(/[\s-]/g, '');
    const sent = context.sentUnder?.(tenant.id, reference) ?? null;
    const events = await listAuditEvents(tx, { tenantId: tenant.id, reference }, toldMost);
    if (events.length === 0 && sent === null) throw unknown('reference');
    const clientId = events.find((event) => event.clientId !== null)?.clientId ?? sent?.clientId ?? null;
    const client = await registered(context, clientId);
    const refused = [
      ...events.map(({ event, rule = null, reason }) => ({ event, rule, because: reason })),
      ...(events.length === 0 ? toldBy(sent) : []),
      ...(sent?.isReadable === false
        ? [{ event: null, rule: 'web_origin_unregistered', because: null } as const]
        : []),
    ];
    return {
      reference,
      clientId,
      clientName: client?.name ?? null,
      reasons: refused.flatMap((one) => reasonAnswer(one, { client, sent, tenant }) ?? []),
      sent: sent === null ? null : sentAnswer(sent),
      events: await auditAnswers(tx, events, actor),
    };
  },
});

/** A refusal with what the audit says of it. */
type Told = Refused & { readonly because: string | null };

/** The client as operators registered it; null where the caller may not read it. */
async function registered({ tx, tenant, actor }: Context, clientId: string | null): Promise<Client | null> {
  if (clientId === null || !mayGrant(actor, ['clients:read'])) return null;
  const client = await findRegisteredClient(tx, tenant.id, clientId);
  return client === null || isUnverified(client) ? null : client;
}

/** Refusals that the audit does not keep, such as a TV that polled too fast. */
function toldBy(sent: SentRequest | null): readonly Told[] {
  if (sent?.refusal === null || sent === null) return [];
  const { error, because, rule } = sent.refusal;
  return [{ event: null, rule: rule ?? (isRule(error) ? error : null), because }];
}

interface About {
  readonly client: Client | null;
  readonly sent: SentRequest | null;
  readonly tenant: { readonly development: boolean };
}

function reasonAnswer({ because, ...refused }: Told, { client, sent, tenant }: About) {
  const reason = reasonOf(refused);
  if (reason === null) return null;
  const { rule } = refused;
  const facts = client === null ? null : clientAnswer(client);
  const isDevelopment = tenant.development;
  return {
    rule,
    error: reason.code,
    refused: reason.rule,
    because,
    mend: reason.mend,
    differs: rule === null || client === null ? null : differenceIn(rule, client, sent),
    sections: citedIn(reason.section),
    document: documentOf(reason),
    registered:
      facts === null
        ? []
        : (reason.compares ?? []).map((setting) => ({ setting, values: valuesOf(facts[setting]) })),
    offered: rule === null ? null : mendOf({ rule, sent, client, isDevelopment }),
  };
}

function differenceIn(rule: Rule, client: Client, sent: SentRequest | null): string | null {
  const of = (name: string, known: readonly string[]) => {
    const value = sent === null ? null : wholeValue(sent.parameters, name);
    return value === null ? null : differenceOf(value, known);
  };
  if (rule === 'redirect_uri_unregistered') return of('redirect_uri', client.redirectUris);
  if (rule !== 'post_logout_uri_unregistered') return null;
  return of('post_logout_redirect_uri', client.postLogoutRedirectUris);
}

type ClientFacts = ReturnType<typeof clientAnswer>;

const valuesOf = (value: ClientFacts[ComparedSetting]): readonly string[] =>
  value === null ? [] : [value].flat().map(String);

function sentAnswer({ at, method, path, status, parameters, headers }: SentRequest) {
  const listed = (values: SentValues) =>
    Object.entries(values).map(([name, value]) => ({ name, values: [value].flat() }));
  return { at: isoTime(at), method, path, status, parameters: listed(parameters), headers: listed(headers) };
}

export const refusalOperations: readonly Operation[] = [why];
