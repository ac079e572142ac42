// Makes docs/events.md from the types of events.
import {
  type EventKind,
  type EventType,
  eventKinds,
  eventPayload,
  isNumber,
} from '../src/core/events/event.ts';
import { eventMemory, feed, webhook } from '../src/core/events/limits.ts';
import { day, hour } from '../src/core/limits.ts';
import { signWebhook } from '../src/secrets/webhook.ts';

/** The secret, the message and the moment of the example, which anyone can check. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const at = Date.UTC(2026, 0, 15, 12);
const id = '019bc186-de00-7fa5-b21c-bd3723ba6f14';

/** A receiver in Node, by the package of Standard Webhooks; the tests run it. */
export const receiver = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** @param take keeps an event, and is called again with one that it had where an answer got lost */
export function receiverOf(secret, take) {
  const webhook = new Webhook(secret);
  return createServer(async (request, response) => {
    const body = await text(request);
    let event;
    try {
      event = webhook.verify(body, request.headers);
    } catch {
      response.writeHead(400).end();
      return;
    }
    const isKept = await take(event).then(() => true, () => false);
    response.writeHead(isKept ? 204 : 500).end();
  });
}`;

/** What checks a message without a package, in Node; the tests run it. */
export const check = `import { createHmac, timingSafeEqual } from 'node:crypto';

/** @param body the body as it came, before anything reads it as JSON */
export function isFromMemberdoor(secret, headers, body, now = Date.now()) {
  const id = headers['webhook-id'];
  const seconds = Number(headers['webhook-timestamp']);
  if (!(Math.abs(now / 1000 - seconds) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${seconds}.\${body}\`).digest();
  return headers['webhook-signature'].split(' ').some((one) => {
    const given = Buffer.from(one.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}`;

const exampleOf = (name: string | undefined) => {
  if (name === undefined) return null;
  if (isNumber(name)) return '41';
  return (
    { reason: 'signed_out', status: 'accepted', consentId: 'newsletter', provider: 'google' }[name] ?? id
  );
};

/** An event of a type, as it is told. */
function exampleEvent(type: EventType) {
  const { subject, detail }: EventKind = eventKinds[type];
  const hasClient = /^(?:sign_in|device|app|consent)\./.test(type);
  return eventPayload({
    tenantId: '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a00',
    number: 4_711,
    id,
    at,
    type,
    memberId: type === 'tenant.restored' ? null : '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01',
    subject: exampleOf(subject),
    clientId: hasClient ? 'example-app' : null,
    detail: exampleOf(detail),
    changed: changedOf[type] ?? null,
  });
}

const changedOf: Partial<Record<EventType, readonly string[]>> = {
  'member.updated': ['email', 'emailVerified'],
  'subscription.updated': ['customPropertyValues'],
};

/** The example that shows how a message is signed. */
export function signedExample() {
  const body = JSON.stringify(exampleEvent('subscription.ended'));
  const seconds = at / 1_000;
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': `${seconds}`,
    'webhook-signature': signWebhook([secret], { id, seconds, body }),
  };
  return { secret, headers, body };
}

export function eventsDocument(): string {
  const { headers, body } = signedExample();
  const rows = (Object.keys(eventKinds) as EventType[]).map(
    (type) => `| \`${type}\` | ${eventKinds[type].words} | \`${JSON.stringify(exampleEvent(type).data)}\` |`,
  );
  return `# Events

For those who connect a CRM, a newsletter tool or anything else that wants to hear of members. Programs that do it stand in
[guides/crm.md](guides/crm.md).

Every change is told as an event: written in the transaction of the change, so none is lost and none is told of what was
taken back (decision 49). Events of a tenant are numbered, without a gap; those of one member are told in their order. An
event names ids and the fields that changed, and no value of a person: read those through the admin API. Each may come more
than once, always with the same \`id\`: remember the ids of the last days, and pass over what you had. They are kept for
${eventMemory / day} days.

There are two ways to get them, with the same content: webhooks, which we call, and a feed, which you read.

\`\`\`json
${JSON.stringify(exampleEvent('subscription.ended'), null, 2)}
\`\`\`

## Webhooks

Add an address of yours in the portal ("Webhooks"), by \`memberdoor webhooks create\` or through the admin API
(\`POST /api/v1/admin/tenants/{tenant}/webhooks\`, permission \`events:write\`), with the types that you want. The answer has
the secret, once. From then on each event is sent by POST, as [Standard Webhooks](https://www.standardwebhooks.com) has it,
whose packages check the signature in most languages.

- Answer with a status from 200 to 299 within 5 seconds; do the work later. Nothing is followed that leads elsewhere, and
  only the first kilobyte of an answer is kept, for your operator to see.
- What is not taken is sent again after ${webhook.firstWait / 1_000} seconds, then ever more seldom. Meanwhile later events of
  the same member wait, and those of others go on. Where the address cannot be reached, or answers 429, 502, 503 or 504,
  all of them wait.
- After ${webhook.giveUpAfter / day} days in which an event was not taken, or when you answer 410, the webhook is off, and the
  administrators of the tenant get a mail. Turned on again it goes on where it was: events of the last
  ${eventMemory / day} days are not lost.
- Addresses are https on the public internet. A development tenant may use http on its own machine.
- \`memberdoor webhooks rotate-secret\` gives it another secret; for ${webhook.overlap / hour} hours both sign, so that you
  can change yours at any time in between.
- "Test" sends an event of the type \`webhook.test\`; the page of the webhook shows what was sent and each attempt: when,
  what was answered and how long it took. It sends it again.

This is a message, signed with the secret \`${secret}\`:

\`\`\`
${Object.entries(headers)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\n')}

${body}
\`\`\`

And this takes such messages, with the package \`standardwebhooks\`:

\`\`\`js
${receiver}
\`\`\`

Without a package, this checks one:

\`\`\`js
${check}
\`\`\`

## The feed

\`GET /api/v1/admin/tenants/{tenant}/events?after=4711&wait=30\` (permission \`events:read\`) answers the events behind a
number, the first first; with \`wait\`, up to ${feed.waitSeconds} seconds, it answers when the next one happens. Begin without
\`after\`: the answer says in \`next\` where to go on, before you read all members once. Then call it again and again with the
\`next\` of the last answer, which you keep where you keep what you made of the events. \`types\` narrows it. Where \`missed\` is
true, events were deleted that you have not read, or the numbers are of another history: read everything anew.

After a restored backup the numbers skip, and \`tenant.restored\` tells of it.

## Types

\`sign_in\` is an app or a TV that got tokens, \`session\` a browser that signed in. That a sign-in or a session ran out of time
is told when it is found, which may be never; that a subscription began or ended by the clock is told within a minute of it.

| type | what happened | \`data\` |
|---|---|---|
${rows.join('\n')}
`;
}
