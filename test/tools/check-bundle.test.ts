import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkBundle } from '../../tools/check-bundle.ts'
import { scratchDirectory } from '../support/scratch.ts'

const PAGE = '<link rel="stylesheet" href="/assets/a.css"><script type="module" src="/assets/a.js"></script>'
const GOOD = {
  'a.css': '',
  'a.js': "import { x as y } from './b.js'; y()",
  'b.js': 'const q = () => 1; export { q as x }',
}

const CASES: readonly [
  what: string,
  page: string,
  files: Readonly<Record<string, string>>,
  error: RegExp | undefined,
][] = [
  ['a good one', PAGE, GOOD, undefined],
  ['no script', '<p></p>', GOOD, /no script/],
  ['a missing file', PAGE, { 'a.css': '' }, /names assets\/a\.js, which is missing/],
  ['a syntax error', PAGE, { ...GOOD, 'b.js': 'const =' }, /b\.js cannot be parsed/],
  [
    'an import of a missing file',
    PAGE,
    { 'a.css': '', 'a.js': "import './c.js'" },
    /imports \.\/c\.js, which is missing/,
  ],
  ['an import of a missing name', PAGE, { ...GOOD, 'b.js': 'export {}' }, /imports x, which nothing exports/],
]

for (const [what, page, files, error] of CASES) {
  test(`the check of a built page: ${what}`, () => {
    using scratch = scratchDirectory()
    mkdirSync(join(scratch.path, 'assets'))
    writeFileSync(join(scratch.path, 'index.html'), page)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch.path, 'assets', name), text)
    if (error === undefined) checkBundle(scratch.path)
    else assert.throws(() => checkBundle(scratch.path), error)
  })
}
