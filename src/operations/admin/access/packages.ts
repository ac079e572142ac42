// The operations on packages and on the products that they are made of.

import { mostSeats, packageTextLength, taxNameLength } from '../../../core/access/limits.ts';
import {
  currencies,
  type Package,
  type PackageFacts,
  packageDefaults,
  packageFacts,
} from '../../../core/access/package.ts';
import { findPackage, listPackages, listProducts } from '../../../storage/access/package.ts';
import { addPackage, addProduct, changePackage, renameProduct } from '../../access/package.ts';
import { paymentMethods } from '../../access/payment.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation, OperationContext } from '../operation.ts';
import type { FieldGroup } from '../portal-face.ts';

export const productIdField = s.named('ProductId', s.wholeNumber('The id of the product', 1));
const productNameField = s.held(s.text('What members read', 'Sport'), s.nameRule(packageTextLength.name));
export const productSchema = s.resource('Product', 'A product', {
  id: productIdField,
  name: productNameField,
});

const productsListed = onTenant(
  keyedList({
    name: 'products.list',
    summary: 'List the products of a tenant',
    permission: 'access:read',
    route: 'GET /products',
    title: 'Products',
    lead: 'What packages are made of.',
    columns: ['name', 'id'],
    entry: { field: 'productId', key: 'id' },
    of: 'products',
    page: 'A page of products, oldest first',
    schema: productSchema,
    read: ({ tx, tenant }, page) => listProducts(tx, tenant.id, page),
  }),
);

const productCreated = onTenant({
  name: 'products.create',
  summary: 'Add a product, which packages and channels can then name',
  portal: { page: 'products.list' },
  permission: 'access:write',
  route: 'POST /products',
  fields: { name: productNameField },
  output: productSchema,
  made: 'id',
  run: async ({ tx, tenant }, { name }) => ({ id: await addProduct(tx, tenant.id, name), name: name.trim() }),
});

const productChanged = onTenant({
  name: 'products.change',
  summary: 'Give a product another name',
  portal: { page: 'products.list', reads: 'products.list' },
  permission: 'access:write',
  route: 'PATCH /products/{productId}',
  fields: { productId: productIdField, name: productNameField },
  output: productSchema,
  run: async ({ tx, tenant }, { productId: id, name }) => {
    if (!(await renameProduct(tx, tenant.id, { id, name }))) throw unknown('product');
    return { id, name: name.trim() };
  },
});

export const productOperations: readonly Operation[] = [productsListed, productCreated, productChanged];

export const packageIdField = s.named('PackageId', s.wholeNumber('The packageId', 1));

const amount = s.wholeNumber('In the smallest unit of the currency', 19_900);
const currency = s.text('ISO 4217', 'NOK');

/** A stored package may name a currency that is gone; an input names one that is there. */
export const priceSchema = price(currency);
const priceField = price({ ...s.oneOf('Currency', 'ISO 4217', currencies), enumOf: 'ISO 4217' });

function price(currencyField: s.Schema<string>) {
  const schema = s.resource('Price', 'What it costs a period', { amount, currency: currencyField });
  return { ...schema, format: 'money' };
}

export const periodSchema = {
  ...s.resource('Period', 'How long a subscription runs before it is renewed or over', {
    unit: s.oneOf('PeriodUnit', 'Days, weeks, or the calendar’s months and years', [
      'month',
      'day',
      'week',
      'year',
    ]),
    count: { ...s.wholeNumber('How many of them', 1), minimum: 1 },
  }),
  format: 'period',
};

/** The ids of products, each once. */
export function productIdsField(description: string): s.Schema<readonly number[]> {
  return { ...s.list(description, productIdField), uniqueItems: true, examples: [[1]] };
}
const productIds = productIdsField('The ids of the products it opens');

const nameField = s.held(s.text('What members read', 'Everything'), s.nameRule(packageTextLength.name));
const described = s.held(
  s.text('What members read below the name', 'Every channel, on every screen.'),
  s.linesRule(packageTextLength.description),
);
const paymentNames = paymentMethods.map(({ name }) => name);
const paymentWords = 'How it is paid: `free`, `invoice`, or a payment provider of the service';

/** What is stored may name a method that the service had once; what is said now names one that it has. */
const storedPayment = s.text(paymentWords, 'invoice');
export const paymentField = s.oneOf('PaymentMethod', paymentWords, paymentNames);
/** What prices include of a tax. */
export const taxFields = {
  taxPercent: s.orNull({
    type: 'number',
    minimum: 0,
    maximum: 100,
    description: 'What the price includes of a tax, in percent of the price without it',
    examples: [25],
  } as s.Schema<number>),
  taxName: s.held(
    s.text('What that tax is called; empty is VAT, in the language of the page', 'VAT'),
    s.lineRule(taxNameLength),
  ),
};
export const renewsField = s.flag(
  'Whether you renew its subscriptions until they are cancelled: the checkout says so, and no job of the service does it',
);
const needsAddress = s.flag('Whether a subscriber must give a postal address');
export const seatsField = s.orNull({
  ...s.wholeNumber(
    'How many members a subscription gives access to beside its holder; what is ordered keeps its number',
    25,
  ),
  minimum: 1,
  maximum: mostSeats,
});
const offered = s.flag('Whether the checkout offers it; subscriptions go on either way');

/** Ranges of IP addresses. */
export const networksField = s.texts(
  'The IP addresses it is open for without a subscription, such as those of a school: each one, or a range in CIDR notation',
  '198.51.100.0/24',
  '2001:db8::/32',
);

const packageSchema = s.resource('Package', 'A package', {
  id: packageIdField,
  name: nameField,
  description: described,
  price: priceSchema,
  ...taxFields,
  period: periodSchema,
  renews: renewsField,
  payment: storedPayment,
  needsAddress,
  seats: seatsField,
  offered,
  networks: networksField,
  products: s.list('The products it opens', productSchema),
});

function packageAnswer({ tenantId: _, ...found }: Package) {
  return found;
}

const listed = onTenant(
  keyedList({
    name: 'packages.list',
    summary: 'List the packages of a tenant',
    permission: 'access:read',
    route: 'GET /packages',
    title: 'Packages',
    lead: 'What members subscribe to.',
    columns: ['name', 'price', 'period', 'payment', 'offered'],
    entry: { field: 'packageId', key: 'id' },
    of: 'packages',
    page: 'A page of packages, oldest first',
    schema: packageSchema,
    read: async ({ tx, tenant }, page) => (await listPackages(tx, tenant.id, page)).map(packageAnswer),
  }),
);

const packageGroups: readonly FieldGroup[] = [
  { name: 'what', fields: ['name', 'description', 'price', 'period', 'payment', 'productIds'] },
  {
    name: 'terms',
    fields: ['taxPercent', 'taxName', 'renews', 'needsAddress', 'seats', 'offered', 'networks'],
    isFolded: true,
  },
];

const created = onTenant({
  name: 'packages.create',
  summary: 'Add a package that members can subscribe to',
  portal: { page: 'packages.list', choices: { productIds: 'products.list' }, groups: packageGroups },
  permission: 'access:write',
  route: 'POST /packages',
  fields: { name: nameField, price: priceField, period: periodSchema, payment: paymentField, productIds },
  optional: {
    description: { ...described, default: packageDefaults.description },
    taxPercent: { ...taxFields.taxPercent, default: packageDefaults.taxPercent },
    taxName: { ...taxFields.taxName, default: packageDefaults.taxName },
    renews: { ...renewsField, default: packageDefaults.renews },
    needsAddress: { ...needsAddress, default: packageDefaults.needsAddress },
    seats: { ...seatsField, default: packageDefaults.seats },
    offered: { ...offered, default: packageDefaults.offered },
    networks: { ...networksField, default: packageDefaults.networks },
  },
  output: packageSchema,
  made: 'id',
  run: async (context, { productIds, ...facts }) => {
    const { tx, tenant } = context;
    return shown(context, await addPackage(tx, tenant.id, factsOf(facts), productIds, tenant.development));
  },
});

const changed = onTenant({
  name: 'packages.change',
  summary: 'Change a package; its subscribers keep the price and the period that they ordered',
  portal: {
    page: 'packages.list',
    reads: 'packages.list',
    readsAs: { productIds: 'products' },
    choices: { productIds: 'products.list' },
    groups: packageGroups,
  },
  permission: 'access:write',
  route: 'PATCH /packages/{packageId}',
  fields: { packageId: packageIdField },
  optional: {
    name: nameField,
    description: described,
    price: priceField,
    ...taxFields,
    period: periodSchema,
    renews: renewsField,
    payment: paymentField,
    needsAddress,
    seats: seatsField,
    offered,
    networks: networksField,
    productIds,
  },
  output: packageSchema,
  run: async (context, { packageId, ...input }) => {
    const { tx, tenant } = context;
    const known = await findPackage(tx, tenant.id, packageId);
    if (known === null) throw unknown('package');
    const productIds = input.productIds ?? known.products.map(({ id }) => id);
    await changePackage(
      tx,
      tenant.id,
      packageId,
      factsOf({ ...known, ...input }),
      productIds,
      tenant.development,
    );
    return shown(context, packageId);
  },
});

/** What the input says of a package, its name without spaces around it. */
function factsOf({ name, ...facts }: PackageFacts): PackageFacts {
  return packageFacts({ ...facts, name: name.trim() });
}

async function shown({ tx, tenant }: OnTenant<OperationContext>, id: number): Promise<object> {
  const found = await findPackage(tx, tenant.id, id);
  if (found === null) throw unknown('package');
  return packageAnswer(found);
}

export const packageOperations: readonly Operation[] = [listed, created, changed];
