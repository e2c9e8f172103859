import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { rest } from '../test/support/rest.ts'
import type { Bench } from './bench-options.ts'
import { LineChild } from './line-child.ts'
import { field } from './measure.ts'
import { expectEqualTrees } from './pairs.ts'
import { BARE } from './rows.ts'
import { keysOf, limitHome } from './sync-limits.ts'
import type { Tree } from './tree.ts'

const CHILD = join(import.meta.dirname, 'bare-child.mjs')
/** What a start leaves to do is over. */
const SETTLE_MS = 2_000

interface BareFigures {
  readonly elapsedMs: number
  readonly sourceCpuS: number
  readonly sinkCpuS: number
  readonly sourcePeakMib: number
  readonly sinkPeakMib: number
  /** From the dial to the first reply, in two processes that have not used TLS before. */
  readonly connectedMs: number
}

/** Two Node processes that do the least of what two devices do; see `bare-child.mjs`. */
export class BarePair implements AsyncDisposable {
  readonly sinkRoot: string
  readonly #tree: Tree
  readonly #source: LineChild
  readonly #sink: LineChild
  readonly #url: string
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(tree: Tree, sinkRoot: string, ends: { source: LineChild; sink: LineChild; url: string }) {
    this.sinkRoot = sinkRoot
    this.#tree = tree
    this.#source = ends.source
    this.#sink = ends.sink
    this.#url = ends.url
  }

  static async start(bench: Bench, tree: Tree): Promise<BarePair> {
    const sinkRoot = mkdtempSync(join(bench.scratch, 'bare-')) // left: creating files is slower after many deletions
    const env = { ...process.env, UV_THREADPOOL_SIZE: '64' }
    const keys = keysOf(limitHome(bench))
    await using started = new AsyncDisposableStack()
    const source = started.use(new LineChild(CHILD, ['source', ...keys, tree.path], env))
    const ports = await source.line()
    const sink = started.use(new LineChild(CHILD, ['sink', ...keys, sinkRoot, String(field(ports, 'port'))], env))
    await new Promise((done) => setTimeout(done, SETTLE_MS))
    started.move()
    return new BarePair(tree, sinkRoot, { source, sink, url: `http://127.0.0.1:${String(field(ports, 'http'))}` })
  }

  /** All files of the source, to the sink. */
  async pull(): Promise<BareFigures> {
    const root = this.#tree.path
    const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const files = entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return { path: path.slice(root.length + 1), sizeBytes: statSync(path).size }
    })
    this.#sink.send({ files })
    const sink = await this.#sink.line()
    const source = await this.#source.line()
    expectEqualTrees(this.#tree, this)
    return {
      elapsedMs: Number(field(sink, 'elapsedMs')),
      sourceCpuS: Number(field(source, 'cpuS')),
      sinkCpuS: Number(field(sink, 'cpuS')),
      sourcePeakMib: this.#source.peakMib,
      sinkPeakMib: this.#sink.peakMib,
      connectedMs: Number(field(sink, 'connectedMs')),
    }
  }

  /** The source reads a file and announces it; by the client that daemons are asked with. */
  async announce(name: string): Promise<void> {
    const reply = await rest({ address: { url: this.#url }, apiKey: '', agent: this.#agent }, 'POST', `/${name}`)
    if (reply.status !== 200) throw new Error(`POST /${name}: ${reply.status}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy()
    await Promise.all([this.#source[Symbol.asyncDispose](), this.#sink[Symbol.asyncDispose]()])
  }
}

/** Everything from source to sink; `speed` makes the figure of the row of the elapsed time. */
export async function recordBarePull(
  bench: Bench,
  tree: Tree,
  row: string,
  speed: (elapsedMs: number) => number,
): Promise<void> {
  await using pair = await BarePair.start(bench, tree)
  const { elapsedMs, sourceCpuS, sinkCpuS, sourcePeakMib, sinkPeakMib } = await pair.pull()
  const cpuS = sourceCpuS + sinkCpuS
  bench.record({ row, subject: BARE, value: speed(elapsedMs), cpuS })
  bench.record({ row: `${row}-cpu`, subject: BARE, value: cpuS })
  bench.record({ row: `${row}-source-rss`, subject: BARE, value: sourcePeakMib, cpuS: sourceCpuS })
  bench.record({ row: `${row}-sink-rss`, subject: BARE, value: sinkPeakMib, cpuS: sinkCpuS })
}
