import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FACILITY_NAMES } from '../src/core/facilities.ts'
import { MAY_IMPORT, MAY_IMPORT_TYPES } from '../tools/layers.ts'

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.ts', { cwd: root }).sort()
const NOT_FACILITIES = ['core', 'world', 'rest', 'client', 'cli']

/** Modules of Node that touch the outside: only the real world may use them, besides those named here. */
const OUTSIDE = /from 'node:(fs|fs\/promises|net|http|https|tls|dgram|worker_threads|child_process|os|timers|timers\/promises)'/
const OUTSIDE_ALLOWED = [
  /^src\/world\/real\//,
  /^src\/cli\//,
  /^src\/main\//,
  // The transport for programs in Node, published as `twinfold/node`; the rest of the client runs in browsers too.
  /^src\/client\/node\.ts$/,
]

/** The imports of a file: the folder it reaches, the file in it, and whether only types come over. */
function imports(source: string): { folder: string; file: string; typesOnly: boolean }[] {
  const found: { folder: string; file: string; typesOnly: boolean }[] = []
  for (const match of source.matchAll(/(import|export)\s+(type\s+)?([^'"]*?)from\s+'(?:\.\.\/)+([a-z]+)\/([^']+)'/g)) {
    const names = match[3] ?? ''
    const allTypes = names.startsWith('{') && names.replace(/[{}]/g, '').split(',').every((part) => part.trim() === '' || part.trim().startsWith('type '))
    found.push({ folder: match[4]!, file: match[5]!, typesOnly: match[2] !== undefined || allTypes })
  }
  for (const match of source.matchAll(/import\('(?:\.\.\/)+([a-z]+)\/([^']+)'\)/g)) {
    found.push({ folder: match[1]!, file: match[2]!, typesOnly: false })
  }
  return found
}

test('tidy: there is something to look at', () => assert.ok(files.length > 30, `${files.length} source files`))

for (const file of files) {
  const folder = file.split('/')[1]!
  const source = readFileSync(join(root, file), 'utf8')

  test(`tidy: ${file} imports only downwards`, () => {
    const allowed = MAY_IMPORT[folder]
    assert.ok(allowed !== undefined, `${folder} is not in tools/layers.ts`)
    if (allowed.includes('*')) return
    for (const target of imports(source)) {
      if (target.folder === folder || target.folder === 'real' || target.folder === 'sim') continue
      const asTypes = target.typesOnly && MAY_IMPORT_TYPES[folder]?.includes(target.folder)
      assert.ok(allowed.includes(target.folder) || asTypes, `${folder} may not import ${target.folder}/${target.file}`)
    }
  })

  test(`tidy: ${file} asks the world for time, chance, disk and network`, () => {
    if (OUTSIDE_ALLOWED.some((pattern) => pattern.test(file))) return
    assert.doesNotMatch(source, /\b(Date\.now|Math\.random|setTimeout|setInterval|performance\.now)\(/, 'ask the world for it')
    assert.doesNotMatch(source, OUTSIDE, 'only world/real may use this module')
    assert.doesNotMatch(source, /new Date\(\)/, 'ask the clock')
  })

  test(`tidy: ${file} keeps the database to db/`, () => {
    if (folder !== 'db') assert.doesNotMatch(source, /'node:sqlite'/)
  })
}

test('tidy: only programs in Node load the transport for Node', () => {
  const gui = globSync('gui/**/*.{ts,tsx}', { cwd: root })
  for (const file of [...files, ...gui].filter((each) => /^(src\/(client|rest|core)|gui)\//.test(each))) {
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /['/]client\/node\.ts'|'\.\/node\.ts'/, `${file} runs in browsers`)
  }
})

test('tidy: a folder is a facility, or it may not log', () => {
  const folders = new Set(files.map((file) => file.split('/')[1]!))
  for (const folder of folders) {
    const known = NOT_FACILITIES.includes(folder) || FACILITY_NAMES.some((name) => name === folder)
    assert.ok(known, `src/${folder} is neither a facility nor one of ${NOT_FACILITIES.join(', ')}`)
  }
  for (const file of files) {
    if (!NOT_FACILITIES.includes(file.split('/')[1]!)) continue
    assert.doesNotMatch(readFileSync(join(root, file), 'utf8'), /\bLogger\b/, `${file} may not log`)
  }
})
