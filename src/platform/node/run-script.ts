import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { compileFunction, type CompileFunctionOptions } from 'node:vm'

/** By then a daemon has run what a start runs; a command saves when it ends. */
const SAVE_AFTER_MS = 5_000
/** What the first connection runs is over by then. */
const CONNECTION_MS = 2_000
/** Later V8 may have dropped functions that only a start runs. */
const COMPLETE_MS_MAX = 300_000
/** Larger than the memory that small buffers share. */
const SHARED_BYTES_MAX = 128 * 1_024
const CHECKSUM_BYTES = 20
/** A checksum of the rest, and whether the functions of a connection are there. */
const HEADER_BYTES = CHECKSUM_BYTES + 1
/** Every version of the bundle begins with another text (`tools/bundle.ts`). */
const HEAD_BYTES = 64

type Imports = Readonly<Record<string, unknown>>
type Load = (name: string) => Promise<unknown>
/** What Node's declarations lack of the result of `compileFunction`. */
interface Body {
  (imports: Imports, meta: ImportMeta, load: Load): Imports
  readonly cachedData?: Buffer
  readonly cachedDataRejected?: boolean
}

/** As `tools/bundle.ts` names them in the file. */
const PARAMETERS = ['__imports', '__meta', '__load']

interface Part {
  readonly directory: string
  readonly name: string
  readonly path: string
  /** Changes with the source. */
  readonly version: string
  /** What is stored of it; undefined for nothing that this V8 accepts. */
  stored: { readonly bytes: number; readonly hasConnection: boolean } | undefined
}

interface Cached {
  readonly data: Buffer
  readonly bytes: number
  readonly hasConnection: boolean
}

/** Those of this process that can be stored. */
const parts: Part[] = []

/**
 * Runs a part of the bundled program, the body of a function in a file, and returns what it exports. Its cache has the
 * functions that were compiled while it ran, too: that of Node for modules has none of them, and compiling them again
 * takes a fifth of the processor time of a start. A damaged, foreign or missing cache only costs that time. With a
 * `Script` of `node:vm` V8 would collect all garbage 8 s after the start, for 40 ms of processor time.
 */
export function runScript(file: string, imports: Imports, meta: ImportMeta, load: Load): Imports {
  const path = join(meta.dirname, file)
  const source = readFileSync(path)
  const version = sourceVersion(path, source)
  const directory = cacheDirectory()
  const cached = directory === undefined ? undefined : readCache(join(directory, cacheName(file, version)))
  const cachedData = cached?.data
  const body = compile(path, source, cachedData === undefined ? {} : { cachedData })
  release(source)
  if (cached !== undefined) release(cached.data)
  if (directory !== undefined) {
    const isStored = cached !== undefined && body.cachedDataRejected !== true
    const stored = isStored ? { bytes: cached.bytes, hasConnection: cached.hasConnection } : undefined
    if (!isStored && parts.every((part) => part.stored !== undefined)) saveLater()
    parts.push({ directory, name: file, path, version, stored })
  }
  return body(imports, meta, load)
}

/** To be called after the first connection: stores what it compiled, once for each version. */
export function keepCompiled(delayMs = CONNECTION_MS): void {
  setTimeout(() => {
    if (performance.now() > COMPLETE_MS_MAX) return
    for (const part of parts) if (part.stored?.hasConnection !== true) writeCache(part, true)
  }, delayMs).unref()
}

/** That of Node's own cache, which has the versions of Node and V8 in its name, and only its user can write to it. */
function cacheDirectory(): string | undefined {
  const ofNode = getCompileCacheDir()
  return ofNode === undefined ? undefined : join(ofNode, isDaemon() ? 'serve' : 'commands')
}

/** A command runs other functions of the same files. A wrong guess only makes its cache less useful. */
function isDaemon(): boolean {
  const command = process.argv[2] ?? 'serve'
  return command === 'serve' || command.startsWith('-')
}

function cacheName(file: string, version: string): string {
  return `${file}.${version}`
}

/** Packages have the same time for all their versions, and a version that somebody edits has the same beginning. */
function sourceVersion(path: string, source: Buffer): string {
  const { mtimeMs } = statSync(path)
  const head = source.toString('latin1', 0, HEAD_BYTES)
  return hash('sha1', `${head} ${source.length} ${mtimeMs}`).slice(0, 16)
}

/** Frees 4 MB before the first collection of garbage, of which a start has none. A small buffer shares its memory. */
function release({ buffer }: Buffer): void {
  if (buffer.byteLength > SHARED_BYTES_MAX && buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Of `node:crypto`, which every command loads; a checksum of `node:zlib` would load that module, in 3 ms. */
function checksumOf(data: Buffer): Buffer {
  return hash('sha1', data, 'buffer')
}

/** V8 does not check the contents, and compares the length of the source only. */
function readCache(path: string): Cached | undefined {
  try {
    const stored = readFileSync(path)
    const checksum = stored.subarray(0, CHECKSUM_BYTES)
    if (stored.length <= HEADER_BYTES || !checksumOf(stored.subarray(CHECKSUM_BYTES)).equals(checksum)) return undefined
    const data = stored.subarray(HEADER_BYTES)
    return { data, bytes: data.length, hasConnection: stored[CHECKSUM_BYTES] === 1 }
  } catch {
    return undefined // the first start of this version
  }
}

function compile(path: string, source: Buffer, options: CompileFunctionOptions): Body {
  return compileFunction(source.toString('latin1'), PARAMETERS, { ...options, filename: path }) as unknown as Body
}

/** V8 finds the same source compiled already, with all functions that have run. Undefined if the file has changed. */
function compiledSoFar(path: string, version: string): Buffer | undefined {
  const source = readFileSync(path)
  return sourceVersion(path, source) === version
    ? compile(path, source, { produceCachedData: true }).cachedData
    : undefined
}

function saveLater(): void {
  const save = () => {
    clearTimeout(timer)
    for (const part of parts) if (part.stored === undefined) writeCache(part, false)
  }
  const timer = setTimeout(save, SAVE_AFTER_MS).unref()
  process.once('exit', save)
}

function writeCache(part: Part, hasConnection: boolean): void {
  const { directory, name, path, version, stored } = part
  const target = cacheName(name, version)
  const temporary = join(directory, `${target}.${process.pid}`)
  try {
    const data = compiledSoFar(path, version)
    if (data === undefined) return
    const bytes = Math.max(data.length, stored?.bytes ?? 0)
    part.stored = { bytes, hasConnection } // also where it fails: it would fail again
    if (data.length < bytes) return // V8 has dropped functions
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const content = Buffer.alloc(HEADER_BYTES + data.length)
    content[CHECKSUM_BYTES] = hasConnection ? 1 : 0
    content.set(data, HEADER_BYTES)
    content.set(checksumOf(content.subarray(CHECKSUM_BYTES)))
    writeFileSync(temporary, content, { mode: 0o600 })
    renameSync(temporary, join(directory, target))
    for (const other of readdirSync(directory))
      if (other.startsWith(`${name}.`) && other !== target) rmSync(join(directory, other), { force: true })
  } catch {
    rmSync(temporary, { force: true }) // not writable: starts are slower without a cache
  }
}
