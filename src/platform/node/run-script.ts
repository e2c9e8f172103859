import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

/** By then a daemon has run what a start runs; a command saves when it ends. */
const SAVE_AFTER_MS = 5_000
/** What the first connection runs is over by then. */
const CONNECTION_MS = 2_000
/** Later V8 may have dropped functions that only a start runs. */
const COMPLETE_MS_MAX = 300_000
/** A checksum of the rest, and whether the functions of a connection are there. */
const HEADER_BYTES = 8

type Imports = Readonly<Record<string, unknown>>
type Load = (name: string) => Promise<unknown>
type Body = (imports: Imports, meta: ImportMeta, load: Load) => Imports

interface Part {
  readonly directory: string
  readonly name: string
  readonly checksum: string
  readonly script: Script
  /** What is stored of it; undefined for nothing that this V8 accepts. */
  stored: { readonly bytes: number; readonly hasConnection: boolean } | undefined
}

/** Those of this process that can be stored. */
const parts: Part[] = []

/**
 * Runs a part of the bundled program, a function expression in a file, and returns what it exports. Its cache has the
 * functions that were compiled while it ran, too: that of Node for modules has none of them, and compiling them again
 * takes a fifth of the processor time of a start. A damaged, foreign or missing cache only costs that time.
 */
export function runScript(file: string, imports: Imports, meta: ImportMeta, load: Load): Imports {
  const path = join(meta.dirname, file)
  const source = readFileSync(path)
  const checksum = crc32(source).toString(16).padStart(8, '0')
  const directory = cacheDirectory()
  const cached = directory === undefined ? undefined : readCache(join(directory, cacheName(file, checksum)))
  const cachedData = cached?.data
  const script = new Script(source.toString('latin1'), {
    filename: path,
    ...(cachedData !== undefined && { cachedData }),
  })
  if (directory !== undefined) {
    const isStored = cached !== undefined && script.cachedDataRejected !== true
    const stored = isStored ? { bytes: cached.data.length, hasConnection: cached.hasConnection } : undefined
    if (!isStored && parts.every((part) => part.stored !== undefined)) saveLater()
    parts.push({ directory, name: file, checksum, script, stored })
  }
  const body = script.runInThisContext() as Body
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

function cacheName(file: string, checksum: string): string {
  return `${file}.${checksum}`
}

/** V8 does not check the contents, and compares the length of the source only. */
function readCache(path: string): { readonly data: Buffer; readonly hasConnection: boolean } | undefined {
  try {
    const stored = readFileSync(path)
    if (stored.length <= HEADER_BYTES || stored.readUInt32LE(0) !== crc32(stored.subarray(4))) return undefined
    return { data: stored.subarray(HEADER_BYTES), hasConnection: stored.readUInt32LE(4) === 1 }
  } catch {
    return undefined // the first start of this version
  }
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
  const { directory, name, checksum, script, stored } = part
  const target = cacheName(name, checksum)
  const temporary = join(directory, `${target}.${process.pid}`)
  try {
    const data = script.createCachedData()
    const bytes = Math.max(data.length, stored?.bytes ?? 0)
    part.stored = { bytes, hasConnection } // also where it fails: it would fail again
    if (data.length < bytes) return // V8 has dropped functions
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const content = Buffer.alloc(HEADER_BYTES + data.length)
    content.writeUInt32LE(hasConnection ? 1 : 0, 4)
    content.set(data, HEADER_BYTES)
    content.writeUInt32LE(crc32(content.subarray(4)), 0)
    writeFileSync(temporary, content, { mode: 0o600 })
    renameSync(temporary, join(directory, target))
    for (const other of readdirSync(directory))
      if (other.startsWith(`${name}.`) && other !== target) rmSync(join(directory, other), { force: true })
  } catch {
    rmSync(temporary, { force: true }) // not writable: starts are slower without a cache
  }
}
