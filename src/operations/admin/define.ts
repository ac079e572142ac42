// Defines operations of a tenant and of the service.
import * as s from '../json-schema.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import {
  defineOperation,
  type Operation,
  type OperationContext,
  type PreparationContext,
} from './operation.ts';

type Method = Operation['method'];
export type NoFields = Readonly<Record<never, never>>;

/** What is said of an operation here; the rest follows from it. */
interface Definition<Fields extends s.Schemas, Optional extends s.Schemas>
  extends Omit<
    Operation,
    'reach' | 'method' | 'path' | 'input' | 'output' | 'acts' | 'present' | 'prepare' | 'run'
  > {
  /** Its method and its path, such as `GET /clients`; the method alone where nothing is behind the tenant. */
  readonly route: Method | `${Method} /${string}`;
  /** The fields that must be there. */
  readonly fields?: Fields;
  /** The fields that may be left out. */
  readonly optional?: Optional;
  readonly output: s.Schema;
}

/** A context that has the tenant. */
export type OnTenant<Context> = Context & { readonly tenant: OpenTenant };

/** An operation on a tenant; its path goes on behind `/tenants/{tenant}`. */
interface TenantDefinition<Fields extends s.Schemas, Optional extends s.Schemas, Prepared>
  extends Definition<Fields, Optional> {
  /** Who may: its administrators, unless it says `system`. */
  readonly reach?: 'system';
  readonly prepare?: (
    input: s.ObjectOf<Fields, Optional>,
    context: OnTenant<PreparationContext>,
  ) => Promise<Prepared>;
  readonly run: (
    context: OnTenant<OperationContext>,
    input: s.ObjectOf<Fields, Optional>,
    prepared: Prepared,
  ) => Promise<object>;
  readonly present?: (
    context: OnTenant<OperationContext>,
    input: s.ObjectOf<Fields, Optional>,
  ) => Promise<object>;
}

/** Defines an operation on a tenant. */
export function onTenant<
  Fields extends s.Schemas = NoFields,
  Optional extends s.Schemas = NoFields,
  Prepared = undefined,
>({ reach, prepare, run, present, ...definition }: TenantDefinition<Fields, Optional, Prepared>): Operation {
  return defineOperation<s.ObjectOf<Fields, Optional>, Prepared>({
    ...factsOf(definition, '/tenants/{tenant}', { tenant: tenantField }),
    reach: reach ?? 'tenant',
    ...(prepare && { prepare: (input, context) => prepare(withoutTenant(input), withTenant(context)) }),
    ...(present && { present: (context, input) => present(withTenant(context), withoutTenant(input)) }),
    run: (context, input, prepared) => run(withTenant(context), withoutTenant(input), prepared),
  });
}

/** An operation on the service as a whole. */
interface ServiceDefinition<Fields extends s.Schemas, Optional extends s.Schemas, Prepared>
  extends Definition<Fields, Optional>,
    Pick<Operation<s.ObjectOf<Fields, Optional>, Prepared>, 'prepare' | 'run'> {
  /** Who may: callers who have every tenant, unless it is `tenant`, which answers each caller about their own. */
  readonly reach?: 'tenant';
}

/** Defines an operation on the service as a whole. */
export function onService<
  Fields extends s.Schemas = NoFields,
  Optional extends s.Schemas = NoFields,
  Prepared = undefined,
>({ reach, prepare, run, ...definition }: ServiceDefinition<Fields, Optional, Prepared>): Operation {
  return defineOperation<s.ObjectOf<Fields, Optional>, Prepared>({
    ...factsOf(definition, '', {}),
    reach: reach ?? 'system',
    ...(prepare && { prepare: (input, context) => prepare(withoutTenant(input), context) }),
    run: (context, input, prepared) => run(context, withoutTenant(input), prepared),
  });
}

/** What follows of an operation from its definition, with an input of these fields and no other. */
function factsOf(
  { route, fields, optional, ...rest }: Definition<s.Schemas, s.Schemas>,
  prefix: string,
  prefixFields: s.Schemas,
) {
  const [method, path = ''] = route.split(' ') as [Method, string?];
  const required = { ...prefixFields, ...fields };
  return {
    ...rest,
    method,
    path: `${prefix}${path}`,
    input: {
      type: 'object',
      properties: { ...required, ...optional },
      required: Object.keys(required),
      additionalProperties: false,
    },
    acts: method !== 'GET' && rest.isTrial !== true && rest.isStep !== true,
  } as const;
}

export const tenantField = s.text('The tenant: its id, or its host', 'login.example.com');

/**
 * Lets the command do what would leave no system administrator. An operator at the machine can mend that;
 * the other faces have it without effect, and the portal does not offer it.
 */
export const forceField: s.Defaulted<boolean> = {
  type: 'boolean',
  description: 'At the command alone: do it even if the service is left without a system administrator',
  default: false,
  examples: [false],
};

/** A text that says nothing when it is empty: forms and command lines have no null. */
export function textOrNone(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text.trim();
}

/** An input without the name of the tenant, which the context has. */
function withoutTenant<Input extends { readonly tenant?: unknown }>({ tenant: _, ...input }: Input) {
  return input as unknown as Input;
}

function withTenant<Context extends PreparationContext>(context: Context): OnTenant<Context> {
  const { tenant } = context;
  // The schema demands the field, and the runner of operations has looked the tenant up.
  if (tenant === null) throw new Error('an operation on a tenant was run without one');
  return { ...context, tenant };
}
