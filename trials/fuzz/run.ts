// The generated tests, as often as one likes: npm run test:fuzz -- --runs N [--seed S] [file ...]. The ordinary
// tests run a cheap property a hundred times and a dear one less; here that hundred is N.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const whole = (text: string | undefined) => text === undefined || /^-?\d+$/.test(text);
if (!whole(values.runs) || Number(values.runs) < 1 || !whole(values.seed)) {
  console.error(
    'Usage: npm run test:fuzz -- --runs N [--seed S] [file ...], where N and S are whole numbers',
  );
  process.exit(2);
}
const files = positionals.length > 0 ? positionals : ['test/fuzz'];
// What takes long is what was asked for.
const { status } = spawnSync(
  process.execPath,
  ['tools/run.js', 'vitest', 'run', '--testTimeout=0', ...files],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_RUNS: values.runs,
      ...(values.seed === undefined ? {} : { FUZZ_SEED: values.seed }),
    },
  },
);
process.exit(status ?? 1);
