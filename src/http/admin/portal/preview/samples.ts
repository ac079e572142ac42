// What previews of a tenant's pages show: pages and a mail with made-up members, in the data that their templates take.
import type { Tenant } from '../../../../core/tenant.ts';
import type { Language } from '../../../../text/language.ts';
import { emphasized } from '../../../pages/lead.ts';

/** A page of members about to be drawn. */
interface Sample {
  /** The template below `templates/`. */
  readonly template: string;
  /** Key of its title. */
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The pages that a preview can show, in the order of a member's way; the mail has no template of a page. */
export const surfaces = ['sign-in', 'tv', 'account', 'checkout', 'mail'] as const;
export type Surface = (typeof surfaces)[number];

/** Whose page it is: an app of the same name asks. */
type Named = Pick<Tenant, 'name'>;

/** A member of the development start. */
const member = { fullName: 'Ada Nilsen', email: 'ada@example.com' };

const samples: Readonly<Record<Exclude<Surface, 'mail'>, (language: Language, tenant: Named) => Sample>> = {
  'sign-in': (language, { name }) => ({
    template: 'members/sign-in-page.eta',
    title: 'signIn.title',
    data: {
      client: name,
      logo: null,
      lead: emphasized(language, 'signIn.lead', { client: name }),
      maySignUp: true,
      flow: '',
      email: '',
    },
  }),
  tv: ({ t }, { name }) => ({
    template: 'members/device/approve.eta',
    title: 'device.approve.title',
    data: {
      client: name,
      logo: null,
      userCode: '417 902',
      scopes: [],
      email: member.email,
      reported: [
        { label: t('device.approve.name'), value: 'Living room' },
        { label: t('device.approve.model'), value: 'Vision 9000' },
      ],
      observed: [
        { label: t('device.approve.address'), value: '192.0.2.7' },
        { label: t('device.approve.time'), value: t('device.approve.asked', { minutes: 0 }) },
      ],
      confirm: '',
    },
  }),
  account: ({ t, tag }) => ({
    template: 'members/account/overview.eta',
    title: 'account.title',
    data: {
      ...signedIn,
      greeted: 'Ada',
      isSelling: true,
      invoices: [],
      plans: [
        {
          id: 1,
          name: 'Everything',
          tag: t('account.subscriptions.tag.active'),
          tone: 'good',
          about: [t('account.subscriptions.standing.renewing', { date: dayIn(tag) })],
        },
      ],
      hasMorePlans: false,
      devices: [{ id: '1', name: 'Living room', drawing: 'tv', about: ['Vision 9000'] }],
      hasMoreDevices: false,
      hasTvs: true,
      password: t('account.password.hint'),
      lastSignIn: { about: ['Firefox'], notMe: null },
    },
  }),
  checkout: (language) => ({
    template: 'members/checkout/plans.eta',
    title: 'checkout.choose.title',
    data: {
      lead: language.t('checkout.choose.lead'),
      plans: offers.map((offer) => planOf(offer, language)),
      orders: offers.map((offer) => orderOf(offer, language)),
      isChoice: true,
      isFree: false,
      isGone: false,
      email: null,
      back: null,
      order: '',
    },
  }),
};

/** Two packages of the development start, with what they open. */
const offers = [
  { id: 1, name: 'Everything', amount: 199, products: ['News', 'Sport', 'Film'] },
  { id: 2, name: 'News', amount: 99, products: ['News'] },
] as const;
type Offer = (typeof offers)[number];

function planOf({ amount, ...offer }: Offer, { t, tag }: Language) {
  const per = t('checkout.per.month', { count: 1 });
  return { ...offer, description: '', price: priceIn(tag, amount), per, hasUntil: null };
}

function orderOf({ id, name, amount }: Offer, { t, tag }: Language) {
  const price = priceIn(tag, amount);
  const runs = dayIn(tag);
  const notes = [t('checkout.order.ends', { date: runs })];
  return { id, name, runs, amount: price, tax: null, total: t('checkout.order.today'), due: null, notes };
}

const priceIn = (tag: string, amount: number) =>
  new Intl.NumberFormat(tag, {
    style: 'currency',
    currency: 'NOK',
    trailingZeroDisplay: 'stripIfInteger',
  }).format(amount);

/** What every page of the account takes. */
const signedIn = { member, token: '', notice: null, confirm: '', deletionDay: null };

/** A day to come, as pages write it. */
const dayIn = (tag: string) =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.UTC(2_030, 0, 31));

/** A page as a preview shows it. */
export const sampleOf = (surface: Exclude<Surface, 'mail'>, language: Language, tenant: Named): Sample =>
  samples[surface](language, tenant);

/** The mail that a preview shows: one with facts, a button and a greeting. */
export const sampleMail = {
  name: 'subscribed',
  to: member.email,
  values: { fullName: member.fullName, package: 'Everything', price: 'NOK 149.00' },
  link: 'https://example.com/account',
} as const;
