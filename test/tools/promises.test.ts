import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { discardedCalls } from '../../tools/discarded-calls.ts'
import { scratchDirectory } from '../support/scratch.ts'

const root = join(import.meta.dirname, '..', '..')

const PLANTED = `
async function save(): Promise<void> {}
export function floating(): void { save() }
export function hidden(): void { void save() }
export function chained(): void { void save().then(() => {}) }
export function finallyOnly(): void { save().finally(() => {}) }
export function misused(list: readonly string[]): void { list.forEach(async () => { await save() }) }
export function handled(): void { save().catch(() => {}) }
export function bothHandled(): void { save().then(() => {}, () => {}) }
export async function awaited(): Promise<void> { await save() }
`

test('C-40: a promise without a handler is found by the lint, also behind void', () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'tsconfig.json'), '{ "compilerOptions": { "strict": true }, "include": ["."] }')
  writeFileSync(join(scratch.path, 'planted.ts'), PLANTED)
  const program = join(root, 'node_modules', '.bin', 'oxlint')
  const config = join(root, '.oxlintrc-promises.json')
  const options = { encoding: 'utf8', cwd: scratch.path } as const
  const { status, stdout, stderr } = spawnSync(
    program,
    ['--type-aware', '-c', config, '--tsconfig', 'tsconfig.json', '-f', 'unix', '.'],
    options,
  )
  assert.equal(status, 1, stderr)
  const lines = [...stdout.matchAll(/planted\.ts:(\d+):/g)].map(([, line]) => Number(line)).sort()
  assert.deepEqual(lines, [3, 4, 5, 6, 7], stdout)
})

test('C-40: a promise that is dropped in an expression is found', () => {
  const found = (text: string) => discardedCalls('src/model/x.ts', text).length
  for (const text of [
    'const a = () => void save()',
    'const a = () => void this.#stream[Symbol.asyncDispose]()',
    'function f() { return void connection.close("x") }',
    'const a = () => void (b && save())',
    'const a = () => void b?.save()',
  ])
    assert.equal(found(text), 1, text)
  for (const text of [
    'const a = () => void map.set(1, 2)',
    'const a = () => void (this.a = true)',
    'async function f() { return void (await save()) }',
    'save()',
    'void save()', // a statement: the lint with types looks at it
  ])
    assert.equal(found(text), 0, text)
})

test('C-40: the page drops no promise in an expression', () => {
  const faults = globSync('gui/**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    discardedCalls(file, readFileSync(join(root, file), 'utf8')).map((fault) => `${file}: ${fault}`),
  )
  assert.deepEqual(faults, [])
})
