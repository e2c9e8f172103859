import { constants, lstat, open, unlink, type FileHandle } from 'node:fs/promises'
import { createServer } from 'node:net'
import { systemCode } from '../../../core/errors.ts'
import { DiskError } from '../../disk-error.ts'
import type { LockOptions } from '../../disk.ts'
import type { Posix } from '../native/posix.ts'

/** BSD and macOS: `open` itself takes the same lock as flock(2). Node does not define it. */
const O_EXLOCK_BSD = 0x20
/** Windows, flag of libuv: no other process may open the file. */
const O_EXLOCK_WINDOWS = 0x10000000

const ATTEMPTS_MAX = 10

interface Held {
  readonly handle: FileHandle
  release(): Promise<void>
}

/**
 * The same lock as Syncthing: flock(2) on the file, which the system drops with the process, so a leftover file does
 * not block. Removes the file at release, unless `leaveFile` is set.
 */
export async function lockFile(
  path: string,
  options: LockOptions,
  native: Pick<Posix, 'lock'> | undefined,
): Promise<AsyncDisposable | undefined> {
  // A release removes the file while it is locked. A process that had it open then locks a file without a name, and
  // another could lock a new one: so the locked file must still have the name.
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const held = await tryLock(path, native)
    if (held === undefined) return undefined
    try {
      if (await isSameFile(held.handle, path)) return disposable(held, options.leaveFile === true ? undefined : path)
    } catch (error) {
      await held.release()
      throw error
    }
    await held.release()
  }
  return undefined // locked and released repeatedly by others
}

/** `path` is the file to remove with the lock. */
function disposable(held: Held, path: string | undefined): AsyncDisposable {
  let released: Promise<void> | undefined
  const remove = async (): Promise<void> => {
    if (path !== undefined) await unlink(path).catch(() => {}) // a leftover file does no harm
  }
  const release = async (): Promise<void> => {
    if (process.platform !== 'win32') await remove()
    await held.release()
    if (process.platform === 'win32') await remove() // an open file cannot be removed there
  }
  return { [Symbol.asyncDispose]: () => (released ??= release()) }
}

async function tryLock(path: string, native: Pick<Posix, 'lock'> | undefined): Promise<Held | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  if (native !== undefined) return await lockNatively(await open(path, flags, 0o600), native)
  switch (process.platform) {
    case 'linux':
      return lockOnLinux(await open(path, flags, 0o600), path)
    case 'win32':
      return lockByOpening(path, flags | O_EXLOCK_WINDOWS, ['EBUSY', 'EACCES'])
    default:
      return lockByOpening(path, flags | O_EXLOCK_BSD, ['EAGAIN', 'EWOULDBLOCK'])
  }
}

async function lockNatively(handle: FileHandle, native: Pick<Posix, 'lock'>): Promise<Held | undefined> {
  try {
    if (native.lock(handle.fd)) return { handle, release: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

async function lockByOpening(path: string, flags: number, held: readonly string[]): Promise<Held | undefined> {
  try {
    const handle = await open(path, flags, 0o600)
    return { handle, release: () => handle.close() }
  } catch (error) {
    if (held.includes(systemCode(error) ?? '')) return undefined
    throw error
  }
}

async function lockOnLinux(handle: FileHandle, path: string): Promise<Held | undefined> {
  try {
    const outcome = await runFlock(handle.fd, path)
    const socket = outcome === 'no-command' ? await bindName(handle) : undefined
    if (outcome === 'held' || socket === 'held') {
      await handle.close()
      return undefined
    }
    const release = async (): Promise<void> => {
      await socket?.[Symbol.asyncDispose]()
      await handle.close()
    }
    return { handle, release }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Without the native call: util-linux and busybox have a command. The lock belongs to the open file, not to the
 * process: the command locks the inherited descriptor 3 and exits, and the lock stays with our handle.
 */
function runFlock(descriptor: number, path: string): Promise<'locked' | 'held' | 'no-command'> {
  const { promise, resolve, reject } = Promise.withResolvers<'locked' | 'held' | 'no-command'>()
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'pipe', descriptor] })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(0, 500)))
  child.once('error', (error) => (systemCode(error) === 'ENOENT' ? resolve('no-command') : reject(error)))
  child.once('close', (code) => {
    if (code === 0) resolve('locked')
    else if (code === 1 && complaint === '') resolve('held')
    else reject(new DiskError('ENOLCK', complaint.trim() || `flock ended with ${code}`, 'lock', path))
  })
  return promise
}

/**
 * Without the command: an abstract socket name derived from device and inode, which only one process can bind and which
 * disappears with it. Separates Twinfold processes of one network namespace; Syncthing does not see it.
 */
async function bindName(handle: FileHandle): Promise<AsyncDisposable | 'held'> {
  const { dev, ino } = await handle.stat({ bigint: true })
  const server = createServer((socket) => socket.destroy())
  const { promise, resolve, reject } = Promise.withResolvers<AsyncDisposable | 'held'>()
  server.once('error', (error) => (systemCode(error) === 'EADDRINUSE' ? resolve('held') : reject(error)))
  server.listen(`\0twinfold-lock-${dev}-${ino}`, () => {
    server.unref()
    resolve({ [Symbol.asyncDispose]: () => new Promise((done) => server.close(() => done())) })
  })
  return promise
}

async function isSameFile(handle: FileHandle, path: string): Promise<boolean> {
  const ours = await handle.stat({ bigint: true })
  try {
    const named = await lstat(path, { bigint: true })
    return ours.dev === named.dev && ours.ino === named.ino
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
