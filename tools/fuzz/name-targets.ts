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
  for (const path of [...paths, ...namesNear(line)]) {
    const name = path.normalize('NFC')
    if (nameFault(name) !== undefined) continue
    const isMatched = rules.decidingLine(name) !== undefined
    assert.equal(isMatched, reference.matches(name), `${JSON.stringify(line)} on ${JSON.stringify(name)}`)
  }
}

/** Of several lines the first that fits decides, as by the references of all. */
function checkLines(rules: IgnoreRules, paths: readonly string[]): void {
  const lines = [...rules.lines.entries()].filter(([, line]) => line !== '' && !line.startsWith('//'))
  if (lines.length < 2 || lines.length > TOGETHER_MAX) return
  const references = lines.map(([index, line]) => ({ index, pattern: new ReferencePattern(line) }))
  if (!references.every(({ pattern }) => pattern.isSimple)) return
  const names = [...paths, ...lines.flatMap(([, line]) => namesNear(line))].map((path) => path.normalize('NFC'))
  for (const name of names.filter((each) => nameFault(each) === undefined)) {
    const first = references.find(({ pattern }) => pattern.matches(name))?.index
    assert.equal(rules.decidingLine(name), first, `${JSON.stringify(rules.lines)} on ${JSON.stringify(name)}`)
  }
}

/** Names that a pattern suggests. */
function namesNear(line: string): string[] {
  const pattern = line.replace(/^(?:!|\(\?[id]\)|\/)+/, '')
  return FILLINGS.map((filling) => pattern.replace(/\*+|\?/g, filling))
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
    words: ['**', '*', '?', '[a-c]', '{a,b}', '(?i)', '(?d)', '!', '\\', '/', '\n', '\n\na/b', 'a'],
    keptPerByteMax: 512,
    // Braces make many patterns of a few bytes.
    sizeBytesMax: 512,
    run(input) {
      const text = textOf(input)
      const end = text.indexOf(PATHS_FROM)
      const rules = new IgnoreRules((end < 0 ? text : text.slice(0, end)).split('\n'))
      const again = new IgnoreRules(rules.lines)
      assert.deepEqual(again.expanded, rules.expanded)
      const paths = (end < 0 ? '' : text.slice(end + PATHS_FROM.length)).split('\n').slice(0, PATHS_MAX)
      for (const path of paths) {
        const name = path.normalize('NFC')
        if (nameFault(name) === undefined) assert.equal(again.decidingLine(name), rules.decidingLine(name))
      }
      for (const line of rules.lines.slice(0, LINES_MAX)) checkLine(line, paths)
      checkLines(rules, paths)
      return rules.expanded
    },
  },
]
