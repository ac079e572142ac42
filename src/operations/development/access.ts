// Packages, channels, consents and properties of the development tenants.
import type { Consent } from '../../core/access/consent.ts';
import type { ContentChannel } from '../../core/access/content-channel.ts';
import type { CustomProperty } from '../../core/access/custom-property.ts';
import { type PackageFacts, packageDefaults } from '../../core/access/package.ts';
import type { Tx } from '../../storage/store.ts';
import { defineConsent } from '../access/consent.ts';
import { defineContentChannel } from '../access/content-channel.ts';
import { addPackage, addProduct } from '../access/package.ts';
import { defineCustomProperty } from '../access/subscription.ts';

/** Where the checkouts of the development start may lead back to. */
export const developmentReturnOrigins = ['http://localhost:9876'] as const;

/** A package of the development start, with the names of its products. */
interface DevelopmentPackage extends PackageFacts {
  readonly products: readonly string[];
}

/** The packages of every development tenant: one to be invoiced, one that is free, one that is posted. */
export const developmentPackages = {
  everything: {
    ...packageDefaults,
    name: 'Acme Everything',
    description: 'Every channel, on every screen.',
    products: ['News', 'Sport', 'Film'],
    price: { amount: 19_900, currency: 'NOK' },
    taxPercent: 25,
    period: { unit: 'month', count: 1 },
    renews: true,
    payment: 'invoice',
  },
  news: {
    ...packageDefaults,
    name: 'Daily News',
    description: 'Every article since 1987.',
    products: ['News archive'],
    price: { amount: 0, currency: 'NOK' },
    period: { unit: 'year', count: 1 },
    payment: 'free',
  },
  magazine: {
    ...packageDefaults,
    name: 'Sunday Magazine',
    description: 'On paper, in your letter box every Sunday, and the archive to read in.',
    products: ['Magazine', 'News archive'],
    price: { amount: 0, currency: 'NOK' },
    period: { unit: 'month', count: 3 },
    payment: 'free',
    needsAddress: true,
  },
} as const satisfies Record<string, DevelopmentPackage>;

/** The channels of every development tenant, with the names of the products that open them. */
const developmentChannels: readonly (Omit<ContentChannel, 'tenantId' | 'productIds'> & {
  readonly products: readonly string[];
})[] = [
  { id: 'archive', name: 'Archive', description: 'Every article', products: ['News archive', 'News'] },
  { id: 'film', name: 'Film', description: 'Films and series', products: ['Film'] },
  { id: 'news', name: 'News', description: 'News, live', products: ['News'] },
  { id: 'sport', name: 'Sport', description: 'Matches, live', products: ['Sport'] },
];

const developmentProperties: readonly CustomProperty[] = [
  { key: 'motto', type: 'string' },
  { key: 'renewedAt', type: 'timestamp' },
  { key: 'seats', type: 'number' },
  { key: 'shoeSize', type: 'number' },
  { key: 'source', type: 'string' },
  { key: 'visits', type: 'number' },
];

const developmentConsents: readonly Omit<Consent, 'tenantId'>[] = [
  {
    id: 'newsletter',
    name: 'Newsletter',
    description: 'An email every Friday with what is new.',
    atSignUp: true,
    atCheckout: false,
    retiredAt: null,
  },
  {
    id: 'offers',
    name: 'Offers',
    description: 'Now and then an offer by email, for members only.',
    atSignUp: false,
    atCheckout: true,
    retiredAt: null,
  },
  {
    id: 'recommendations',
    name: 'Recommendations',
    description: 'What you watch is used to suggest what you may like.',
    atSignUp: false,
    atCheckout: false,
    retiredAt: null,
  },
];

/**
 * Gives a tenant the packages, channels, consents and properties of the development start.
 *
 * @returns the packageId of each package
 */
export async function loadAccess(
  tx: Tx,
  tenantId: string,
): Promise<Readonly<Record<keyof typeof developmentPackages, number>>> {
  const productIds = new Map<string, number>();
  const products = new Set(Object.values(developmentPackages).flatMap((offer) => offer.products));
  for (const name of products) productIds.set(name, await addProduct(tx, tenantId, name));
  const idsOf = (names: readonly string[]) => names.flatMap((name) => productIds.get(name) ?? []);
  const add = ({ products: opened, ...facts }: DevelopmentPackage) =>
    addPackage(tx, tenantId, facts, idsOf(opened));
  for (const { products: opening, ...channel } of developmentChannels) {
    await defineContentChannel(tx, { ...channel, tenantId, productIds: idsOf(opening) });
  }
  for (const property of developmentProperties) await defineCustomProperty(tx, tenantId, property);
  for (const consent of developmentConsents) await defineConsent(tx, { ...consent, tenantId });
  return {
    everything: await add(developmentPackages.everything),
    news: await add(developmentPackages.news),
    magazine: await add(developmentPackages.magazine),
  };
}
