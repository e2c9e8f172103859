import {
  chmodSync,
  lutimesSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { FIXED_S, KIB, write } from './hard-tree.ts'

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
  { title: 'change what is ignored', change: (root) => write(root, 'sizes/1', 'ignored content') },
  { title: 'delete what is ignored', change: deleteIgnored },
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

/** The time of the directory is the same in both trees, which are not changed in the same moment. */
function deleteIgnored(root: string): void {
  rmSync(join(root, 'sizes/0'))
  utimesSync(join(root, 'sizes'), FIXED_S, FIXED_S)
}

function threeNewFiles(root: string): void {
  for (const number of [1, 2, 3]) write(root, `sizes/new-${number}`, `number ${number}`)
}
