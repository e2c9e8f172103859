import { writeFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'

export interface Tally {
  passed: number
  failed: number
  skipped: number
  /** Files with a failed test. */
  failedFiles: string[]
}

/**
 * A short report: a line per file, failures in full, what tests print themselves (figures), and a closing line.
 * The totals also go to the file named by TEST_TALLY, for the command that adds up the stages.
 */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, failedFiles: [] }
  const perFile = new Map<string, number>()
  for await (const event of source) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message
    if (event.type === 'test:pass' || event.type === 'test:fail') {
      const { data } = event
      if (data.details.type === 'suite') continue
      const file = data.file ?? '?'
      // With a process per file the file itself counts as a test; it is not one.
      if (data.name === file || file.endsWith(data.name)) {
        if (event.type === 'test:pass') continue
      }
      perFile.set(file, (perFile.get(file) ?? 0) + 1)
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
  for (const [file, count] of [...perFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
    yield `  ${count.toString().padStart(5)}  ${file.replace(/^.*\/(?=test\/)/, '')}\n`
  }
  yield `${tally.passed} passed, ${tally.failed} failed, ${tally.skipped} skipped\n`
  const tallyFile = process.env['TEST_TALLY']
  if (tallyFile !== undefined) writeFileSync(tallyFile, JSON.stringify(tally))
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
