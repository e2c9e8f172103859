import { fileURLToPath } from 'node:url'

type CType = 'int' | 'uint' | 'long' | 'size_t' | 'str' | 'void *'

/** A C function. The asynchronous form runs in a thread of Node, where its errno cannot be read. */
export interface NativeFunction {
  (...args: readonly unknown[]): number
  async(...args: readonly [...unknown[], (error: unknown, result: number) => void]): void
}

/** The part of the foreign function library that is used. */
export interface NativeLibrary {
  /** A function of the C library; throws where it has none of this name. */
  func(name: string, result: CType, args: readonly CType[]): NativeFunction
  /** The error of the last synchronous call. */
  errno(): number
}

interface Koffi {
  load(path: null): Pick<NativeLibrary, 'func'>
  errno(): number
}

/** One file for each C library of Linux; the one for another cannot be loaded. */
const FOLDERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['linux', 'musl'],
  darwin: ['darwin'],
}

/**
 * Loads the package for this machine. Its native file is loaded directly: with the loader of the package it takes
 * 4 MiB instead of 1 MiB. Throws where the package is not installed or cannot be loaded.
 */
export function loadLibrary(): NativeLibrary {
  const { arch, platform } = process
  let failure: unknown = new Error(`no native calls on ${platform}`)
  for (const folder of FOLDERS[platform] ?? []) {
    try {
      const file = import.meta.resolve(`@koromix/koffi-${platform}-${arch}/${folder}_${arch}/koffi.node`)
      const loaded = { exports: {} as Koffi }
      process.dlopen(loaded, fileURLToPath(file))
      const koffi = loaded.exports
      const library = koffi.load(null)
      return { func: (name, result, args) => library.func(name, result, args), errno: () => koffi.errno() }
    } catch (error) {
      failure = error
    }
  }
  throw failure
}
