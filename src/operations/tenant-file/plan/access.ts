import type { Consent } from '../../../core/access/consent.ts';
import type { ContentChannel } from '../../../core/access/content-channel.ts';
import type { Package, PackageFacts } from '../../../core/access/package.ts';
import { deleteContentChannel } from '../../../storage/access/content-channel.ts';
import { findPackage } from '../../../storage/access/package.ts';
import { defineConsent } from '../../access/consent.ts';
import { defineContentChannel } from '../../access/content-channel.ts';
import { defineCustomProperty } from '../../access/custom-property.ts';
import { addPackage, addProduct, changePackage } from '../../access/package.ts';
import { describeChannel, describeConsent, describePackage } from '../describe.ts';
import { fieldChanges } from '../difference.ts';
import type { Path } from '../source.ts';
import type { Stored } from '../stored.ts';
import type { Facts, FileChannel, FileConsent, FilePackage, FileTenant } from '../tenant-file.ts';
import { type Doing, idOf, type Planning, type Step, stepsFor, type Target } from './step.ts';

const needs = 'access:write';

/** Plans products, packages, channels, consents and properties. */
export function planAccess(
  planning: Planning,
  target: Target,
  file: FileTenant,
  stored: Stored,
): readonly Step[] {
  return [
    ...planProperties(planning, target, file, stored),
    ...planProducts(target, file, stored),
    ...planPackages(planning, target, file, stored),
    ...planChannels(planning, target, file, stored),
    ...planConsents(planning, target, file, stored),
  ];
}

function planProperties(
  { problem }: Planning,
  target: Target,
  file: FileTenant,
  stored: Stored,
): readonly Step[] {
  const { properties: given } = file;
  if (given === undefined) return [];
  const { added, missing } = stepsFor(target, 'property', needs);
  const steps = given.flatMap((property, index) => {
    const at: Path = [...target.at, 'properties', index];
    const { key, type } = property;
    const known = stored.properties.find((one) => one.key === key);
    if (known === undefined) {
      return [added(key, at, ({ tx }) => done(defineCustomProperty(tx, target.tenant.id, property), key))];
    }
    if (known.type !== type)
      problem([...at, 'type'], `the property ${key} is a ${known.type}, and stays one`);
    return [];
  });
  const left = stored.properties.filter(({ key }) => !given.some((one) => one.key === key));
  return [...steps, ...left.map(({ key }) => missing(key, target.at, '', null))];
}

function planProducts(target: Target, file: FileTenant, stored: Stored): readonly Step[] {
  const { products: given } = file;
  if (given === undefined) return [];
  const { added, missing } = stepsFor(target, 'product', needs);
  const names = stored.products.map(({ name }) => name);
  const steps = given.flatMap((name, index) => {
    const at: Path = [...target.at, 'products', index];
    const add = async ({ tx }: Doing) => {
      const id = await addProduct(tx, target.tenant.id, name);
      target.productIds.set(name, id);
      return String(id);
    };
    return names.includes(name) ? [] : [added(name, at, add)];
  });
  const left = names.filter((name) => !given.includes(name));
  return [...steps, ...left.map((name) => missing(name, target.at, '', null))];
}

function planPackages(planning: Planning, target: Target, file: FileTenant, stored: Stored): readonly Step[] {
  const { packages: given } = file;
  if (given === undefined) return [];
  const { added, changed, missing } = stepsFor(target, 'package', needs);
  const steps = given.flatMap((offer, index) => {
    const at: Path = [...target.at, 'packages', index];
    tellMissingProducts(planning, target, file, at, offer.products);
    const known = stored.packages.find(({ name }) => name === offer.name);
    if (known === undefined) return [added(offer.name, at, (doing) => makePackage(doing, target, offer))];
    const before = describePackage(known);
    const fields = fieldChanges({ ...before }, alike(offer, before.products));
    return fields.length === 0
      ? []
      : [changed(offer.name, at, fields, (doing) => alterPackage(doing, target, known, offer))];
  });
  const left = stored.packages.filter(
    ({ name, offered }) => offered && !given.some((one) => one.name === name),
  );
  return [
    ...steps,
    ...left.map((offer) => {
      const end = (doing: Doing) =>
        alterPackage(doing, target, offer, { ...describePackage(offer), offered: false });
      return missing(offer.name, target.at, 'no longer offered', planning.prune ? end : null);
    }),
  ];
}

async function makePackage({ tx }: Doing, target: Target, offer: FilePackage): Promise<string> {
  const facts = { description: '', needsAddress: false, offered: true, ...factsOf(offer) };
  const id = await addPackage(tx, target.tenant.id, facts, productIds(target, offer));
  target.packageIds.set(offer.name, id);
  return String(id);
}

async function alterPackage(
  { tx }: Doing,
  target: Target,
  known: Package,
  offer: FilePackage,
): Promise<string> {
  // Its name says which one is meant, and stays: of two that had one name a file calls the second by another.
  const { name } = (await findPackage(tx, target.tenant.id, known.id)) ?? known;
  const facts = { ...factsOf({ ...describePackage(known) }), ...factsOf(offer), name } as PackageFacts;
  await changePackage(tx, target.tenant.id, known.id, facts, productIds(target, offer));
  return String(known.id);
}

function factsOf({ products: _, ...facts }: FilePackage): Omit<FilePackage, 'products'> {
  return facts;
}

function planChannels(planning: Planning, target: Target, file: FileTenant, stored: Stored): readonly Step[] {
  const { channels: given } = file;
  if (given === undefined) return [];
  const { added, changed, missing } = stepsFor(target, 'channel', needs);
  const { id: tenantId } = target.tenant;
  const steps = given.flatMap((channel, index) => {
    const { id } = channel;
    const at: Path = [...target.at, 'channels', index];
    tellMissingProducts(planning, target, file, at, channel.products);
    const known = stored.channels.find((one) => one.id === id);
    const save = ({ tx }: Doing) =>
      done(defineContentChannel(tx, channelOf(target, channel, known?.description ?? '')), id);
    if (known === undefined) return [added(id, at, save)];
    const before = describeChannel(known, stored.products);
    const fields = fieldChanges({ ...before }, alike(channel, before.products));
    return fields.length === 0 ? [] : [changed(id, at, fields, save)];
  });
  const left = stored.channels.filter(({ id }) => !given.some((one) => one.id === id));
  return [
    ...steps,
    ...left.map(({ id }) => {
      const end = ({ tx }: Doing) => done(deleteContentChannel(tx, tenantId, id), id);
      return missing(id, target.at, 'deleted', planning.prune ? end : null);
    }),
  ];
}

function channelOf(
  target: Target,
  { id, name, description, products }: FileChannel,
  before: string,
): ContentChannel {
  const { id: tenantId } = target.tenant;
  return {
    id,
    tenantId,
    name,
    description: description ?? before,
    productIds: productIds(target, { products }),
  };
}

function planConsents(planning: Planning, target: Target, file: FileTenant, stored: Stored): readonly Step[] {
  const { consents: given } = file;
  if (given === undefined) return [];
  const { added, changed, missing } = stepsFor(target, 'consent', needs);
  const { id: tenantId } = target.tenant;
  const steps = given.flatMap((consent, index) => {
    const { id } = consent;
    const at: Path = [...target.at, 'consents', index];
    const known = stored.consents.find((one) => one.id === id);
    const beginning = { description: '', atSignUp: false, atCheckout: false, retiredAt: null };
    const save = ({ tx, now }: Doing) =>
      done(
        defineConsent(
          tx,
          consentOf({ ...beginning, ...known, id, tenantId, name: consent.name }, consent, now),
        ),
        id,
      );
    if (known === undefined) return [added(id, at, save)];
    const fields = fieldChanges({ ...describeConsent(known) }, { ...consent });
    return fields.length === 0 ? [] : [changed(id, at, fields, save)];
  });
  const left = stored.consents.filter(
    ({ id, retiredAt }) => retiredAt === null && !given.some((one) => one.id === id),
  );
  return [
    ...steps,
    ...left.map((consent) => {
      const end = ({ tx, now }: Doing) => done(defineConsent(tx, { ...consent, retiredAt: now }), consent.id);
      return missing(consent.id, target.at, 'asked for no more', planning.prune ? end : null);
    }),
  ];
}

/** The consent with what the file says of it. */
function consentOf(before: Consent, { retired, ...said }: FileConsent, now: number): Consent {
  const retiredAt = retired === undefined ? before.retiredAt : retired ? (before.retiredAt ?? now) : null;
  return { ...before, ...said, retiredAt };
}

/** Whichever order a file names products in, they are the same products. */
function alike(entry: { readonly products: readonly string[] }, before: readonly string[]): Facts {
  const isSame =
    entry.products.length === before.length && entry.products.every((name) => before.includes(name));
  return isSame ? { ...entry, products: before } : { ...entry };
}

const productIds = ({ productIds: ids }: Target, { products }: Pick<FilePackage, 'products'>) =>
  products.map((name) => idOf(ids, name));

/** Products that are in neither the file nor the database. */
function tellMissingProducts(
  { problem }: Planning,
  { productIds: ids }: Target,
  { products = [] }: FileTenant,
  at: Path,
  names: readonly string[],
): void {
  for (const [index, name] of names.entries()) {
    if (ids.has(name) || products.includes(name)) continue;
    problem([...at, 'products', index], `there is no product ${JSON.stringify(name)}`);
  }
}

async function done(work: Promise<unknown>, name: string): Promise<string> {
  await work;
  return name;
}
