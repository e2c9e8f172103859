import { writeFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'

export interface Tally {
  passed: number
  failed: number
  skipped: number
  /** Files with a failed test. */
  failedFiles: string[]
  /** How long the tests of each file took, and how much of the processor. */
  fileTimes: FileTime[]
  /** Processor time of the run, with what is outside of the files. */
  cpuMs: number
}

export interface FileTime {
  readonly file: string
  readonly ms: number
  readonly cpuMs: number
}

/** Processor time, asked for when all tests have ended. */
export interface CpuTimes {
  ofFile(file: string): number
  total(): number
}

/**
 * A short report: a line per file with its time and its processor time, failures in full, what tests print themselves
 * (figures), and a closing line.
 * The totals also go to the file named by TEST_TALLY, for the command that adds up the stages.
 */
export default async function* report(source: AsyncIterable<TestEvent>, cpu: CpuTimes): AsyncGenerator<string> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, failedFiles: [], fileTimes: [], cpuMs: 0 }
  const perFile = new Map<string, { count: number; ms: number }>()
  /** Of files with a process each: with what is outside of tests, such as the start of daemons. */
  const wholeMs = new Map<string, number>()
  for await (const event of source) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
    // An error outside of every test, which makes the run fail.
    if (event.type === 'test:diagnostic' && event.data.message.startsWith('Error: ')) yield `\n${event.data.message}\n`
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { data } = event
      const file = data.file ?? '?'
      // With a process per file the file itself counts as a test; it is not one.
      if (event.type === 'test:pass' && file.endsWith(data.name)) {
        wholeMs.set(file, data.details.duration_ms)
        continue
      }
      const { count, ms } = perFile.get(file) ?? { count: 0, ms: 0 }
      const isSuite = data.details.type === 'suite'
      const addedMs = data.nesting === 0 ? data.details.duration_ms : 0
      perFile.set(file, { count: count + (isSuite ? 0 : 1), ms: ms + addedMs })
      if (isSuite) continue
      if (data.skip !== undefined) {
        tally.skipped++
        yield `SKIPPED ${data.name}: ${data.skip === true ? 'no reason given' : data.skip}\n`
      } else if (event.type === 'test:pass') tally.passed++
      else {
        tally.failed++
        if (!tally.failedFiles.includes(file)) tally.failedFiles.push(file)
        const { error } = event.data.details
        yield `\nFAILED ${data.name}\n  at ${file}:${data.line ?? 0}\n${indent(describe(error))}\n\n`
      }
    }
  }
  for (const [file, { count, ms: testsMs }] of [...perFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const time = {
      file: file.replace(/^.*\/(?=test\/)/, ''),
      ms: wholeMs.get(file) ?? testsMs,
      cpuMs: cpu.ofFile(file),
    }
    tally.fileTimes.push(time)
    yield `  ${count.toString().padStart(5)} ${timeLine(time)}\n`
  }
  tally.cpuMs = cpu.total()
  const inFiles = tally.fileTimes.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  yield `processor time ${seconds(tally.cpuMs)} s, of it ${seconds(inFiles)} s in the files above\n`
  yield `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`
  const tallyFile = process.env['TEST_TALLY']
  if (tallyFile !== undefined) writeFileSync(tallyFile, JSON.stringify(tally))
}

/** Time and processor time of a file, in seconds. */
export function timeLine({ file, ms, cpuMs }: FileTime): string {
  return `${seconds(ms).padStart(6)} s ${seconds(cpuMs).padStart(6)} s cpu  ${file}`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1)
}

function describe(error: Error): string {
  const cause = error.cause
  if (cause instanceof Error) return cause.stack ?? cause.message
  return error.stack ?? String(cause ?? error.message)
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}
