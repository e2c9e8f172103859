import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Everybody may read, and start what is a program, whatever the builder's `umask` is. */
const FILE_MODE = 0o644
export const PROGRAM_MODE = 0o755

/** Writes a file of the package, with the directories above it. */
export function writePackaged(path: string, content: string | Buffer, mode = FILE_MODE): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  chmodSync(path, mode)
}

/** As `gzip -9n` does: neither a name nor a time in it, so that two builds are equal. */
export function writeCompressed(path: string, content: string): void {
  writePackaged(path, gzipSync(content, { level: 9 }))
}

/** Sets the modes of all directories and files; only those that are named are programs. */
export function setModes(directory: string, programs: readonly string[]): void {
  chmodSync(directory, PROGRAM_MODE)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) setModes(path, programs)
    else if (entry.isFile()) chmodSync(path, programs.includes(path) ? PROGRAM_MODE : FILE_MODE)
  }
}

/** What the files take on a disk, as Debian counts: each in whole KiB, and one for everything else. */
export function installedKib(directory: string): number {
  let sum = 0
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) sum += 1 + installedKib(path)
    else sum += entry.isFile() ? Math.ceil(statSync(path).size / 1_024) : 1
  }
  return sum
}

/** The checksums by which `dpkg --verify` finds changed files. */
export function checksums(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => relative(directory, join(parentPath, name))).sort()
  const sumOf = (path: string) =>
    createHash('md5')
      .update(readFileSync(join(directory, path)))
      .digest('hex')
  return paths.map((path) => `${sumOf(path)}  ${path}\n`).join('')
}
