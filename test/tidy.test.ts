/** The rules of the source tree that can be read off its files: docs/architecture.md gives the reasons. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { FACILITY_NAMES } from '../src/core/facilities.ts'
import { architectureSvg } from '../tools/draw-imports.ts'
import { parseTests, testsWithoutAssertion, uncountedFigures } from '../tools/assertions.ts'
import { circlesIn, filesOf, readImports } from '../tools/imports.ts'
import { bareExports, privateWords, PRIVATE_WORDS } from '../tools/names.ts'
import { longFile, longFunctions, longLines } from '../tools/sizes.ts'
import { folderOf, frontDoors, NOT_FACILITIES, PLANTED, RULES, sourceOf } from './support/source-rules.ts'

const root = join(import.meta.dirname, '..')
const sources = filesOf(root, 'src/**/*.ts').map((file) => sourceOf(file, readFileSync(join(root, file), 'utf8')))

describe('every source file', () => {
  it('is looked at', () => assert.ok(sources.length > 400, `${sources.length} source files`))
  for (const [rule, faultsOf] of Object.entries(RULES)) {
    it(rule, () => {
      const faults = sources.flatMap((source) => faultsOf(source).map((fault) => `${source.file}: ${fault}`))
      assert.deepEqual(faults, [])
    })
  }
})

/**
 * Files that need each other: the types of schemas name components, which are schemas themselves; the table of commands
 * loads the handler of `help`, which prints the table, only when it runs.
 */
const CYCLES_ALLOWED = [/^src\/rest\//, /^src\/main\/commands\//]

describe('imports', () => {
  it('run in no circle', () => {
    const graph = new Map(sources.map(({ file, imports }) => [file, imports.map(({ target }) => target)]))
    const circles = circlesIn(graph).filter(
      (files) => !CYCLES_ALLOWED.some((allowed) => files.every((file) => allowed.test(file))),
    )
    assert.deepEqual(circles, [])
  })

  it('are drawn with a box for every folder', () => {
    const drawn = architectureSvg()
    for (const folder of new Set(sources.map(({ file }) => folderOf(file))))
      assert.ok(drawn.includes(`>${folder}<`), folder)
  })

  it('in a circle are found', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'x']],
      ['c', ['a']],
      ['d', ['a']],
    ])
    assert.deepEqual(circlesIn(graph), [['a', 'b', 'c']])
  })
})

describe('a planted fault is found by the rule', () => {
  for (const [rule, [file, text]] of Object.entries(PLANTED)) {
    it(rule, () => assert.notDeepEqual(RULES[rule]!(sourceOf(file, text)), []))
  }
  it('and every rule has one', () => assert.deepEqual(Object.keys(PLANTED), Object.keys(RULES)))
  it('also as a call', () => {
    const rule = RULES['takes time, chance, disk and network as arguments']!
    for (const call of ['Date.now()', 'Math.random()', 'setTimeout(a)', 'new Date()']) {
      assert.notDeepEqual(rule(sourceOf('src/core/x.ts', `const a = ${call}`)), [], call)
    }
  })
})

describe('a function with too many parameters', () => {
  const rule = RULES['has functions of few parameters']!
  const faults = (file: string, text: string) => rule(sourceOf(file, text)).length
  const forms = (count: number) => {
    const list = Array.from({ length: count }, (_, at) => `p${at}`).join(', ')
    return [`function f(${list}) {}`, `const f = (${list}) => 1`, `class A { constructor(${list}) {} }`]
  }

  it('is a fault in every form, and in the heart of the program with one less', () => {
    for (const [file, max] of [
      ['src/db/x.ts', 5],
      ['src/model/peers/x.ts', 5],
      ['src/model/content/x.ts', 4],
      ['src/model/puller/x.ts', 4],
    ] as const) {
      for (const text of forms(max)) assert.equal(faults(file, text), 0, `${file}: ${text}`)
      for (const text of forms(max + 1)) assert.equal(faults(file, text), 1, `${file}: ${text}`)
    }
  })
})

describe('a list that is spread into a call', () => {
  const rule = RULES['spreads no list of unknown length into a call']!
  const faults = (text: string) => rule(sourceOf('src/core/x.ts', text)).length

  it('is a fault in every form', () => {
    for (const text of [
      'list.push(...others)',
      'new Thing(1, ...others)',
      'String.fromCharCode(...bytes)',
      'list.push(...(a ? [1] : others))',
      'list.push(...[1, ...others])',
      'function f(others) { g(...others) }',
      'const rest = []; function f(...rest) {} g(...rest)',
    ])
      assert.equal(faults(text), 1, text)
  })

  it('is none where its length is known or stated, and in lists and objects', () => {
    for (const text of [
      'list.push(...[1, 2])',
      'goTo(...(a ? [] : [b]))',
      'function f(...rest) { g(...rest) }',
      'const f = (a, ...rest) => g(a, ...rest)',
      'list.push(...pair) // at most two',
      '// At most two.\nlist.push(...pair)',
      'const all = [...others], both = { ...others }',
    ])
      assert.equal(faults(text), 0, text)
  })
})

describe('a condition on the text of an error', () => {
  const rule = RULES['branches on codes, not on messages']!
  const faults = (text: string) => rule(sourceOf('src/core/x.ts', text)).length

  it('is a fault in every form', () => {
    for (const text of [
      "messageOf(error) === 'gone'",
      "error.message !== 'gone'",
      'error.message === GONE',
      "message.includes('gone')",
      "(messageOf(error)).startsWith('gone')",
      '/gone/.test(error.message)',
      '/gone/.exec(messageOf(error))',
      "switch (message) { case 'gone': }",
      "reason === 'it is gone'",
      "failure.text.endsWith('it is gone')",
    ])
      assert.equal(faults(text), 1, text)
  })

  it('is none where codes are compared, two texts, or texts that have no code', () => {
    for (const text of [
      "failure.reason === 'timeout'",
      "text.startsWith('~')",
      'state.error === messageOf(error)',
      "// The program gives only texts.\nreason === 'it is gone'",
    ])
      assert.equal(faults(text), 0, text)
  })
})

/** A reader of a large folder needs to know what each file is for. */
const FILES_WITHOUT_GUIDE_MAX = 10

function unnamedFiles(files: readonly string[], readme: string): readonly string[] {
  if (files.length <= FILES_WITHOUT_GUIDE_MAX) return []
  const guide = readme.replace(/^Front door: .*$/m, '')
  const named = new Set(Array.from(guide.matchAll(/`([\w-]+)(?:\.ts)?`/g), ([, name]) => `${name}.ts`))
  return files.filter((file) => !named.has(file))
}

describe('every folder', () => {
  const folders = [...new Set(sources.map(({ file }) => dirname(file)))].filter((folder) => folder !== 'src')

  it('is a facility, or may not log', () => {
    const unknown = [...new Set(sources.map(({ file }) => folderOf(file)))].filter(
      (name) => !NOT_FACILITIES.includes(name) && !FACILITY_NAMES.some((facility) => facility === name),
    )
    assert.deepEqual(unknown, [])
  })

  it('has a README with its purpose, its front door and what may not enter', () => {
    for (const folder of folders) {
      const readme = join(root, folder, 'README.md')
      assert.ok(existsSync(readme), `${folder}/README.md is missing`)
      const text = readFileSync(readme, 'utf8')
      assert.match(text, /^Front door: (`[\w-]+\.ts`|every file|none)/m, `${folder}/README.md names its front door`)
      assert.match(text, /^Not here: \S/m, `${folder}/README.md states what may not enter`)
      assert.ok(text.split('\n').length <= 20, `${folder}/README.md is short`)
    }
  })

  it('with more than ten files has a README that names each of them', () => {
    const unnamed = folders.flatMap((folder) => {
      const files = sources.filter(({ file }) => dirname(file) === folder).map(({ file }) => basename(file))
      return unnamedFiles(files, readFileSync(join(root, folder, 'README.md'), 'utf8')).map(
        (file) => `${folder}/${file}`,
      )
    })
    assert.deepEqual(unnamed, [])
    const eleven = Array.from('abcdefghijk', (letter) => `${letter}.ts`)
    const readme = '`a.ts`, `b`, `c` `d.ts` `e` `f` `g` `h` `i`, j.ts and `kk.ts`\nFront door: `k.ts`'
    assert.deepEqual(unnamedFiles(eleven, readme), ['j.ts', 'k.ts'])
    assert.deepEqual(unnamedFiles(eleven.slice(0, 10), ''), [])
  })

  it('has only front doors that exist', () => {
    const missing = folders.flatMap(frontDoors).filter((file) => !existsSync(join(root, file)))
    assert.deepEqual(missing, [])
  })

  it('has no file that nothing reaches', () => {
    const imported = new Set(sources.flatMap(({ imports }) => imports.map(({ target }) => target)))
    const entries =
      /^src\/(main\/(bin|container|single-file\/entry)|client\/(public|node))\.ts$|-worker\.ts$|^src\/platform\/sim\//
    const unreached = sources.map(({ file }) => file).filter((file) => !entries.test(file) && !imported.has(file))
    assert.deepEqual(unreached, [])
  })
})

const TEXTS = /^gui\/i18n\/tables\//
const FIXTURES = /^test\/(fixtures|vectors)\/|\/node_modules\//

describe('every file of src, gui, tools, test and bench', () => {
  const files = filesOf(root, '{src,gui,tools,test,bench}/**/*.{ts,tsx,mts,mjs,css}').filter(
    (file) => !FIXTURES.test(file),
  )
  const faults = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    // A table of texts has as many entries as the page has texts, and a text is one line in each language.
    const sizes = TEXTS.test(file) ? [] : [...longFile(text), ...longLines(text)]
    return [...sizes, ...longFunctions(file, text)].map((fault) => `${file}: ${fault}`)
  })

  it('has files, functions and lines within the limits of length', () => assert.deepEqual(faults, []))
  it('would be found with one line, function or character too many', () => {
    const lines = (count: number) => 'a()\n'.repeat(count)
    assert.deepEqual([longFile(lines(450)).length, longFile(lines(451)).length], [0, 1])
    assert.deepEqual([longLines('x'.repeat(120)).length, longLines('x'.repeat(121)).length], [0, 1])
    for (const [before, after] of [
      ['function f() {', '}'],
      ['const f = async () => {', '}'],
      ['class A { #f() {', '}}'],
      ["it('is long', () => {", '})'],
    ]) {
      const found = [88, 89].map((count) => longFunctions('x.ts', `${before}\n${lines(count)}${after}\n`).length)
      assert.deepEqual(found, [0, 1], before)
    }
    const block = `describe('a', () => {\n${"it('is short', () => {\n})\n".repeat(60)}})\n`
    assert.deepEqual(longFunctions('x.ts', block), [])
  })
})

describe('every name', () => {
  const files = filesOf(root, '{src,gui,tools,test,bench}/**/*.{ts,tsx}').filter(
    (file) => !FIXTURES.test(file) && !TEXTS.test(file) && file !== 'tools/names.ts',
  )
  it('stands alone in a list of imports, and is a word of the field', () => {
    const faults = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return [...bareExports(file, text), ...privateWords(text)].map((fault) => `${file}: ${fault}`)
    })
    assert.deepEqual(faults, [])
  })
  it('would be found without a noun, in every form', () => {
    for (const text of [
      'export function own() {}',
      'export const AT = 1',
      'export class Kept {}',
      'export type Go = 1',
    ])
      assert.equal(bareExports('x.ts', text).length, 1, text)
    assert.deepEqual(bareExports('x.ts', 'const one = 1\nexport const readOne = 1\nexport { one as other }'), [
      '"other" says nothing in a list of imports',
    ])
  })
  it('would be found as a private word, alone or in a name', () => {
    for (const word of PRIVATE_WORDS) {
      const capital = `${word[0]!.toUpperCase()}${word.slice(1)}`
      for (const name of [word, `is${capital}`, `${word}Rows`, `${word.toUpperCase()}_MS`])
        assert.equal(privateWords(`const ${name} = 1`).length, 1, name)
    }
    assert.deepEqual(privateWords('const hasNoBody = "nobody", calmly = 1'), [])
  })
})

describe('every figure that a test prints', () => {
  it('is counted', () => {
    const files = filesOf(root, 'test/**/*.ts').filter((file) => !FIXTURES.test(file))
    const faults = files.flatMap((file) =>
      uncountedFigures(file, readFileSync(join(root, file), 'utf8')).map((name) => `${file}: ${name}`),
    )
    assert.deepEqual(faults, [])
  })
  it('would be found as a literal zero', () => {
    assert.deepEqual(uncountedFigures('x.ts', "reportRow({ id: 'A-01', tried: 3, lost: 0, torn })"), ['lost'])
  })
})

describe('every test', () => {
  const files = filesOf(root, 'test/**/*.ts').filter((file) => !FIXTURES.test(file))
  const parsed = new Map(files.map((file) => [file, parseTests(file, readFileSync(join(root, file), 'utf8'))]))
  const known = new Map<string, readonly string[]>()
  const importsOf = (file: string) => {
    const targets = known.get(file) ?? readImports(root, file).map(({ target }) => target)
    known.set(file, targets)
    return targets
  }

  it('asserts something, or states in a comment what hangs without the behaviour', () => {
    const bare = files.flatMap((file) => {
      const reached = reachable(file, (one) => importsOf(one).filter((target) => parsed.has(target)))
      const imported = [...reached].map((target) => parsed.get(target)!)
      return testsWithoutAssertion(parsed.get(file)!, imported).map(({ line, title }) => `${file}:${line} ${title}`)
    })
    assert.deepEqual(bare, [])
  })
  it('would be found without an assertion', () => {
    const bare = (text: string, imported = '') =>
      testsWithoutAssertion(parseTests('a.test.ts', text), [parseTests('b.ts', imported)]).length
    assert.equal(bare("it('a', () => { run() })"), 1)
    assert.equal(bare("it('a', () => { check() })\nfunction check() { run() }"), 1)
    assert.equal(bare("it('a', () => { check() })\nfunction check() { assert.ok(1) }"), 0)
    assert.equal(bare("it('a', async () => { await b.settled() })", 'class B { settled() { until(() => true) } }'), 0)
    assert.equal(bare("it('a', async () => { await end // hangs if it is lost\n })"), 0)
    const wrapper = 'function spec(name: string, body: () => void) { it(`x ${name}`, () => body()) }\n'
    assert.equal(bare(`${wrapper}spec('a', () => { assert.ok(1) })`), 0)
    assert.equal(bare(`${wrapper}spec('a', () => { run() })`), 1)
  })
})

function reachable(file: string, next: (file: string) => readonly string[], seen = new Set<string>()): Set<string> {
  for (const target of next(file)) {
    if (seen.has(target)) continue
    seen.add(target)
    reachable(target, next, seen)
  }
  return seen
}
