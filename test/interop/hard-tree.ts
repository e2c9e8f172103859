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
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

const KIB = 1024
/** Files of 2000 blocks and more get blocks of twice the size. */
const BLOCK_BORDER_BYTES = 2000 * 128 * KIB
/** 2021-03-04 05:06:07, for everything whose time is not the point. */
const FIXED_S = 1_614_834_367

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

function write(root: string, name: string, content: string | Buffer, mode = 0o644): void {
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

/** What is on disk in comparable form, to see that both programs left it alike. */
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

export interface Step {
  readonly title: string
  change(root: string): void
  /** Scan only these; the whole folder when empty. */
  readonly subs?: readonly string[]
}

/** What people and programs do to their files, one thing at a time. */
export const STEPS: readonly Step[] = [
  { title: 'edit a file', change: (root) => write(root, 'plain.txt', 'edited, and longer than before') },
  { title: 'edit a file to the same size', change: (root) => sameSizeEdit(root, 'sizes/127') },
  { title: 'touch a file', change: (root) => utimesSync(join(root, 'sizes/1'), FIXED_S + 99, FIXED_S + 99) },
  {
    title: 'grow over a block border',
    change: (root) => write(root, 'sizes/131072', Buffer.alloc(128 * KIB + 1, 'y')),
  },
  { title: 'empty a file', change: (root) => write(root, 'sizes/131073', '') },
  { title: 'chmod a file', change: (root) => chmodSync(join(root, 'modes/644'), 0o755) },
  { title: 'chmod a directory', change: (root) => chmodSync(join(root, 'modes/directory-755'), 0o700) },
  { title: 'rename a file', change: (root) => renameSync(join(root, 'modes/600'), join(root, 'modes/renamed')) },
  {
    title: 'rename a directory with children',
    change: (root) => renameSync(join(root, '日本語'), join(root, '한국어')),
  },
  { title: 'delete a file', change: (root) => rmSync(join(root, "it's")) },
  {
    title: 'delete a tree, noticed by sub',
    change: (root) => rmSync(join(root, 'deep'), { recursive: true }),
    subs: ['deep'],
  },
  { title: 'a file becomes a directory', change: fileToDirectory },
  { title: 'a directory becomes a file', change: directoryToFile },
  { title: 'a file becomes a symlink', change: fileToLink },
  { title: 'a symlink gets another target', change: retarget },
  { title: 'a new file, noticed by sub', change: (root) => write(root, 'fresh.txt', 'new'), subs: ['fresh.txt'] },
  { title: 'two of three new files by sub', change: threeNewFiles, subs: ['sizes/new-1', 'sizes/new-2'] },
  { title: 'the third by a whole scan', change: () => {} },
  { title: 'ignore what was indexed', change: (root) => ignore(root, ['sizes', '/modes/*5*'], 1) },
  { title: 'change what is ignored', change: (root) => write(root, 'sizes/1', 'nobody shall see this') },
  { title: 'delete what is ignored', change: (root) => rmSync(join(root, 'sizes/0')) },
  { title: 'no longer ignore it', change: (root) => ignore(root, ['/modes/*5*'], 2) },
  { title: 'no ignore file', change: (root) => rmSync(join(root, '.stignore')) },
  { title: 'a deleted file comes back', change: (root) => write(root, "it's", 'back again') },
  { title: 'a name that is decomposed Unicode', change: (root) => write(root, 'de\u0301compose\u0301.txt', 'NFD') },
  { title: 'change only the case of a name', change: (root) => renameSync(join(root, 'CON'), join(root, 'Con')) },
]

/** Each time a time of its own: Syncthing reads the file again only when that has changed. */
function ignore(root: string, lines: readonly string[], number: number): void {
  write(root, '.stignore', `${lines.join('\n')}\n`)
  utimesSync(join(root, '.stignore'), FIXED_S + number, FIXED_S + number)
}

function sameSizeEdit(root: string, name: string): void {
  const content = readFileSync(join(root, name))
  content[0] = (content[0] ?? 0) ^ 1
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), FIXED_S + 1, FIXED_S + 1)
}

function fileToDirectory(root: string): void {
  rmSync(join(root, '#hash'))
  write(root, '#hash/inside.txt', 'was a file')
  utimesSync(join(root, '#hash'), FIXED_S, FIXED_S)
}

function directoryToFile(root: string): void {
  rmSync(join(root, 'ünïcödé'), { recursive: true })
  write(root, 'ünïcödé', 'was a directory')
}

function fileToLink(root: string): void {
  rmSync(join(root, 'aux.txt'))
  symlinkSync('plain.txt', join(root, 'aux.txt'))
  lutimesSync(join(root, 'aux.txt'), FIXED_S, FIXED_S)
}

function retarget(root: string): void {
  rmSync(join(root, 'links/dangling'))
  symlinkSync('elsewhere', join(root, 'links/dangling'))
  lutimesSync(join(root, 'links/dangling'), FIXED_S, FIXED_S)
}

function threeNewFiles(root: string): void {
  for (const number of [1, 2, 3]) write(root, `sizes/new-${number}`, `number ${number}`)
}
