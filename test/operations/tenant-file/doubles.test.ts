import { expect, it } from 'vitest';
import { packageDefaults } from '../../../src/core/access/package.ts';
import { openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { insertPackage, insertProduct } from '../../../src/storage/access/package.ts';
import { refusal, run } from '../../support/operators/desk.ts';
import { applied, exported } from '../../support/operators/tenant-file.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { giveBase, host, named, offer } from './base.ts';

const given = giveBase();

const price = { amount: 0, currency: 'NOK' };
const gold = { ...offer, name: 'Gold', price };

it('F16: a product or a package whose name another one of the tenant has is refused, in each face', async () => {
  const service = given.service();
  const taken = (noun: string) => [`there is a ${noun} of this name already`];
  for (const name of ['News', ' News ']) {
    expect(await refusal(service, 'products.create', { tenant: host, name })).toMatchObject({
      kind: 'conflict',
      problems: taken('product'),
    });
  }
  const { id: productId } = await run<{ id: number }>(service, 'products.create', {
    tenant: host,
    name: 'New',
  });
  const { id: packageId } = await run<{ id: number }>(service, 'packages.create', {
    tenant: host,
    ...gold,
    name: 'Silver',
    productIds: [productId],
  });
  for (const [name, input] of [
    ['products.change', { productId, name: 'News' }],
    ['packages.create', { ...gold, productIds: [] }],
    ['packages.change', { packageId, name: 'Gold' }],
  ] as const) {
    const { kind, problems } = await refusal(service, name, { tenant: host, ...input });
    expect({ name, kind, problems }).toEqual({
      name,
      kind: 'conflict',
      problems: taken(name.startsWith('products') ? 'product' : 'package'),
    });
  }
  // Its own name belongs to no other.
  await run(service, 'packages.change', { tenant: host, packageId, name: 'Silver', offered: false });
  await run(service, 'products.change', { tenant: host, productId, name: 'New' });
  await run(service, 'products.create', { tenant: `localhost:${service.port}`, name: 'New' });
});

it('F16: of two of one name from before, an export calls the younger one apart, and a file may go on with that', async () => {
  const service = given.service();
  const tenantId = String(service.tenants.byHost(host)?.id);
  const facts = { ...packageDefaults, ...gold };
  const second = await service.store.transaction(async (tx) => {
    const news = await insertProduct(tx, tenantId, 'News');
    await insertProduct(tx, tenantId, 'News (2)');
    return insertPackage(tx, tenantId, facts, [news]);
  });
  const { members } = await run<{ members: { id: string }[] }>(service, 'members.list', { tenant: host });
  await run(service, 'subscriptions.create', {
    tenant: host,
    memberId: members[0]?.id,
    packageId: second,
  });

  const file = await exported(service.folder, ['--tenant', host, '--members']);
  expect(file).toMatch(/^ +- News$[\s\S]*^ +- News \(3\)$[\s\S]*^ +- News \(2\)$/m);
  expect(file).toMatch(/name: Gold \(2\)[\s\S]*?products:\s+- News \(3\)/);
  expect(file).toMatch(/package: Gold \(2\)/);
  const again = await applied(service.folder, file);
  expect({ code: again.code, err: again.err, hasGold: again.out.includes('Gold') }).toEqual({
    code: 0,
    err: '',
    hasGold: false,
  });

  // What the file says of the younger one is done to it, and it keeps its name.
  const changed = await given.apply({
    ...named,
    packages: [{ ...gold, name: 'Gold (2)', description: 'Second', products: ['News (3)'] }],
  });
  expect(changed).toMatchObject({ code: 0, err: '' });
  const listed = await run<{ packages: { id: number; name: string; description: string }[] }>(
    service,
    'packages.list',
    { tenant: host },
  );
  expect(listed.packages.find(({ id }) => id === second)).toMatchObject({
    name: 'Gold',
    description: 'Second',
  });

  const other = await serviceForTest({ data: 'development' });
  const socket = await openSocket(other.folder, operations, other.deps, other.app.log);
  expect(await applied(other.folder, file)).toMatchObject({ code: 0, err: '' });
  await socket?.close();
});
