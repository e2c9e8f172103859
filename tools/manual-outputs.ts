/** Runs the command blocks of a page of the manual, and writes their output below them. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loopbackOnly } from '../test/support/loopback.ts'
import { scratchDirectory } from '../test/support/scratch.ts'
import { testProgram } from './test-program.ts'

const ROOT = join(import.meta.dirname, '..')
export const MANUAL = join(ROOT, 'docs', 'manual')
const PAGE_MS_MAX = 900_000
/** A block of commands, and the block with its output if there is one directly below. */
const BLOCK = /(?<!^<!-- run by \S+ -->\n)^```sh\n([^]*?)^```\n(?:\n```text\n([^]*?)^```\n)?/gm
/** A block that another test runs: it needs the package, for example. */
const ELSEWHERE = /^<!-- run by (\S+) -->\n```sh\n([^]*?)^```\n/gm
const SEPARATOR = '@@ end of block @@'

/** The command blocks of a page, in order, and the output that it shows for each. */
export function blocksOf(page: string): readonly { readonly commands: string; readonly output: string | undefined }[] {
  return [...page.matchAll(BLOCK)].map(([, commands = '', output]) => ({ commands, output }))
}

/** The command blocks of a page that this test runs instead. */
export function blocksRunBy(test: string, page: string): readonly string[] {
  return [...page.matchAll(ELSEWHERE)].filter(([, name]) => name === test).map(([, , commands = '']) => commands)
}

export interface PageRun {
  /** By block, as the manual shows them. */
  readonly outputs: readonly string[]
  readonly failure: string | undefined
}

/** A network that leads nowhere: a cable whose two ends are in the same machine. */
const HOME_NETWORK = [
  'ip link add home0 type veth peer name home1',
  'ip address add 192.168.1.20/24 broadcast + dev home0',
  // Only one address, so that the outputs are the same in every run.
  'for end in home0 home1; do echo 1 > /proc/sys/net/ipv6/conf/$end/disable_ipv6; done',
  'ip link set home0 up',
  'ip link set home1 up',
].join(' && ')

/** Runs all blocks of a page as one script, as a new user in an empty home, alone in a network of its own. */
export function runPage(page: string): PageRun {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'you')
  mkdirSync(home)
  const blocks = blocksOf(page).map(({ commands }) => `${commands}echo '${SEPARATOR}'\n`)
  // The daemons of the page end with it.
  const script = `set -euo pipefail\nexec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n${blocks.join('')}`
  const named = ['unshare', '-u', 'sh', '-c', `${HOME_NETWORK} && hostname desk && exec "$@"`, 'named']
  const [program, ...args] = [...loopbackOnly(), ...named, 'bash', '-c', script]
  const env = {
    HOME: home,
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    PATH: `${programDirectory(scratch.path)}:${process.env['PATH']}`,
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'twinfold'),
  }
  const result = spawnSync(program!, args, { cwd: home, env, encoding: 'utf8', timeout: PAGE_MS_MAX })
  const outputs = plainOutput(result.stdout, home).split(`${SEPARATOR}\n`)
  const failure = result.status === 0 ? undefined : `exit code ${result.status}\n${result.stdout}\n${result.stderr}`
  return { outputs, failure }
}

/** A directory with the program under its name, as an installation has it. */
function programDirectory(parent: string): string {
  const directory = join(parent, 'bin')
  mkdirSync(directory)
  const flags = '--disable-warning=ExperimentalWarning'
  const script = `#!/bin/sh\nexec '${process.execPath}' ${flags} '${testProgram()}' "$@"\n`
  writeFileSync(join(directory, 'twinfold'), script)
  chmodSync(join(directory, 'twinfold'), 0o755)
  return directory
}

/** Without what differs from run to run: IDs, times, durations, the home. */
function plainOutput(text: string, home: string): string {
  const ids = new Map<string, string>()
  const idOf = (id: string): string => {
    if (!ids.has(id)) ids.set(id, id.replace(/[A-Z2-7]/g, String.fromCodePoint(65 + ids.size)))
    return ids.get(id)!
  }
  const plain = text
    .replaceAll(home, '/home/you')
    .replace(/\b[A-Z2-7]{7}(?:-[A-Z2-7]{7}){7}\b/g, idOf)
    .replace(
      /\d{4}-\d\d-\d\d([ T])\d\d:\d\d(:\d\d)?(\.\d+)?/g,
      (_all, between, seconds = '') => `2026-11-15${between}10:00${seconds && ':00'}`,
    )
    .replace(/^\S+: +\d+ % .*\n/gm, '') // progress of a scan, on a slow machine only
    .replace(/\b(127\.0\.0\.1|192\.168\.1\.20):[3-6]\d{4}\b/g, '$1:40000')
    .replace(/("(?:durationS|uptime|sequence|version)": )[\d.]+/g, '$11')
  return plainDurations(plain).replace(/[ \t]+$/gm, '')
}

const DURATION = /\b\d+(\.\d+)? (ms|s|min|h)\b( \d+ (s|min)\b)?/g
/** The first line of a table. */
const TITLES = /^[A-Z]+( [A-Z]+)*(  +[A-Z]+( [A-Z]+)*)+$/

/** Durations of one length, also in tables, whose columns are as wide as their longest cell. */
function plainDurations(text: string): string {
  const lines = text.split('\n')
  for (const [first, title] of lines.entries()) {
    if (!TITLES.test(title)) continue
    const starts = [...title.matchAll(/(?<=^|  )\S/g)].map(({ index }) => index)
    const isRow = (line: string) => starts.slice(1).every((start) => line.slice(start - 2, start).trim() === '')
    const end = lines.findIndex((line, index) => index > first && (line === '' || !isRow(line)))
    const rows = lines.slice(first, end === -1 ? undefined : end)
    if (rows.some((row) => row.search(DURATION) >= 0)) lines.splice(first, rows.length, ...narrowed(rows, starts))
  }
  return lines.join('\n').replace(DURATION, '1 s')
}

/** Rows of a table with plain durations, each column as wide as its longest cell. */
function narrowed(rows: readonly string[], starts: readonly number[]): readonly string[] {
  const cells = rows.map((row) =>
    starts.map((start, at) =>
      row
        .slice(start, starts[at + 1])
        .trim()
        .replace(DURATION, '1 s'),
    ),
  )
  const widths = starts.map((_start, at) => Math.max(...cells.map((row) => row[at]!.length)))
  return cells.map((row) => row.map((cell, at) => cell.padEnd(widths[at]!)).join('  '))
}

/** The page with these outputs below its blocks; blocks without output show none. */
export function withOutputs(page: string, outputs: readonly string[]): string {
  let index = 0
  return page.replace(BLOCK, (_all, commands: string) => {
    const output = outputs[index++]?.trimEnd() ?? ''
    return `\`\`\`sh\n${commands}\`\`\`\n${output === '' ? '' : `\n\`\`\`text\n${output}\n\`\`\`\n`}`
  })
}

if (import.meta.main) {
  for (const name of process.argv.slice(2)) {
    const file = join(MANUAL, name)
    const page = readFileSync(file, 'utf8')
    const { outputs, failure } = runPage(page)
    if (failure !== undefined) throw new Error(`${name}: ${failure}`)
    writeFileSync(file, withOutputs(page, outputs))
  }
}
