import assert from 'node:assert/strict'
import { directoryNameOf } from '../../src/core/config/auto-accept.ts'
import { IgnoreRules } from '../../src/core/ignore/ignore.ts'
import { baseOf, cleanSub, conflictName, isTemporary, parentOf, temporaryName } from '../../src/core/paths.ts'
import { parseVersion, versionToText } from '../../src/core/records/version-vector.ts'
import { nameFault } from '../../src/protocol/names.ts'
import { ReferencePattern } from '../../test/fuzz/reference-pattern.ts'
import type { Target } from './targets.ts'
import { textOf } from './text.ts'

/** The line after which an input has paths instead of patterns. */
const PATHS_FROM = '\n\n'
const PATHS_MAX = 8
/** Lines that are compared with the reference. */
const LINES_MAX = 4
/** Lines of a file that is compared as a whole. */
const TOGETHER_MAX = 32
/** What a wildcard is replaced by, to get paths near the pattern. */
const FILLINGS = ['x', '/', 'x/y', '']

function checkName(name: string): void {
  if (nameFault(name) !== undefined) return
  assert.ok(!name.split('/').some((part) => part === '' || part === '.' || part === '..'))
  assert.ok(!name.startsWith('/'))
  if (name.includes('\0')) return
  const temporary = temporaryName(name, 'linux')
  assert.equal(parentOf(temporary), parentOf(name))
  assert.ok(isTemporary(temporary), 'a temporary file is recognized')
  assert.ok(Buffer.byteLength(baseOf(temporary)) <= 255)
  assert.equal(parentOf(conflictName(name, '20260101-000000', 'AAAAAAA')), parentOf(name))
}

/** One line alone decides as the reference does, on the given paths and on some that the pattern suggests. */
function checkLine(line: string, paths: readonly string[]): void {
  const reference = new ReferencePattern(line)
  if (!reference.isSimple) return
  const rules = new IgnoreRules([line])
  for (const name of [...paths, ...validNames(namesNear(line))]) {
    const isMatched = rules.decidingLine(name) !== undefined
    assert.equal(isMatched, reference.matches(name), `${JSON.stringify(line)} on ${JSON.stringify(name)}`)
  }
}

/** The lines of an ignore file, and the names that follow them in an input. */
function partsOf(text: string): { readonly lines: readonly string[]; readonly paths: readonly string[] } {
  const end = text.indexOf(PATHS_FROM)
  const paths = (end < 0 ? '' : text.slice(end + PATHS_FROM.length)).split('\n').slice(0, PATHS_MAX)
  return { lines: (end < 0 ? text : text.slice(0, end)).split('\n'), paths: validNames(paths) }
}

function validNames(paths: readonly string[]): readonly string[] {
  return paths.map((path) => path.normalize('NFC')).filter((name) => nameFault(name) === undefined)
}

/** Of several lines the first that fits decides, as by the references of all; others are left out. */
function checkLines(lines: readonly string[], paths: readonly string[]): void {
  const references = lines
    .map((line) => ({ line, pattern: new ReferencePattern(line) }))
    .filter(({ pattern }) => pattern.isSimple)
    .slice(0, TOGETHER_MAX)
  if (references.length < 2) return
  const together = references.map(({ line }) => line)
  const rules = new IgnoreRules(together)
  for (const name of [...paths, ...validNames(together.flatMap(namesNear))]) {
    const first = references.findIndex(({ pattern }) => pattern.matches(name))
    assert.equal(rules.decidingLine(name) ?? -1, first, `${JSON.stringify(together)} on ${JSON.stringify(name)}`)
  }
}

/** Names that a pattern suggests: of each class the first character, of alternatives the first or the last. */
function namesNear(line: string): string[] {
  const pattern = line.replace(/^(?:!|\(\?[id]\)|\/)+/, '').replace(/\[!?(.)[^\]]*\]/g, '$1')
  const chosen = [pattern.replace(/\{([^{},]*)[^{}]*\}/g, '$1'), pattern.replace(/\{(?:[^{}]*,)?([^{},]*)\}/g, '$1')]
  return [...new Set(chosen.flatMap((text) => FILLINGS.map((filling) => text.replace(/\*+|\?/g, filling))))]
}

export const NAME_TARGETS: readonly Target[] = [
  {
    name: 'names',
    words: ['../', './', '//', '\0', '.stfolder', '.syncthing.', '.tmp', '.sync-conflict-', 'é', 'CON', ':', '\\'],
    keptPerByteMax: 32,
    // Larger ones are refused before.
    grownBytesMax: 64 * 1024,
    run(input) {
      const text = textOf(input)
      checkName(text)
      const directory = directoryNameOf(text)
      assert.doesNotMatch(directory, /[/\0\r\n]|^\.{1,2}$/)
      const sub = cleanSub(text)
      assert.ok(sub === '' || nameFault(sub) === undefined, `the sub ${JSON.stringify(sub)}`)
      return sub
    },
  },
  {
    name: 'version-text',
    words: [':', ',', 'ffffffffffffffff', '1:1', '0'],
    keptPerByteMax: 64,
    run(input) {
      const version = parseVersion(textOf(input))
      if (version !== undefined) assert.deepEqual(parseVersion(versionToText(version)), version)
      return version
    },
  },
  {
    name: 'ignore',
    words: [
      '**',
      '*',
      '?',
      '[a-c]',
      '[!ab]',
      '{a,b}',
      '{[a-c],x}',
      '(?i)',
      '(?d)',
      '!',
      '\\',
      '/',
      '\n',
      '\n\na/b',
      'a',
    ],
    keptPerByteMax: 512,
    // Braces make many patterns of a few bytes.
    sizeBytesMax: 512,
    run(input) {
      const { lines, paths } = partsOf(textOf(input))
      const rules = new IgnoreRules(lines)
      for (const name of paths) rules.decidingLine(name)
      return rules.expanded
    },
    check(_expanded, input) {
      const { lines, paths } = partsOf(textOf(input))
      const rules = new IgnoreRules(lines)
      const again = new IgnoreRules(rules.lines)
      assert.deepEqual(again.expanded, rules.expanded)
      for (const name of paths) assert.equal(again.decidingLine(name), rules.decidingLine(name))
      for (const line of rules.lines.slice(0, LINES_MAX)) checkLine(line, paths)
      checkLines(rules.lines, paths)
    },
  },
]
