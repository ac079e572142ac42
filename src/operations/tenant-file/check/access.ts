// Checks products, packages, channels, consents and properties in a tenant file.
import { type CustomProperty, isPropertyKey } from '../../../core/access/custom-property.ts';
import { type PackageFacts, packageDefaults, packageProblems } from '../../../core/access/package.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { accessTextProblems } from '../../access/content-channel.ts';
import { productProblems } from '../../access/package.ts';
import type { FileChannel, FileConsent, FilePackage } from '../tenant-file.ts';
import { type Checking, entriesAt, listAt, tellSpace, tellTwice, tellUnknown } from './checking.ts';

/** What the lists of a tenant name; null for a list that is left out. */
export interface Named {
  readonly packages: readonly string[] | null;
  readonly properties: readonly CustomProperty[] | null;
}

/** Checks products, packages, channels, consents and properties. @returns what they name */
export function checkAccess(checking: Checking, at: Path, isDevelopment: boolean): Named {
  const products = checkProducts(checking, [...at, 'products']);
  checkTexts(checking, [...at, 'channels'], 'channel', products);
  checkTexts(checking, [...at, 'consents'], 'consent', products);
  return {
    packages: checkPackages(checking, [...at, 'packages'], products, isDevelopment),
    properties: checkProperties(checking, [...at, 'properties']),
  };
}

type Products = readonly string[] | null;

function checkProducts(checking: Checking, at: Path): Products {
  const names = listAt(checking, at)?.flatMap((name, index) => {
    const path = [...at, index];
    if (checking.isBroken(path)) return [];
    tellSpace(checking, path, String(name));
    // A product is its name: the problem is of the entry itself.
    for (const found of productProblems(String(name))) checking.tell(path, { ...found, path: [] });
    return [String(name)];
  });
  return names ?? null;
}

function checkProperties(checking: Checking, path: Path): readonly CustomProperty[] | null {
  const entries = entriesAt<CustomProperty>(checking, path);
  for (const { at, entry } of entries ?? []) {
    if (entry.key !== undefined && !isPropertyKey(entry.key)) {
      checking.tell(at, problem('key', 'not_a_property_key'));
    }
  }
  tellTwice(checking, 'property', entries, ({ key }) => key);
  const properties = entries?.flatMap(({ entry: { key, type } }) =>
    key === undefined || type === undefined ? [] : [{ key, type }],
  );
  return properties ?? null;
}

const soundPackage: PackageFacts = {
  ...packageDefaults,
  name: 'package',
  price: { amount: 0, currency: 'EUR' },
  period: { unit: 'month', count: 1 },
  payment: 'free',
};

function checkPackages(
  checking: Checking,
  path: Path,
  products: Products,
  isDevelopment: boolean,
): readonly string[] | null {
  const entries = entriesAt<FilePackage>(checking, path);
  for (const { at, entry } of entries ?? []) {
    // Only price and payment together say whether a package is free.
    const price = { ...soundPackage.price, amount: entry.price?.amount ?? 0 };
    const payment = price.amount === 0 ? 'free' : 'invoice';
    checking.tell(at, ...packageProblems({ ...soundPackage, price, payment, ...entry }, isDevelopment));
    tellSpace(checking, [...at, 'name'], entry.name);
    tellProducts(checking, at, entry.products, products);
  }
  tellTwice(checking, 'package', entries, ({ name }) => name);
  return entries?.flatMap(({ entry: { name } }) => name ?? []) ?? null;
}

/** Channels and consents have an id, a name and a description alike. */
function checkTexts(checking: Checking, path: Path, noun: string, products: Products): void {
  const entries = entriesAt<FileChannel & FileConsent>(checking, path);
  for (const { at, entry } of entries ?? []) {
    const { id = 'id', name = 'name', description = '' } = entry;
    checking.tell(at, ...accessTextProblems({ id, name, description }));
    tellSpace(checking, [...at, 'name'], name);
    tellProducts(checking, at, entry.products, products);
  }
  tellTwice(checking, noun, entries, ({ id }) => id);
}

function tellProducts(checking: Checking, at: Path, names: readonly string[] = [], known: Products): void {
  for (const [index, name] of names.entries()) {
    tellUnknown(checking, [...at, 'products', index], name, known, 'product');
  }
}
