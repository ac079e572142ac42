// Checks products, packages, channels, consents and properties in a tenant file.
import { type CustomProperty, isPropertyKey } from '../../../core/access/custom-property.ts';
import { type PackageFacts, packageProblems } from '../../../core/access/package.ts';
import { type Path, problem } from '../../../core/problem.ts';
import { accessTextProblems } from '../../access/content-channel.ts';
import { productProblems } from '../../access/package.ts';
import type { FileChannel, FileConsent, FilePackage, FileTenant } from '../tenant-file.ts';
import {
  type Checking,
  entriesAt,
  soundPart,
  tellProblems,
  tellSpace,
  tellTwice,
  tellUnknown,
} from './checking.ts';

/** What the lists of a tenant's part name; null for a list that is left out. */
export interface Named {
  readonly products: readonly string[] | null;
  readonly packages: readonly string[] | null;
  readonly properties: readonly CustomProperty[] | null;
}

type Sections = Readonly<Partial<Record<keyof FileTenant, unknown>>>;

/** Checks products, packages, channels, consents and properties. @returns what they name */
export function checkAccess(checking: Checking, at: Path, tenant: Sections): Named {
  const products = checkProducts(checking, [...at, 'products'], tenant.products);
  checkTexts(checking, at, tenant, products);
  return {
    products,
    packages: checkPackages(checking, [...at, 'packages'], tenant.packages, products),
    properties: checkProperties(checking, [...at, 'properties'], tenant.properties),
  };
}

function checkProducts(checking: Checking, at: Path, value: unknown): readonly string[] | null {
  if (value === undefined) return null;
  const names = entriesAt(at, value).filter(({ at: path }) => !checking.isBroken(path));
  for (const { at: path, value: name } of names) {
    tellSpace(checking, path, String(name));
    // A product is its name: the problem is of the entry itself.
    for (const found of productProblems(String(name))) tellProblems(checking, path, [{ ...found, path: [] }]);
  }
  return names.map((one) => String(one.value));
}

function checkProperties(checking: Checking, at: Path, value: unknown): readonly CustomProperty[] | null {
  if (value === undefined) return null;
  const entries = entriesAt(at, value).map((one) => ({
    at: one.at,
    sound: soundPart<CustomProperty>(checking, one.at, one.value),
  }));
  for (const { at: path, sound } of entries) {
    if (sound.key === undefined || isPropertyKey(sound.key)) continue;
    checking.tell(problem([...path, 'key'], 'not_a_property_key'));
  }
  tellTwice(
    checking,
    entries.map(({ at: path, sound }) => ({ at: path, name: sound.key })),
    'property',
  );
  return entries.flatMap(({ sound: { key, type } }) =>
    key === undefined || type === undefined ? [] : [{ key, type }],
  );
}

const soundPackage: PackageFacts = {
  name: 'package',
  description: '',
  price: { amount: 0, currency: 'EUR' },
  period: { unit: 'month', count: 1 },
  payment: 'free',
  needsAddress: false,
  offered: true,
};

function checkPackages(
  checking: Checking,
  at: Path,
  value: unknown,
  products: readonly string[] | null,
): readonly string[] | null {
  if (value === undefined) return null;
  const entries = entriesAt(at, value).map((one) => {
    const { products: own = [], ...sound } = soundPart<FilePackage>(checking, one.at, one.value);
    // Only price and payment together say whether a package is free.
    const price = { ...soundPackage.price, amount: sound.price?.amount ?? 0 };
    const payment = price.amount === 0 ? 'free' : 'invoice';
    tellProblems(checking, one.at, packageProblems({ ...soundPackage, price, payment, ...sound }));
    tellSpace(checking, [...one.at, 'name'], sound.name);
    tellProducts(checking, [...one.at, 'products'], own, products);
    return { at: one.at, name: sound.name };
  });
  tellTwice(checking, entries, 'package');
  return entries.flatMap(({ name }) => name ?? []);
}

/** Channels and consents have an id, a name and a description alike. */
function checkTexts(
  checking: Checking,
  at: Path,
  tenant: Sections,
  products: readonly string[] | null,
): void {
  for (const [section, what] of [
    ['channels', 'channel'],
    ['consents', 'consent'],
  ] as const) {
    const path = [...at, section];
    const entries = entriesAt(path, tenant[section]).map((one) => {
      const given = soundPart<FileChannel & FileConsent>(checking, one.at, one.value);
      const { id, name, description } = given;
      const texts = {
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
      };
      tellProblems(
        checking,
        one.at,
        accessTextProblems({ id: 'id', name: 'name', description: '', ...texts }),
      );
      tellSpace(checking, [...one.at, 'name'], name);
      tellProducts(checking, [...one.at, 'products'], given.products ?? [], products);
      return { at: one.at, name: id };
    });
    tellTwice(checking, entries, what);
  }
}

function tellProducts(
  checking: Checking,
  at: Path,
  names: readonly string[],
  known: readonly string[] | null,
): void {
  for (const [index, name] of names.entries()) tellUnknown(checking, [...at, index], name, known, 'product');
}
