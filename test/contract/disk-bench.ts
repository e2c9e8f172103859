import assert from 'node:assert/strict'
import type { Disk, DiskStat } from '../../src/platform/disk.ts'

/** One disk to try, with an empty directory on it. */
export interface DiskBench extends AsyncDisposable {
  readonly disk: Disk
  readonly root: string
  readonly umask: number
  /** Makes permission bits apply to the disk until disposal. */
  asOrdinaryUser(): Promise<Disposable>
  /** Whether it can exchange items. */
  readonly exchanges: boolean
  /** How far a time that is set may be from the time that is found, in today's decades. */
  readonly timeErrorNs: number
  /** Puts a file there whose name is the bytes `61 ff 62`. */
  putInvalidName(directory: string): Promise<void>
  /** Puts a named pipe there. */
  putPipe(path: string): Promise<void>
}

export type Spec = (text: string, check: (bench: DiskBench, disk: Disk, root: string) => Promise<void>) => void

export async function failsWith(code: string | RegExp, promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(error instanceof Error && 'code' in error, String(error))
    if (typeof code === 'string') assert.equal(error.code, code)
    else assert.match(String(error.code), code)
    return true
  })
}

export async function put(disk: Disk, path: string, data: string | Uint8Array): Promise<void> {
  await using file = await disk.open(path, 'create', 0o644)
  await file.write(typeof data === 'string' ? Buffer.from(data) : data, 0)
}

export async function readFully(
  file: { read(into: Uint8Array, positionBytes: number): Promise<number> },
  into: Uint8Array,
  positionBytes: number,
): Promise<number> {
  let done = 0
  while (done < into.length) {
    const count = await file.read(into.subarray(done), positionBytes + done)
    if (count === 0) break
    done += count
  }
  return done
}

export async function bytes(disk: Disk, path: string): Promise<Buffer> {
  await using file = await disk.open(path, 'read')
  const into = Buffer.alloc((await file.stat()).sizeBytes)
  return into.subarray(0, await readFully(file, into, 0))
}

export async function content(disk: Disk, path: string): Promise<string> {
  return (await bytes(disk, path)).toString()
}

export async function names(disk: Disk, path: string): Promise<string[]> {
  return (await disk.list(path)).map(({ name }) => name).sort()
}

/** Without the change stamp, which a rename changes. */
export function unstamped(stat: DiskStat): DiskStat {
  return { ...stat, changeStamp: 0 }
}

/** Repeated: the clock of a file system advances in steps of some milliseconds. */
export async function movesStamp(disk: Disk, path: string, change: () => Promise<void>): Promise<void> {
  const before = await disk.lstat(path)
  for (let attempt = 0; attempt < 10_000; attempt++) {
    await change()
    const now = await disk.lstat(path)
    assert.equal(now.modifiedS, before.modifiedS)
    assert.equal(now.inode, before.inode)
    if (now.changeStamp !== before.changeStamp) return
  }
  assert.fail('the change stamp does not move')
}

export function foundNs(found: DiskStat, aroundS: number): number {
  return (found.modifiedS - aroundS) * 1e9 + found.modifiedNs
}
