import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { folderRoot } from '../../../src/core/config/folder-root.ts'

const CASES: readonly (readonly [path: string, root: string])[] = [
  ['~', '/home/me'],
  ['~/Sync', '/home/me/Sync'],
  ['/data/docs/', '/data/docs'],
  ['docs', join(process.cwd(), 'docs')],
  ['./docs/../more', join(process.cwd(), 'more')],
  ['~other/docs', resolve('~other/docs')],
  ['  ', ''],
]

for (const [path, root] of CASES) {
  test(`the root of a folder at ${JSON.stringify(path)}`, () => assert.equal(folderRoot({ path }, '/home/me'), root))
}
