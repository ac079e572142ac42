import { type Kysely, sql } from 'kysely';

const statements = [
  // What a member buys, and how it is paid. Prices are in the currency's smallest unit.
  `alter table packages add column description text not null default ''`,
  'alter table packages add column price integer not null default 0 check (price >= 0)',
  `alter table packages add column currency text not null default 'EUR' check (length(currency) = 3)`,
  `alter table packages add column periodUnit text not null default 'month' check (periodUnit in ('day', 'week', 'month', 'year'))`,
  'alter table packages add column periodCount integer not null default 1 check (periodCount > 0)',
  `alter table packages add column payment text not null default 'free'`,
  'alter table packages add column needsAddress integer not null default 0 check (needsAddress in (0, 1))',
  'alter table packages add column offered integer not null default 0 check (offered in (0, 1))',
  'create index packagesByTenant on packages (tenantId)',
  'create index productsByTenant on products (tenantId)',

  // Subscriptions get a state; of those before, whose start may lie ahead, the clock says the rest.
  `create table newSubscriptions (
    id integer primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    packageId integer not null references packages (id),
    state text not null check (state in ('pending', 'active', 'cancelled', 'expired', 'ended')),
    createdAt integer not null,
    activatedAt integer,
    expiresAt integer,
    cancelledAt integer,
    endedAt integer,
    customPropertyValues text not null
  ) strict`,
  `insert into newSubscriptions
    select id, tenantId, memberId, packageId, 'pending', createdAt, activatedAt, expiresAt, null, null,
      customPropertyValues
    from subscriptions`,
  'drop table subscriptions',
  'alter table newSubscriptions rename to subscriptions',
  'create index subscriptionsByMember on subscriptions (memberId)',

  // The keys of customPropertyValues that a tenant has defined.
  `create table customProperties (
    tenantId text not null references tenants (id),
    key text not null,
    type text not null check (type in ('number', 'string', 'timestamp')),
    primary key (tenantId, key)
  ) strict, without rowid`,

  // A channel is open to whoever has one of its products.
  `create table contentChannels (
    tenantId text not null references tenants (id),
    id text not null,
    name text not null,
    description text not null,
    primary key (tenantId, id)
  ) strict, without rowid`,
  `create table channelProducts (
    tenantId text not null,
    channelId text not null,
    productId integer not null references products (id),
    primary key (tenantId, channelId, productId),
    foreign key (tenantId, channelId) references contentChannels (tenantId, id)
  ) strict, without rowid`,

  // What a tenant asks its members to agree to, and every answer they gave, in order.
  `create table consents (
    tenantId text not null references tenants (id),
    id text not null,
    name text not null,
    description text not null,
    atSignUp integer not null check (atSignUp in (0, 1)),
    atCheckout integer not null check (atCheckout in (0, 1)),
    retiredAt integer,
    primary key (tenantId, id)
  ) strict, without rowid`,
  `create table consentChanges (
    id integer primary key,
    tenantId text not null,
    memberId text not null references members (id),
    consentId text not null,
    status text not null check (status in ('accepted', 'withdrawn')),
    name text not null,
    description text not null,
    source text not null check (source in ('account', 'api', 'checkout', 'sign_up')),
    clientId text,
    changedAt integer not null,
    foreign key (tenantId, consentId) references consents (tenantId, id)
  ) strict`,
  // Each ends in the id: the newest answers of a member, and the last one to a consent, are found at once.
  'create index consentChangesByMember on consentChanges (memberId)',
  'create index consentChangesByConsent on consentChanges (memberId, consentId)',

  `create table checkouts (
    id text primary key,
    tenantId text not null references tenants (id),
    memberId text not null references members (id),
    packageId integer not null references packages (id),
    state text not null check (state in ('open', 'completed', 'cancelled', 'expired')),
    payment text not null,
    price integer not null check (price >= 0),
    currency text not null,
    periodUnit text not null,
    periodCount integer not null,
    reference text,
    onCheckoutCompletedUrl text,
    callBackUrl text,
    createdAt integer not null,
    expiresAt integer not null,
    closedAt integer,
    paymentReference text,
    subscriptionId integer references subscriptions (id)
  ) strict`,
  'create index checkoutsByMember on checkouts (memberId)',
  'create index checkoutsBySubscription on checkouts (subscriptionId)',
  'create index checkoutsByExpiry on checkouts (state, expiresAt)',
  'create index checkoutsByPaymentAndExpiry on checkouts (payment, state, expiresAt)',

  `create table invoices (
    id text primary key,
    tenantId text not null references tenants (id),
    number integer not null check (number > 0),
    memberId text not null references members (id),
    subscriptionId integer not null references subscriptions (id),
    packageName text not null,
    amount integer not null check (amount >= 0),
    currency text not null,
    addressee text not null,
    issuedAt integer not null,
    dueAt integer not null,
    paidAt integer,
    unique (tenantId, number)
  ) strict`,
  'create index invoicesByMember on invoices (memberId)',
  'create index invoicesBySubscription on invoices (subscriptionId)',

  // Where a checkout may lead back to: a JSON list of origins.
  `alter table tenants add column returnOrigins text not null default '[]'`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
