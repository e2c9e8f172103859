import type { NativeFunction, NativeLibrary } from './library.ts'
import type { PageRange } from './program-pages.ts'

/** A call with its arguments, to be run in this thread or another. */
export interface PreparedCall {
  readonly call: NativeFunction
  readonly args: readonly unknown[]
}

/** The calls of one system, in its numbers. Results are as in C: negative for a failure. */
export interface SystemCalls {
  exchange(from: string, to: string): PreparedCall
  renameNew(from: string, to: string): PreparedCall
  /** Two times of seconds and nanoseconds: access and modification. */
  setTimes(path: string, times: BigInt64Array): PreparedCall
  setTimesOf(descriptor: number, times: BigInt64Array): PreparedCall
  lock(descriptor: number): PreparedCall
  /** Of the whole file system that an open file is in; undefined where that is not known. */
  readonly syncFileSystem?: (descriptor: number) => PreparedCall
  /** Undefined where the C library lacks it. */
  readonly trim?: PreparedCall
  /** Takes unchanged pages of a mapped file out of this process; undefined where that is not known. */
  readonly dropPages?: (range: PageRange) => PreparedCall
  /** Undefined where attributes have another meaning than on Linux. */
  readonly attributes?: AttributeCalls
}

export interface AttributeCalls {
  list(path: string, into: Uint8Array): PreparedCall
  get(path: string, name: string, into: Uint8Array): PreparedCall
  set(path: string, name: string, value: Uint8Array): PreparedCall
  remove(path: string, name: string): PreparedCall
}

/** `LOCK_EX | LOCK_NB` */
const LOCK_NOW = 6

/** By its number, because musl has had no function for it for long. */
const RENAMEAT2: Readonly<Partial<Record<NodeJS.Architecture, number>>> = { x64: 316, arm64: 276 }

export function linuxCalls({ func }: NativeLibrary): SystemCalls {
  const [here, noReplace, exchange, noFollow] = [-100, 1, 2, 0x100]
  const number = RENAMEAT2[process.arch]
  if (number === undefined) throw new Error(`no native calls on ${process.arch}`)
  const syscall = func('syscall', 'long', ['long', 'int', 'str', 'int', 'str', 'uint'])
  return {
    ...commonCalls(func, here, noFollow),
    exchange: (from, to) => ({ call: syscall, args: [number, here, from, here, to, exchange] }),
    renameNew: (from, to) => ({ call: syscall, args: [number, here, from, here, to, noReplace] }),
    attributes: attributeCalls(func),
    syncFileSystem: syncFileSystemCall(func),
    dropPages: dropPagesCall(func),
    ...trimCall(func),
  }
}

export function macCalls({ func }: NativeLibrary): SystemCalls {
  const [here, noFollow, swap, exclusive] = [-2, 0x20, 2, 4]
  const rename = func('renamex_np', 'int', ['str', 'str', 'uint'])
  return {
    ...commonCalls(func, here, noFollow),
    exchange: (from, to) => ({ call: rename, args: [from, to, swap] }),
    renameNew: (from, to) => ({ call: rename, args: [from, to, exclusive] }),
  }
}

function syncFileSystemCall(func: NativeLibrary['func']): NonNullable<SystemCalls['syncFileSystem']> {
  const syncfs = func('syncfs', 'int', ['int'])
  return (descriptor) => ({ call: syncfs, args: [descriptor] })
}

/** Only glibc has it. */
function trimCall(func: NativeLibrary['func']): Pick<SystemCalls, 'trim'> {
  try {
    return { trim: { call: func('malloc_trim', 'int', ['size_t']), args: [0] } }
  } catch {
    return {}
  }
}

function dropPagesCall(func: NativeLibrary['func']): NonNullable<SystemCalls['dropPages']> {
  const dontNeed = 4
  const madvise = func('madvise', 'int', ['size_t', 'size_t', 'int'])
  return ({ address, sizeBytes }) => ({ call: madvise, args: [address, sizeBytes, dontNeed] })
}

type Common = Pick<SystemCalls, 'setTimes' | 'setTimesOf' | 'lock'>

function commonCalls(func: NativeLibrary['func'], here: number, noFollow: number): Common {
  const utimensat = func('utimensat', 'int', ['int', 'str', 'void *', 'int'])
  const futimens = func('futimens', 'int', ['int', 'void *'])
  const flock = func('flock', 'int', ['int', 'int'])
  return {
    setTimes: (path, times) => ({ call: utimensat, args: [here, path, times, noFollow] }),
    setTimesOf: (descriptor, times) => ({ call: futimens, args: [descriptor, times] }),
    lock: (descriptor) => ({ call: flock, args: [descriptor, LOCK_NOW] }),
  }
}

/** Of the item itself, also of a symlink. */
function attributeCalls(func: NativeLibrary['func']): AttributeCalls {
  const list = func('llistxattr', 'long', ['str', 'void *', 'size_t'])
  const get = func('lgetxattr', 'long', ['str', 'str', 'void *', 'size_t'])
  const set = func('lsetxattr', 'int', ['str', 'str', 'void *', 'size_t', 'int'])
  const remove = func('lremovexattr', 'int', ['str', 'str'])
  return {
    list: (path, into) => ({ call: list, args: [path, into, into.length] }),
    get: (path, name, into) => ({ call: get, args: [path, name, into, into.length] }),
    set: (path, name, value) => ({ call: set, args: [path, name, value, value.length, 0] }),
    remove: (path, name) => ({ call: remove, args: [path, name] }),
  }
}
