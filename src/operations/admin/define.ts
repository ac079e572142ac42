// Defines operations of a tenant and of the service.
import type { Schema } from '../../json-schema.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import {
  defineOperation,
  type ObjectSchema,
  type Operation,
  type OperationContext,
  type PreparationContext,
} from './operation.ts';

/** Fields of an input, each with its description. */
export type Fields = Readonly<Record<string, Schema>>;

/** What is said of an operation here; the rest follows from it. */
interface Definition<Input, Prepared>
  extends Pick<
    Operation<Input, Prepared>,
    | 'name'
    | 'summary'
    | 'permission'
    | 'method'
    | 'mediaType'
    | 'formats'
    | 'fileSchema'
    | 'mayConflict'
    | 'made'
    | 'audited'
    | 'portal'
  > {
  readonly path: string;
  /** The fields that must be there. */
  readonly fields?: Fields;
  /** The fields that may be left out. */
  readonly optional?: Fields;
  readonly output: Schema;
}

/** An operation on a tenant; its path goes on behind `/tenants/{tenant}`. */
export interface TenantDefinition<Input, Prepared> extends Definition<Input, Prepared> {
  /** Who may: its administrators, unless it says `system`. */
  readonly reach?: 'system';
  readonly prepare?: (
    input: Input,
    context: PreparationContext & { readonly tenant: OpenTenant },
  ) => Promise<Prepared>;
  readonly run: (
    context: OperationContext & { readonly tenant: OpenTenant },
    input: Input,
    prepared: Prepared,
  ) => Promise<object>;
  readonly present?: (
    context: OperationContext & { readonly tenant: OpenTenant },
    input: Input,
  ) => Promise<object>;
}

/** Defines an operation on a tenant. */
export function onTenant<Input, Prepared = undefined>(
  definition: TenantDefinition<Input, Prepared>,
): Operation {
  const { reach = 'tenant', fields = {}, optional = {}, path, prepare, run, present, ...rest } = definition;
  return defineOperation<Input, Prepared>({
    ...rest,
    reach,
    path: `/tenants/{tenant}${path}`,
    input: inputOf({ tenant: tenantField, ...fields }, optional),
    acts: rest.method !== 'GET',
    ...(prepare === undefined ? {} : { prepare: (input, context) => prepare(input, withTenant(context)) }),
    ...(present === undefined ? {} : { present: (context, input) => present(withTenant(context), input) }),
    run: (context, input, prepared) => run(withTenant(context), input, prepared),
  });
}

/** An operation on the service as a whole. */
export interface ServiceDefinition<Input, Prepared>
  extends Definition<Input, Prepared>,
    Pick<Operation<Input, Prepared>, 'prepare' | 'run'> {
  /** Who may: callers who have every tenant, unless it is `tenant`, which answers each caller about their own. */
  readonly reach?: 'tenant';
}

/** Defines an operation on the service as a whole. */
export function onService<Input, Prepared = undefined>(
  definition: ServiceDefinition<Input, Prepared>,
): Operation {
  const { reach = 'system', fields = {}, optional = {}, ...rest } = definition;
  return defineOperation<Input, Prepared>({
    ...rest,
    reach,
    input: inputOf(fields, optional),
    acts: rest.method !== 'GET',
  });
}

export const tenantField: Schema = {
  type: 'string',
  description: 'The tenant: its id, or its host',
  examples: ['login.example.com'],
};

/** An input with these fields and no other. */
function inputOf(fields: Fields, optional: Fields): ObjectSchema {
  return {
    type: 'object',
    properties: { ...fields, ...optional },
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

function withTenant<Context extends PreparationContext>(context: Context) {
  const { tenant } = context;
  // The schema demands the field, and who runs the operation has looked the tenant up.
  if (tenant === null) throw new Error('an operation on a tenant was run without one');
  return { ...context, tenant };
}
