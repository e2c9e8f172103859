import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  lstatSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const KIB = 1024
/** Files of 2000 blocks and more get blocks of twice the size. */
const BLOCK_BORDER_BYTES = 2000 * 128 * KIB
/** 2021-03-04 05:06:07, for everything whose time is not the point. */
export const FIXED_S = 1_614_834_367

/** Every rule that the syntax knows: order, negation, roots, depth, case, classes, alternatives, escapes, includes. */
const IGNORE_LINES: readonly string[] = [
  '// a comment',
  '#include .stignore-shared',
  '',
  '!/ignores/kept.log',
  '*.log',
  '/ignores/rooted',
  'anywhere',
  '(?i)shouting',
  '(?d)disposable',
  '(?d)(?i)both-flags.txt',
  'ignores/[ab]-class.txt',
  'ignores/{red,green}.txt',
  'ignores/question-?.txt',
  'ignores/**/very-deep.txt',
  'ignores/escaped-\\*.txt',
  '!ignores/tree/inside/kept.txt',
  'ignores/tree',
]

const NAMES: readonly string[] = [
  'plain.txt',
  'ünïcödé/naïve café.txt',
  '日本語/ファイル.txt',
  'עברית/קובץ.txt',
  '😀 🎉/👩‍👩‍👧‍👦.txt',
  ' leading',
  'trailing ',
  'two  blanks',
  '"quoted"',
  "it's",
  'back\\slash',
  'new\nline',
  'tab\there',
  '%41 percent',
  '#hash',
  'question?',
  'a&b=c',
  'plus+plus',
  '-dash',
  '.hidden',
  '..two-dots',
  '...',
  'semi;colon:',
  '*star*',
  '[brackets]',
  '{braces}',
  '<angle>',
  '|pipe|',
  '$HOME',
  '`tick`',
  'ﬁ ligature',
  'ΑΒΓ/Ωmega',
  'x.sync-conflict-20210304-050607-ABCDEFG.txt',
  'CON',
  'aux.txt',
  'desktop.ini',
  'İstanbul',
  'ß/ẞ-sharp',
  '\u{10FFFF}high',
  'zero\u200bwidth',
  'x'.repeat(255),
  `${'é'.repeat(127)}a`,
  `deep/${Array.from({ length: 12 }, (_, level) => `level-${level}-${'d'.repeat(200)}`).join('/')}/leaf`,
]

/** Neither program may index these. */
const UNWANTED: readonly string[] = [
  '.syncthing.half-pulled.tmp',
  '~syncthing~half-pulled.tmp',
  '.stversions/old.txt',
  '.stfolder/inside.txt',
  'sub/.syncthing.half-pulled.tmp',
]

const IGNORED: readonly string[] = [
  'ignores/noise.log',
  'ignores/kept.log',
  'noise.log',
  'ignores/rooted',
  'ignores/sub/rooted',
  'anywhere',
  'ignores/anywhere/inside.txt',
  'ignores/SHOUTING',
  'ignores/Shouting/inside',
  'ignores/disposable',
  'ignores/Both-Flags.TXT',
  'ignores/a-class.txt',
  'ignores/c-class.txt',
  'ignores/red.txt',
  'ignores/blue.txt',
  'ignores/question-1.txt',
  'ignores/question-22.txt',
  'ignores/1/very-deep.txt',
  'ignores/1/2/3/very-deep.txt',
  'ignores/escaped-*.txt',
  'ignores/escaped-x.txt',
  'ignores/tree/inside/kept.txt',
  'ignores/tree/inside/lost.txt',
  'ignores/from-include.bak',
  'ignores/shouting-not/inside',
]

const SIZES_BYTES: readonly number[] = [
  0,
  1,
  127,
  128 * KIB - 1,
  128 * KIB,
  128 * KIB + 1,
  256 * KIB,
  3 * 128 * KIB + 7,
]
const SPARSE_SIZES_BYTES: readonly number[] = [BLOCK_BORDER_BYTES - 1, BLOCK_BORDER_BYTES]
const MODES: readonly number[] = [0o600, 0o644, 0o755, 0o444, 0o400, 0o777, 0o4755, 0o2755, 0o000, 0o111]
const TIMES: readonly string[] = [
  '2021-03-04T05:06:07.123456789Z',
  '1970-01-01T00:00:00Z',
  '1969-12-31T23:59:59.5Z',
  '1950-06-07T08:09:10Z',
  '2038-01-19T03:14:08Z',
  '2106-02-07T06:28:16Z',
  '2262-04-11T23:47:16.000000001Z',
]

/** Builds the tree twice, byte for byte and nanosecond for nanosecond the same. */
export function hardTreeTwice(parent: string): readonly [string, string] {
  const first = mkdtempSync(join(parent, 'tree-'))
  const second = `${first}-twin`
  buildHardTree(first)
  const copied = spawnSync('cp', ['-a', first, second], { encoding: 'utf8' })
  if (copied.status !== 0) throw new Error(copied.stderr)
  return [first, second]
}

/** Builds the tree once, below a directory that exists or not. */
export function buildHardTree(root: string): void {
  write(root, '.stignore', `${IGNORE_LINES.join('\n')}\n`)
  write(root, '.stignore-shared', '*.bak\n')
  for (const name of [...NAMES, ...UNWANTED, ...IGNORED]) write(root, name, `content of ${name}`)
  for (const sizeBytes of SIZES_BYTES) write(root, `sizes/${sizeBytes}`, Buffer.alloc(sizeBytes, `size ${sizeBytes} `))
  for (const sizeBytes of SPARSE_SIZES_BYTES) {
    write(root, `sizes/sparse-${sizeBytes}`, 'starts with this')
    truncateSync(join(root, `sizes/sparse-${sizeBytes}`), sizeBytes)
  }
  for (const mode of MODES) write(root, `modes/${mode.toString(8)}`, 'x', mode)
  for (const mode of [0o700, 0o755, 0o1777, 0o2775]) makeDirectory(root, `modes/directory-${mode.toString(8)}`, mode)
  makeDirectory(root, 'empty/also empty', 0o755)
  link(root, 'links/relative', '../plain.txt')
  link(root, 'links/dangling', 'nowhere/at all')
  link(root, 'links/absolute', '/etc/hostname')
  link(root, 'links/to-directory', '../sizes')
  link(root, 'links/to-itself', 'to-itself')
  link(root, 'links/ünï', '😀')
  linkSync(join(root, 'plain.txt'), join(root, 'hard-link.txt'))
  run('mkfifo', join(root, 'a-pipe'))
  writeFileSync(Buffer.concat([Buffer.from(`${root}/not-utf8-`), Buffer.from([0xff, 0xfe])]), 'not in any index')
  freeze(root)
  for (const [index, time] of TIMES.entries()) {
    write(root, `times/${index}`, `modified ${time}`)
    run('touch', '-d', time, join(root, `times/${index}`))
  }
  freeze(join(root, 'times'), { files: false })
}

export function write(root: string, name: string, content: string | Buffer, mode = 0o644): void {
  const path = join(root, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
  utimesSync(path, FIXED_S, FIXED_S)
}

function makeDirectory(root: string, name: string, mode: number): void {
  mkdirSync(join(root, name), { recursive: true })
  chmodSync(join(root, name), mode)
}

function link(root: string, name: string, target: string): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  symlinkSync(target, join(root, name))
}

function run(program: string, ...args: string[]): void {
  const result = spawnSync(program, args, { encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${program}: ${result.stderr}`)
}

/** Directories and symlinks get their times by accident; twins need the same ones. */
function freeze(directory: string, what: { readonly files: boolean } = { files: true }): void {
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(`${directory}/`), entry.name])
    if (entry.isDirectory()) freeze(path.toString(), what)
    else if (entry.isSymbolicLink() || what.files) lutimesSync(path, FIXED_S, FIXED_S)
  }
  utimesSync(directory, FIXED_S, FIXED_S)
}

/** Every name under the root that is valid text, as an index would spell it, in order. */
export function namesOnDisk(root: string, below = ''): string[] {
  const names: string[] = []
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (name.includes('\ufffd')) continue // not text: Node shows what it could not decode
    names.push(name)
    if (entry.isDirectory()) names.push(...namesOnDisk(root, name))
  }
  return names.sort()
}

/** What is on disk in comparable form, to compare what both programs left. */
export function describeDisk(root: string): Record<string, string> {
  const description: Record<string, string> = {}
  for (const name of namesOnDisk(root)) {
    const path = join(root, name)
    const state = lstatSync(path, { bigint: true })
    const detail = state.isSymbolicLink()
      ? readlinkSync(path)
      : state.isDirectory()
        ? ''
        : `${state.size} ${state.mtimeNs}`
    description[name] = `${state.mode.toString(8)} ${detail}`
  }
  return description
}
