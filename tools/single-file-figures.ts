/**
 * Measures an executable that contains Node beside the package that npm installed, each with a home of its own: `node
 * tools/single-file-figures.ts EXECUTABLE SCRIPT`. The package runs on the Node that runs this tool.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Running, type Program } from '../bench/program.ts'
import { apiKeyOf } from '../test/support/syncthing.ts'
import { scratchDirectory } from '../test/support/scratch.ts'

const ROUNDS = 9
/** Long enough for idle threads to end and for the garbage of a start to be collected. */
const SETTLE_MS = 20_000

function programOf(words: readonly string[], cache: string): Program {
  const kept = Object.entries(process.env).filter(([name]) => !/^(ST[A-Z]|NODE_)/.test(name))
  const env = { ...Object.fromEntries(kept), TWINFOLD_CACHE_DIR: cache }
  return {
    name: 'twinfold',
    makeHome(home) {
      const [program, ...args] = [...words, 'generate', `--home=${home}`, '--no-port-probing']
      const result = spawnSync(program!, args, { encoding: 'utf8', env })
      if (result.status !== 0) throw new Error(`generate: ${result.stdout}${result.stderr}`)
    },
    command: (home, address) => ({
      args: [...words, 'serve', `--home=${home}`, '--no-browser', `--gui-address=${address}`],
      env,
    }),
    apiKey: apiKeyOf,
  }
}

async function startOnce(program: Program, home: string): Promise<{ readonly ms: number; readonly cpuS: number }> {
  const { running, startMs } = await Running.start(program, home)
  const cpuS = running.cpuSeconds()
  await running[Symbol.asyncDispose]()
  return { ms: startMs, cpuS }
}

async function idleMib(program: Program, home: string): Promise<number> {
  const { running } = await Running.start(program, home)
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  const { now } = running.memoryMib()
  await running[Symbol.asyncDispose]()
  return now
}

function spread(values: readonly number[], digits: number): string {
  const sorted = values.toSorted((a, b) => a - b)
  const [least, median, most] = [sorted[0]!, sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
  return `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

const [executable, script] = process.argv.slice(2).map((path) => resolve(path))
if (executable === undefined || script === undefined) throw new Error('name the executable, and bin.js of the package')
using scratch = scratchDirectory()
const cache = join(scratch.path, 'cache')
const subjects = [
  { name: 'npm install -g', program: programOf([process.execPath, script], cache) },
  { name: 'one file', program: programOf([executable], cache) },
].map((subject) => ({ ...subject, home: join(scratch.path, subject.name), ms: [] as number[], cpuS: [] as number[] }))
for (const { program, home } of subjects) {
  mkdirSync(home, { mode: 0o700 })
  program.makeHome(home)
  await startOnce(program, home)
}
for (let round = 0; round < ROUNDS; round++) {
  for (const { program, home, ms, cpuS } of subjects) {
    const figures = await startOnce(program, home)
    ms.push(figures.ms)
    cpuS.push(figures.cpuS)
  }
}
for (const { name, program, home, ms, cpuS } of subjects) {
  const idle = await idleMib(program, home)
  console.log(`${name}: start ${spread(ms, 0)} ms, CPU ${spread(cpuS, 2)} s, idle RSS ${idle.toFixed(1)} MiB`)
}
rmSync(cache, { recursive: true })
const { program, home } = subjects[1]!
console.log(`one file, nothing unpacked yet: ${(await startOnce(program, home)).ms.toFixed(0)} ms`)
