import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '..')
const document = readFileSync(join(root, 'docs', 'finding-your-way.md'), 'utf8')
const ROW = /^\| (.+\?) \| `(src\/[\w/]+)` \| `([\w-]+\.ts)` \| `(\w+)(?:\.(\w+))?` \| `(src\/[\w/-]+\.ts)` \|$/gm

interface Answer {
  readonly folder: string
  readonly file: string
  readonly name: string
  /** A method of the class with this name. */
  readonly method?: string | undefined
  readonly caller: string
}

function faultOf({ folder, file, name, method, caller }: Answer): string | undefined {
  if (!existsSync(join(root, folder, 'README.md'))) return `${folder} has no README.md`
  const path = `${folder}/${file}`
  for (const each of [path, caller]) if (!existsSync(join(root, each))) return `${each} does not exist`
  const text = readFileSync(join(root, path), 'utf8')
  if (!new RegExp(`^export (?:async )?(?:function|class|const) ${name}\\b`, 'm').test(text)) {
    return `${path} exports no ${name}`
  }
  if (method !== undefined && !new RegExp(`^  (?:static )?(?:async )?${method}[(<]`, 'm').test(text)) {
    return `${name} has no method ${method}`
  }
  return isCalledIn(withoutImports(readFileSync(join(root, caller), 'utf8')), name, method)
    ? undefined
    : `${caller} does not call ${name}`
}

function isCalledIn(text: string, name: string, method: string | undefined): boolean {
  const calls =
    method !== undefined ? `\\.${method}\\(` : /^[A-Z_]+$|^node[A-Z]/.test(name) ? `\\b${name}\\b` : `\\b${name}\\(`
  return new RegExp(calls).test(text)
}

function withoutImports(text: string): string {
  return text.replace(/^import [^;]*? from '[^']+'$/gms, '').replace(/^\s*(\/?\*|\/\/).*$/gm, '')
}

describe('docs/finding-your-way.md', () => {
  const rows = [...document.matchAll(ROW)].map(
    ([, question = '', folder = '', file = '', name = '', method, caller]) => ({
      question,
      answer: { folder, file, name, method, caller: caller ?? '' },
    }),
  )
  it('has at least ten questions, and no row of another form', () => {
    assert.ok(rows.length >= 10, `${rows.length} rows`)
    assert.equal(rows.length, document.split('\n').filter((line) => /^\| .*`src\//.test(line)).length)
  })
  it('names functions that exist and are called where it says', () => {
    const faults = rows.map(({ question, answer }) => [question, faultOf(answer)])
    assert.deepEqual(
      faults.filter(([, fault]) => fault !== undefined),
      [],
    )
  })
  it('would be found with a file, a function or a call that is gone', () => {
    const there = { folder: 'src/core', file: 'paths.ts', name: 'scanScope', caller: 'src/http/routes/db.ts' }
    assert.equal(faultOf(there), undefined)
    assert.match(faultOf({ ...there, folder: 'src/gone' }) ?? '', /no README/)
    assert.match(faultOf({ ...there, file: 'gone.ts' }) ?? '', /does not exist/)
    assert.match(faultOf({ ...there, name: 'gone' }) ?? '', /exports no gone/)
    assert.match(faultOf({ ...there, caller: 'src/http/routes/debug.ts' }) ?? '', /does not call/)
    const method = { folder: 'src/events', file: 'log.ts', name: 'Log', caller: 'src/main/device-base.ts' }
    assert.match(faultOf({ ...method, method: 'gone' }) ?? '', /no method gone/)
  })
})
