import { formatAttributeDump, parseAttributeDump } from '../../../core/attributes/attribute-dump.ts'
import type { AttributeChange, AttributeList } from '../../../core/attributes/attributes.ts'
import { joinPath } from '../../../core/paths.ts'
import type { AttributeFailure, Attributes, AttributesRead, AttributesWritten } from '../../attributes.ts'

const TIME_LIMIT_MS = 60_000
/** Items per process. */
const ITEMS_MAX = 512
/** The system limits arguments and environment to 2 MiB. */
const WORDS_BYTES_MAX = 256 * 1_024
const OUTPUT_BYTES_MAX = 16 * 1_024 * 1_024
const REASON_BYTES_MAX = 64 * 1_024
/** Finding each failing item takes some processes: after this many the remaining items count as failed. */
const FAILURES_MAX = 32

/**
 * Without native calls: the programs of the package attr are used, with many items per process. Names are passed as
 * separate arguments or as text with special bytes escaped; no shell is involved.
 */
export const attributePrograms: Attributes = {
  async read(root, names, signal) {
    const found = new Map<string, AttributeList>()
    const failed = new Map<string, AttributeFailure>()
    const waiting = batchesOf(root, names)
    for (let batch = waiting.pop(); batch !== undefined; batch = waiting.pop()) {
      signal.throwIfAborted()
      const outcome = await dump(root, batch, signal)
      if (outcome.kind === 'unsupported') return outcome
      if (outcome.kind === 'read') for (const [name, attributes] of outcome.found) found.set(name, attributes)
      // The failing item is not reported unambiguously, and treating it as one without attributes would remove them on
      // other devices: the half without errors is used, the other one is split again.
      else if (batch.length > 1 && failed.size < FAILURES_MAX) waiting.push(...halvesOf(batch)) // at most two
      else for (const name of batch) failed.set(name, outcome.failure)
    }
    return { kind: 'read', found, failed }
  },

  async write(path, { set, remove }) {
    const all = set.length === 0 ? WRITTEN : await restore(path, set)
    // The program does not report which one failed.
    if (all.kind === 'failed' && set.length > 1) return (await firstFailure(path, set)) ?? all
    if (all.kind !== 'written') return all
    for (const name of remove) {
      const end = await run({ program: 'setfattr', args: ['-h', `--remove=${name}`, '--', path] })
      if (end.kind === 'unsupported') return end
      if (end.kind === 'failed' && end.failure.code !== 'no-attribute') return { ...end, attribute: name }
    }
    return WRITTEN
  },
}

const WRITTEN: AttributesWritten = { kind: 'written' }

function batchesOf(root: string, names: readonly string[]): string[][] {
  const batches: string[][] = []
  let open: string[] = []
  let openBytes = 0
  for (const name of names) {
    const sizeBytes = Buffer.byteLength(joinPath(root, name)) + 1
    if (open.length === 0 || open.length >= ITEMS_MAX || openBytes + sizeBytes > WORDS_BYTES_MAX) {
      batches.push((open = []))
      openBytes = 0
    }
    open.push(name)
    openBytes += sizeBytes
  }
  return batches
}

function halvesOf(batch: readonly string[]): string[][] {
  const half = Math.ceil(batch.length / 2)
  return [batch.slice(0, half), batch.slice(half)]
}

type Dump =
  | Extract<AttributesRead, { kind: 'unsupported' }>
  | Failed
  | { readonly kind: 'read'; readonly found: ReadonlyMap<string, AttributeList> }

async function dump(root: string, names: readonly string[], signal: AbortSignal): Promise<Dump> {
  const byPath = new Map(names.map((name) => [joinPath(root, name), name]))
  const args = ['-h', '-d', '-m', '-', '-e', 'base64', '--absolute-names', '--', ...byPath.keys()]
  const end = await run({ program: 'getfattr', args, signal })
  if (end.kind !== 'exited') return end
  const found = new Map<string, AttributeList>()
  for (const [path, attributes] of parseAttributeDump(end.output) ?? [['', []]]) {
    const name = byPath.get(path)
    if (name === undefined) return failed('getfattr wrote what cannot be read')
    found.set(name, attributes)
  }
  return { kind: 'read', found }
}

async function restore(path: string, attributes: AttributeList): Promise<AttributesWritten> {
  const end = await run({
    program: 'setfattr',
    args: ['-h', '--restore=-'],
    input: formatAttributeDump(path, attributes),
  })
  if (end.kind === 'failed') return { ...end, attribute: attributes[0]?.name ?? '' }
  return end.kind === 'exited' ? WRITTEN : end
}

async function firstFailure(path: string, attributes: AttributeChange['set']): Promise<AttributesWritten | undefined> {
  for (const attribute of attributes) {
    const outcome = await restore(path, [attribute])
    if (outcome.kind !== 'written') return outcome
  }
  return undefined
}

interface Run {
  readonly program: 'getfattr' | 'setfattr'
  readonly args: readonly string[]
  readonly input?: string
  readonly signal?: AbortSignal
}

interface Failed {
  readonly kind: 'failed'
  readonly failure: AttributeFailure
}

type End = { readonly kind: 'exited'; readonly output: Buffer } | { readonly kind: 'unsupported' } | Failed

/** Failed: with any exit but 0, or too much output, or after too long. */
async function run({ program, args, input = '', signal }: Run): Promise<End> {
  const { promise, resolve, reject } = Promise.withResolvers<End>()
  // Error messages are parsed: they must not be localized.
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }
  const { spawn } = process.getBuiltinModule('node:child_process')
  const child = spawn(program, args, { env, shell: false })
  const output = new Collected(OUTPUT_BYTES_MAX, () => child.kill('SIGKILL'))
  const trouble = new Collected(REASON_BYTES_MAX, () => {})
  const onAbort = (): void => void child.kill('SIGKILL')
  // Not the timeout of spawn: that one keeps running for a program that could not be started.
  const timer = setTimeout(onAbort, TIME_LIMIT_MS)
  signal?.addEventListener('abort', onAbort, { once: true })
  child.on('error', (error: NodeJS.ErrnoException) =>
    resolve(error.code === 'ENOENT' ? UNSUPPORTED : failed(error.message)),
  )
  child.on('close', (code, deathSignal) => {
    if (signal?.aborted === true) reject(signal.reason)
    else if (output.isFull) resolve(failed('more attributes than can be read'))
    else if (code === 0) resolve({ kind: 'exited', output: output.bytes })
    else if (deathSignal !== null) resolve(failed(`${program} was ended by ${deathSignal}`))
    else resolve({ kind: 'failed', failure: failureIn(trouble.bytes) })
  })
  child.stdout.on('data', (data: Buffer) => output.add(data))
  child.stderr.on('data', (data: Buffer) => trouble.add(data))
  child.stdin.on('error', () => {}) // a program that did not read has ended with an error
  child.stdin.end(input)
  return await promise.finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  })
}

const UNSUPPORTED = { kind: 'unsupported' } as const

function failed(text: string): Failed {
  return { kind: 'failed', failure: { code: 'other', text } }
}

/** The programs give only texts. */
const CODES: Readonly<Record<string, AttributeFailure['code']>> = {
  'No such file or directory': 'gone',
  'Not a directory': 'gone',
  'Permission denied': 'not-permitted',
  'Operation not supported': 'unsupported',
  'No such attribute': 'no-attribute',
}

/** Messages have the form `program: path: reason`; the reason contains no colon. */
function failureIn(trouble: Buffer): AttributeFailure {
  const message = trouble.toString().trimEnd()
  const text = message.slice(message.lastIndexOf(': ') + 1).trim()
  const found = Object.keys(CODES).find((known) => text.endsWith(known))
  return {
    code: found === undefined ? 'other' : CODES[found]!,
    text: found ?? (text === '' ? 'no reason given' : text),
  }
}

class Collected {
  readonly #max: number
  readonly #onFull: () => void
  #parts: Buffer[] = []
  #sizeBytes = 0
  isFull = false

  constructor(max: number, onFull: () => void) {
    this.#max = max
    this.#onFull = onFull
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts)
  }

  add(data: Buffer): void {
    if (this.isFull) return
    this.#sizeBytes += data.length
    this.isFull = this.#sizeBytes > this.#max
    if (this.isFull) this.#onFull()
    else this.#parts.push(data)
  }
}
