/**
 * All checks and tests of a commit in one command; with `--nightly` those that depend on the platform or on chance
 * (`tools/stages.ts`). `--only NAME` runs one stage of either, further arguments are test files.
 */
import { cpuMs } from './cpu-time.ts'
import { COMMIT_STAGES, LANES, NIGHTLY_STAGES, type Lane, type Stage } from './stages.ts'
import { TestRuns } from './test-runs.ts'

const args = process.argv.slice(2)
const isNightly = args[0] === '--nightly'
if (isNightly) args.shift()
const [flag, only, ...files] = args
const known = [...COMMIT_STAGES, ...NIGHTLY_STAGES]
if (flag !== undefined && (flag !== '--only' || !known.some(({ name }) => name === only))) {
  console.error(`usage: npm test|npm run nightly [-- --only ${known.map(({ name }) => name).join('|')} [FILE…]]`)
  process.exit(1)
}

const runs = new TestRuns()
const broken: string[] = []
const times: string[] = []
const startedMs = performance.now()
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const secondsSince = (ms: number) => seconds(performance.now() - ms)

async function runStage({ name, run }: Stage): Promise<void> {
  const [beganMs, cpuBeforeMs] = [performance.now(), cpuMs()]
  console.log(`== ${name}`)
  const ofStage = new TestRuns()
  if (!(await run(ofStage, files))) broken.push(name)
  runs.add(ofStage)
  // Without test files it is that of the commands; no stage of another lane ends while they run.
  const cpu = seconds(ofStage.cpuMs === 0 ? cpuMs() - cpuBeforeMs : ofStage.cpuMs)
  const time = `${secondsSince(beganMs)} (processor ${cpu})`
  times.push(`${name} ${time}`)
  console.log(`== ${name}: ${time}`)
}

async function runLane(stages: readonly Stage[], lane: Lane): Promise<void> {
  for (const stage of stages) if (stage.lane === lane) await runStage(stage)
}

const ofCommand = isNightly ? NIGHTLY_STAGES : COMMIT_STAGES
const stages = only === undefined ? ofCommand : known.filter(({ name }) => name === only)
for (const stage of stages) if (stage.lane === undefined) await runStage(stage)
await Promise.all(LANES.map((lane) => runLane(stages, lane)))
for (const line of runs.slowest()) console.log(line)
console.log(`${times.join(', ')}; all ${secondsSince(startedMs)} (processor ${seconds(cpuMs())})`)
console.log(runs.summary())
if (broken.length > 0) {
  console.error(`broken: ${broken.join(', ')}`)
  process.exitCode = 1
}
