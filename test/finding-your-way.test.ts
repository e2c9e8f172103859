import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const root = join(import.meta.dirname, '..')
const document = readFileSync(join(root, 'docs', 'finding-your-way.md'), 'utf8')
const ROW = /^\| (.+\?) \| `(src\/[\w/]+)` \| `([\w-]+\.ts)` \| `(\w+)` \|$/gm

function faultOf(folder: string, file: string, name: string): string | undefined {
  if (!existsSync(join(root, folder, 'README.md'))) return `${folder} has no README.md`
  const path = join(root, folder, file)
  if (!existsSync(path)) return `${folder}/${file} does not exist`
  const declared = new RegExp(`^export (?:async )?(?:function|class|const|interface|type) ${name}\\b`, 'm')
  return declared.test(readFileSync(path, 'utf8')) ? undefined : `${folder}/${file} exports no ${name}`
}

describe('docs/finding-your-way.md', () => {
  const rows = [...document.matchAll(ROW)]
  it('has at least ten questions, and no row of another form', () => {
    assert.ok(rows.length >= 10, `${rows.length} rows`)
    assert.equal(rows.length, document.split('\n').filter((line) => /^\| .*`src\//.test(line)).length)
  })
  it('names folders, files and exports that exist', () => {
    const faults = rows.map(([, question, folder = '', file = '', name = '']) => [
      question,
      faultOf(folder, file, name),
    ])
    assert.deepEqual(
      faults.filter(([, fault]) => fault !== undefined),
      [],
    )
  })
  it('would be found with a file or an export that is gone', () => {
    assert.equal(faultOf('src/core', 'paths.ts', 'compareNames'), undefined)
    assert.match(faultOf('src/gone', 'paths.ts', 'x') ?? '', /no README/)
    assert.match(faultOf('src/core', 'gone.ts', 'x') ?? '', /does not exist/)
    assert.match(faultOf('src/core', 'paths.ts', 'gone') ?? '', /exports no gone/)
  })
})
