import type { DiskStat, DiskType, SyncDisk } from '../../src/platform/disk.ts'

export interface MemoryItem {
  readonly type: DiskType
  readonly target?: string
  readonly modifiedS?: number
  readonly sizeBytes?: number
}

/**
 * A tree of names for tests of walking: `'a/'` is a directory, everything else a file unless an item specifies more.
 */
export class MemoryTree implements SyncDisk {
  readonly items = new Map<string, MemoryItem>()
  readonly #failures = new Map<string, string>()

  constructor(paths: readonly string[] = []) {
    for (const path of paths) this.add(path.replace(/\/$/, ''), { type: path.endsWith('/') ? 'directory' : 'file' })
  }

  add(path: string, item: MemoryItem): void {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      if (!this.items.has(path.slice(0, slash))) this.items.set(path.slice(0, slash), { type: 'directory' })
    }
    this.items.set(path, item)
  }

  fail(call: 'lstat' | 'list', path: string, code: string): void {
    this.#failures.set(`${call} ${path}`, code)
  }

  lstat(path: string): DiskStat {
    const name = this.#check('lstat', path)
    const item = this.items.get(name)
    if (item === undefined) throw failure('ENOENT', path)
    return {
      type: item.type,
      sizeBytes: item.sizeBytes ?? 1,
      modifiedS: item.modifiedS ?? 1,
      modifiedNs: 0,
      mode: 0o644,
      userId: 0,
      groupId: 0,
      deviceId: 1n,
      inode: 1n,
    }
  }

  list(path: string): readonly { name: string; valid: boolean }[] {
    const directory = this.#check('list', path)
    if (directory !== '' && this.items.get(directory)?.type !== 'directory') throw failure('ENOTDIR', path)
    const prefix = directory === '' ? '' : `${directory}/`
    return [...this.items.keys()]
      .filter((name) => name.startsWith(prefix) && name !== directory && !name.slice(prefix.length).includes('/'))
      .map((name) => ({ name: name.slice(prefix.length), valid: true }))
  }

  readSymlink(path: string): string {
    return this.items.get(this.#check('lstat', path))?.target ?? ''
  }

  read(): number {
    return 0
  }

  removeFile(_root: string, name: string): void {
    this.items.delete(name)
  }

  #check(call: string, path: string): string {
    const name = path === '/root' ? '' : path.slice('/root/'.length)
    const code = this.#failures.get(`${call} ${name}`)
    if (code !== undefined) throw failure(code, path)
    return name
  }
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: made to fail, lstat '${path}'`), { code })
}
