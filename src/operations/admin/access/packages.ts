// The operations on packages.
import { packageTextLength } from '../../../core/access/limits.ts';
import { currencies, type Package, type PackageFacts, packageFacts } from '../../../core/access/package.ts';
import {
  exactly,
  flag,
  held,
  linesRule,
  list,
  named,
  nameRule,
  oneOf,
  resource,
  type Schema,
  text,
  wholeNumber,
} from '../../../json-schema.ts';
import { findPackage, listPackages } from '../../../storage/access/package.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { addPackage, changePackage } from '../../access/package.ts';
import { paymentMethods } from '../../access/payments/index.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import { productIdField, productSchema } from './products.ts';

export const packageIdField = named('PackageId', wholeNumber('The packageId', 1));

const amount = {
  ...wholeNumber('In the smallest unit of the currency', 19_900),
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
};
const currency = text('ISO 4217', 'NOK');

/** What is stored may name a currency that was one once; what is said now names one that is. */
export const priceSchema = price(currency);
const priceField = price({ ...oneOf('Currency', 'ISO 4217', currencies), enumOf: 'ISO 4217' });

function price(currencyField: Schema): Schema {
  return {
    ...resource('Price', 'What it costs a period', { amount, currency: currencyField }),
    format: 'money',
  };
}

export const periodSchema: Schema = {
  ...resource('Period', 'How long a subscription runs before it is renewed or over', {
    unit: oneOf('PeriodUnit', 'Days, weeks, or the calendar’s months and years', [
      'month',
      'day',
      'week',
      'year',
    ]),
    count: { ...wholeNumber('How many of them', 1), minimum: 1 },
  }),
  format: 'period',
};

const productIds: Schema = {
  type: 'array',
  description: 'The ids of the products it opens',
  items: productIdField,
  uniqueItems: true,
  examples: [[1]],
};

const nameField = held(text('What members read', 'Everything'), nameRule(packageTextLength.name));
const described = held(
  text('What members read below the name', 'Every channel, on every screen.'),
  linesRule(packageTextLength.description),
);
const paymentNames = paymentMethods.map(({ name }) => name);
const paymentWords = 'How it is paid: `free`, `invoice`, or a payment provider of the service';

/** What is stored may name a method that the service had once; what is said now names one that it has. */
const storedPayment = text(paymentWords, 'invoice');
export const paymentField = oneOf('PaymentMethod', paymentWords, paymentNames);
const needsAddress = flag('Whether a subscriber must give a postal address');
const offered = flag('Whether the checkout offers it; subscriptions go on either way');

const packageSchema = resource('Package', 'A package', {
  id: packageIdField,
  name: nameField,
  description: described,
  price: priceSchema,
  period: periodSchema,
  payment: storedPayment,
  needsAddress,
  offered,
  products: list('The products it opens', productSchema),
});

function packageAnswer({ tenantId: _, ...found }: Package) {
  return found;
}

const listed = onTenant<ListInput<number> & { readonly packageId?: number }>({
  name: 'packages.list',
  summary: 'List the packages of a tenant',
  portal: {
    list: {
      title: 'Packages',
      columns: ['name', 'price', 'period', 'payment', 'offered'],
      lead: 'What members subscribe to.',
      entry: { field: 'packageId', key: 'id' },
    },
  },
  permission: 'access:read',
  method: 'GET',
  path: '/packages',
  optional: listFields('packageId', packageIdField),
  output: exactly('A page of packages, oldest first', {
    packages: list('Packages', packageSchema),
    next: nextOf(packageIdField),
  }),
  run: async ({ tx, tenant }, { packageId, ...input }) => {
    const read = (page: ListPage<number>) => listPackages(tx, tenant.id, page);
    const { page, next } = await readPage(input, packageId, read, ({ id }) => id);
    return { packages: page.map(packageAnswer), next };
  },
});

interface PackageInput extends PackageFacts {
  readonly productIds: readonly number[];
}

const created = onTenant<PackageInput>({
  name: 'packages.create',
  summary: 'Add a package that members can subscribe to',
  portal: { page: 'packages.list', choices: { productIds: 'products.list' } },
  permission: 'access:write',
  method: 'POST',
  path: '/packages',
  fields: { name: nameField, price: priceField, period: periodSchema, payment: paymentField, productIds },
  optional: {
    description: { ...described, default: '' },
    needsAddress: { ...needsAddress, default: false },
    offered: { ...offered, default: true },
  },
  output: packageSchema,
  made: 'id',
  run: async (context, input) => {
    const { tx, tenant } = context;
    return shown(context, await addPackage(tx, tenant.id, factsOf(input), input.productIds));
  },
});

const changed = onTenant<Partial<PackageInput> & { readonly packageId: number }>({
  name: 'packages.change',
  summary: 'Change a package; its subscribers keep the price and the period that they ordered',
  portal: {
    page: 'packages.list',
    reads: 'packages.list',
    readsAs: { productIds: 'products' },
    choices: { productIds: 'products.list' },
  },
  permission: 'access:write',
  method: 'PATCH',
  path: '/packages/{packageId}',
  fields: { packageId: packageIdField },
  optional: {
    name: nameField,
    description: described,
    price: priceField,
    period: periodSchema,
    payment: paymentField,
    needsAddress,
    offered,
    productIds,
  },
  output: packageSchema,
  run: async (context, { packageId, ...input }) => {
    const { tx, tenant } = context;
    const known = await findPackage(tx, tenant.id, packageId);
    if (known === null) throw unknown('package');
    const productIds = input.productIds ?? known.products.map(({ id }) => id);
    await changePackage(tx, tenant.id, packageId, factsOf({ ...known, ...input }), productIds);
    return shown(context, packageId);
  },
});

/** What the input says of a package, its name without spaces around it. */
function factsOf({ name, ...facts }: PackageFacts): PackageFacts {
  return packageFacts({ ...facts, name: name.trim() });
}

async function shown(
  { tx, tenant }: Pick<OperationContext, 'tx'> & { readonly tenant: { readonly id: string } },
  id: number,
): Promise<object> {
  const found = await findPackage(tx, tenant.id, id);
  if (found === null) throw unknown('package');
  return packageAnswer(found);
}

export const packageOperations: readonly Operation[] = [listed, created, changed];
