// What previews of a tenant's pages show: pages with a made-up member, in the data that their templates take.
import { deviceCodeLifetime } from '../../../../core/limits.ts';
import { passwordLength } from '../../../../core/members/limits.ts';
import type { Tenant } from '../../../../core/tenant.ts';
import type { Language } from '../../../../text/language.ts';
import { emphasized } from '../../../pages/lead.ts';

/** A page of members about to be drawn. */
interface Sample {
  /** The template below `templates/`. */
  readonly template: string;
  /** Key of its title. */
  readonly title: string;
  readonly titleValues?: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The pages that a preview can show, in the order of a member's way. */
export const pageSurfaces = [
  'sign-in',
  'sign-up',
  'recover',
  'consent',
  'tv-code',
  'tv',
  'tv-done',
  'checkout',
  'account',
  'devices',
  'signed-out',
  'problem',
] as const;
export type PageSurface = (typeof pageSurfaces)[number];

/** Whose page it is: an app of the same name asks. */
type Named = Pick<Tenant, 'name'>;

/** A member of the development start. */
export const sampleMember = { fullName: 'Ada Nilsen', email: 'ada@example.com' };
export const sampleTv = { name: 'Living room', model: 'Vision 9000' };

const samples: Readonly<Record<PageSurface, (language: Language, tenant: Named) => Sample>> = {
  'sign-in': (language, { name }) => ({
    template: 'members/sign-in-page.eta',
    title: 'signIn.title',
    data: {
      client: name,
      logo: null,
      lead: emphasized(language, 'signIn.lead', { client: name }),
      maySignUp: true,
      asksPassword: true,
      passkey: null,
      ways: { code: false },
      steps: null,
      flow: '',
      rehearsal: null,
      providers: [],
      email: '',
    },
  }),
  'sign-up': () => ({
    template: 'members/sign-up/form.eta',
    title: 'signUp.title',
    data: {
      lead: null,
      logo: null,
      steps: null,
      flow: '',
      fullName: '',
      email: '',
      least: passwordLength.least,
      asksPassword: true,
      consents: [],
      providers: [],
    },
  }),
  recover: () => ({
    template: 'members/recover/ask.eta',
    title: 'recover.title',
    data: { flow: '', email: '', steps: null },
  }),
  consent: ({ t }, { name }) => ({
    template: 'members/scope-consent.eta',
    title: 'consent.title',
    titleValues: { client: name },
    data: {
      client: name,
      clientLogo: null,
      unverified: null,
      scopes: [
        { text: t('consent.scope.profile'), drawing: 'person' },
        { text: t('consent.scope.email'), drawing: 'mail' },
      ],
      email: sampleMember.email,
      flow: '',
    },
  }),
  'tv-code': () => ({
    template: 'members/device/entry.eta',
    title: 'device.title',
    data: { typed: '', minutes: deviceCodeLifetime / 60_000 },
  }),
  'tv-done': ({ t }, { name }) => ({
    template: 'members/device/decided.eta',
    title: 'device.approved.title',
    titleValues: { name: sampleTv.name, client: name, tenant: name },
    data: {
      lead: t('device.approved.lead', { name: sampleTv.name, client: name, tenant: name }),
      name: sampleTv.name,
      about: [sampleTv.model],
      isApproved: true,
      decided: '',
    },
  }),
  devices: () => ({
    template: 'members/account/devices.eta',
    title: 'account.devices.title',
    data: {
      ...signedIn,
      devices: [
        {
          id: '1',
          field: 'device-1',
          label: sampleTv.name,
          name: sampleTv.name,
          drawing: 'tv',
          about: [sampleTv.model],
          isRefused: false,
          facts: [],
        },
      ],
      links: { here: '', older: null, newest: null },
      longest: 60,
      hasTvs: true,
    },
  }),
  'signed-out': () => ({
    template: 'members/signed-out.eta',
    title: 'signedOut.title',
    data: { isUnregistered: false, ways: [{ href: '/sign-in', text: 'signIn.submit' }] },
  }),
  problem: ({ t }) => ({
    template: 'problem.eta',
    title: 'problem.notFound.title',
    data: {
      lead: t('problem.notFound.lead'),
      reason: null,
      why: null,
      details: [],
      ways: [{ href: '/account', text: 'account.title' }],
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
      email: sampleMember.email,
      reported: [
        { label: t('device.approve.name'), value: sampleTv.name },
        { label: t('device.approve.model'), value: sampleTv.model },
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
          seats: null,
        },
      ],
      hasMorePlans: false,
      offers: [],
      seats: [],
      devices: [{ id: '1', name: sampleTv.name, drawing: 'tv', about: [sampleTv.model] }],
      hasMoreDevices: false,
      hasTvs: true,
      password: t('account.password.hint'),
      twoStep: { about: t('account.twoStep.off'), text: 'account.twoStep.turnOn' },
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
  const facts = { id, name, seats: null, runs, amount: price, tax: null };
  return { ...facts, total: t('checkout.order.today'), due: null, notes };
}

const priceIn = (tag: string, amount: number) =>
  new Intl.NumberFormat(tag, {
    style: 'currency',
    currency: 'NOK',
    trailingZeroDisplay: 'stripIfInteger',
  }).format(amount);

/** What every page of the account takes. */
const signedIn = { member: sampleMember, token: '', notice: null, confirm: '', deletionDay: null };

/** A day to come, as pages write it. */
const dayIn = (tag: string) =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(Date.UTC(2_030, 0, 31));

/** A page as a preview shows it. */
export const sampleOf = (surface: PageSurface, language: Language, tenant: Named): Sample =>
  samples[surface](language, tenant);
