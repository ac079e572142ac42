import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseJson } from '../../src/core/json.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { type Api, apiOf } from '../support/api.ts';
import { told } from '../support/expected/told.ts';
import { anyLength, bytes } from '../support/fuzz/hostile.ts';
import { writtenJson } from '../support/fuzz/json.ts';
import { secretMark } from '../support/fuzz/requests.ts';
import { holds, isLong, patience } from '../support/fuzz/runs.ts';
import { fromSchema } from '../support/fuzz/schema.ts';
import { operator, rehearse } from '../support/operators/desk.ts';
import { examples } from '../support/operators/examples.ts';
import { beginWorld, type World } from '../support/operators/world.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'development' });
let world: World;
let api: Api;

beforeAll(async () => {
  world = await beginWorld(service, 'world.test');
  api = apiOf(service, 'localhost');
  await api.token('ida@example.com');
});

/** Making RSA keys takes half a second: that is for the long runs. */
const makesKeys = ['keys.rotate', 'keys.retire', 'tenants.create'];
const tried = operations.filter(({ name }) => isLong || !makesKeys.includes(name));

/** An operation with its example, with other values in some of its fields. */
const call = fc.constantFrom(...tried).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    changes: fc.record(
      Object.fromEntries(
        Object.entries(operation.input.properties).map(([name, schema]) => [name, fromSchema(schema)]),
      ),
      { requiredKeys: [] },
    ),
    // Most of the example stays, else nothing gets beyond the first check.
    kept: fc.array(fc.boolean(), { minLength: 3, maxLength: 7 }),
  }),
);

const made = new Map<string, Promise<Readonly<Record<string, unknown>>>>();

function exampleOf({ name, input }: (typeof operations)[number]): Promise<Readonly<Record<string, unknown>>> {
  const known =
    made.get(name) ??
    Promise.resolve(examples[name]?.(world)).then((example) => ({
      ...('tenant' in input.properties ? { tenant: world.host } : {}),
      ...example,
    }));
  made.set(name, known);
  return known;
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Every text in a value, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('every operation', () => {
  it(
    'answers any input as it describes, or refuses it by name; it never fails, and says no secret',
    () =>
      holds(
        fc.asyncProperty(call, async ({ operation, changes, kept }) => {
          const changed = Object.fromEntries(
            Object.entries(changes).filter((_, index) => kept[index % kept.length] !== true),
          );
          const input = { ...(await exampleOf(operation)), ...changed };
          // What no JSON can say reaches no operation.
          if (parseJson(Buffer.from(JSON.stringify(input))) === undefined) return;
          const { answer, refused } = await rehearse(service, operation, operator, input);
          const texts = answer === null ? told(refused?.problems ?? []) : textsIn(answer);
          for (const text of texts) {
            expect(text).not.toContain(secretMark);
            // What is no Unicode comes back from the database as something else.
            expect(text.isWellFormed(), JSON.stringify(text)).toBe(true);
          }
          if (answer !== null && operation.mediaType === undefined) {
            const isAsDescribed = ajv.validate(operation.output, JSON.parse(JSON.stringify(answer)));
            expect(isAsDescribed, ajv.errorsText()).toBe(true);
          }
        }),
        100,
      ),
    patience,
  );
});

const body = fc.oneof(
  writtenJson(
    fc.record(
      {
        consents: fc.array(
          fc.record(
            {
              id: fc.oneof(fc.constantFrom('newsletter', '__proto__'), anyLength),
              status: fc.constantFrom('accepted', 'withdrawn', 'x'),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 4 },
        ),
        status: fc.constantFrom<unknown>('accepted', 'withdrawn', '', null, []),
      },
      { requiredKeys: [] },
    ),
  ),
  writtenJson(fc.jsonValue({ maxDepth: 3 })),
  bytes().map((made) => made.toString('latin1')),
  fc.constantFrom(
    '['.repeat(8_000),
    '{"a":'.repeat(2_000),
    '"',
    '{"status":"accepted","status":"withdrawn"}',
    'x'.repeat(20_000),
  ),
);

describe('a JSON body of the member API', () => {
  it(
    'is answered, or refused in words of our own; it never makes the service fail',
    () =>
      holds(
        fc.asyncProperty(
          body,
          fc.constantFrom('/consents', '/consents/newsletter', '/consents/%00'),
          async (sent, path) => {
            service.clock.advance(61_000);
            const answer = await api('ida@example.com', path, {
              method: 'PUT',
              headers: { 'content-type': 'application/json' },
              body: sent,
            });
            // An answer a minute is within the limits, but for a day's.
            expect(answer.status, answer.text).toBeOneOf([
              200,
              400,
              404,
              413,
              429,
              ...(answer.status === 401 ? [401] : []),
            ]);
            const { error_description: words = 'none' } = answer.json<{ error_description?: string }>();
            expect(words).toMatch(/^[ !#-[\]-~]+$/);
          },
        ),
        80,
      ),
    patience,
  );
});
