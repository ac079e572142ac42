// The operations on products.
import { packageTextLength } from '../../../core/access/limits.ts';
import { exactly, held, list, named, nameRule, resource, text, wholeNumber } from '../../../json-schema.ts';
import { listProducts } from '../../../storage/access/product.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { addProduct, renameProduct } from '../../access/package.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation } from '../operation.ts';

export const productIdField = named('ProductId', wholeNumber('The id of the product', 1));

const nameField = held(text('What members read', 'Sport'), nameRule(packageTextLength.name));
export const productSchema = resource('Product', 'A product', { id: productIdField, name: nameField });

const listed = onTenant<ListInput<number> & { readonly productId?: number }>({
  name: 'products.list',
  summary: 'List the products of a tenant',
  portal: {
    list: {
      title: 'Products',
      columns: ['id', 'name'],
      lead: 'What packages are made of.',
      entry: { field: 'productId', key: 'id' },
    },
  },
  permission: 'access:read',
  method: 'GET',
  path: '/products',
  optional: listFields('productId', productIdField),
  output: exactly('A page of products, oldest first', {
    products: list('Products', productSchema),
    next: nextOf(productIdField),
  }),
  run: async ({ tx, tenant }, { productId, ...input }) => {
    const read = (page: ListPage<number>) => listProducts(tx, tenant.id, page);
    const { page, next } = await readPage(input, productId, read, ({ id }) => id);
    return { products: page, next };
  },
});

const created = onTenant<{ readonly name: string }>({
  name: 'products.create',
  summary: 'Add a product, which packages and channels can then name',
  portal: { page: 'products.list' },
  permission: 'access:write',
  method: 'POST',
  path: '/products',
  fields: { name: nameField },
  output: productSchema,
  made: 'id',
  run: async ({ tx, tenant }, { name }) => ({ id: await addProduct(tx, tenant.id, name), name: name.trim() }),
});

const changed = onTenant<{ readonly productId: number; readonly name: string }>({
  name: 'products.change',
  summary: 'Give a product another name',
  portal: { page: 'products.list', reads: 'products.list' },
  permission: 'access:write',
  method: 'PATCH',
  path: '/products/{productId}',
  fields: { productId: productIdField, name: nameField },
  output: productSchema,
  run: async ({ tx, tenant }, { productId: id, name }) => {
    if (!(await renameProduct(tx, tenant.id, { id, name }))) throw unknown('product');
    return { id, name: name.trim() };
  },
});

export const productOperations: readonly Operation[] = [listed, created, changed];
