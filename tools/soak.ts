/** The long runs: the same tests as `npm test`, with many times as many cases. `npm run soak [-- FACTOR [FILE…]]` */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const [factor = '20', ...files] = process.argv.slice(2)
if (!(Number(factor) >= 1)) {
  console.error('usage: npm run soak [-- FACTOR [FILE…]]   FACTOR: how many times harder than npm test, default 20')
  process.exit(1)
}
const chosen = files.length > 0 ? files : globSync('test/**/*.test.ts', { cwd: root }).sort()
const result = spawnSync(
  process.execPath,
  ['--test', '--test-concurrency=2', '--test-reporter=./tools/reporter.ts', ...chosen],
  { cwd: root, stdio: 'inherit', env: { ...process.env, TWINFOLD_EFFORT: factor } },
)
process.exitCode = result.status ?? 1
