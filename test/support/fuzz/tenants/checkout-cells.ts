import { seal } from '../../../../src/secrets/seal.ts';
import { insertCheckout } from '../../../../src/storage/access/checkout.ts';
import { systemRandom } from '../../../../src/system/random.ts';
import { newPackage } from '../../access/shopper.ts';
import { formValue } from '../../members/form-token.ts';
import { checkoutRecord } from '../../records/access-records.ts';
import { type Cell, noId } from './cell.ts';
import type { Side } from './side.ts';

/** What both sides have from the start, by host. */
const prepared = new WeakMap<
  object,
  Map<string, { readonly packageId: number; readonly checkoutId: string }>
>();

const preparedFor = ({ service, host }: Side) => {
  const found = prepared.get(service)?.get(host);
  if (found === undefined) throw new Error('the checkout was not prepared');
  return found;
};

export const commonPackage = (side: Side) => preparedFor(side).packageId;
export const commonCheckout = (side: Side) => preparedFor(side).checkoutId;

/** Makes a package of a side, and the checkout of it that its forms are of. */
export async function prepareCheckout(side: Side): Promise<void> {
  const { service, host } = side;
  const known = prepared.get(service) ?? new Map<string, { packageId: number; checkoutId: string }>();
  prepared.set(service, known);
  const packageId = await newPackage(service, host);
  known.set(host, { packageId, checkoutId: '' });
  known.set(host, { packageId, checkoutId: await newCheckout(side) });
}

/** An open checkout of the side's member. @returns its id */
async function newCheckout(side: Side): Promise<string> {
  const { service, tenant, memberId } = side;
  const now = service.clock.now();
  const id = systemRandom.id(now);
  const checkout = checkoutRecord({
    id,
    tenantId: tenant.id,
    memberId,
    packageId: commonPackage(side),
    createdAt: now,
    expiresAt: now + 3_600_000,
  });
  await service.store.transaction((tx) => insertCheckout(tx, checkout));
  return id;
}

const tokenFor = ({ tenant, browserSecret, sessionId }: Side, id: string) =>
  seal(tenant.tokenKey, 'form', browserSecret, formValue(`checkout ${id} ${sessionId}`));

export const checkoutCells: readonly Cell[] = [
  {
    artefact: 'package id',
    route: 'GET /checkout',
    make: (side) => String(commonPackage(side)),
    madeUp: () => '987654321',
    use: ({ browser }, value) => browser.send(`/checkout?packageId=${value}`),
  },
  {
    artefact: 'checkout id',
    route: 'GET /checkout/:id',
    make: newCheckout,
    madeUp: noId,
    use: ({ browser }, value) => browser.send(`/checkout/${value}`),
  },
  {
    artefact: 'checkout id',
    route: 'POST /checkout/:id',
    make: newCheckout,
    madeUp: noId,
    use: (side, value) =>
      side.browser.send(`/checkout/${value}`, { body: { token: tokenFor(side, value), action: 'cancel' } }),
  },
  {
    artefact: 'checkout id',
    route: 'GET /checkout/:id/return',
    make: newCheckout,
    madeUp: noId,
    use: ({ browser }, value) => browser.send(`/checkout/${value}/return`),
  },
];
